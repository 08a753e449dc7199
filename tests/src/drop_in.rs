//! The libraries under test, built once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The drop-in library: `HEAPWRIGHT_SO` when it is set, else the release build of this tree.
///
/// Built into a target folder of its own, so that it does not matter how the tests were built. Several test programs
/// may ask at once: cargo locks the folder, and whoever comes second finds the work done.
///
/// # Panics
///
/// When the library does not build, with cargo's own message, or when `HEAPWRIGHT_SO` names no file.
pub fn drop_in() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = match std::env::var_os("HEAPWRIGHT_SO") {
            Some(chosen) => PathBuf::from(chosen),
            None => build("heapwright-abi").join("libheapwright.so"),
        };
        library.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", library.display()))
    })
}

/// The drop-in library of a classic design, such as `tlsf`, in a release build of this tree.
///
/// # Panics
///
/// When it does not build, with cargo's own message.
pub fn classic(design: &str) -> PathBuf {
    let file = format!("libheapwright_{}.so", design.replace('-', "_"));
    let library = build(&format!("heapwright-abi-{design}")).join(file);
    library.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", library.display()))
}

/// Builds a package into a target folder of its own; where its libraries are.
fn build(package: &str) -> PathBuf {
    let target = target_folder().join("drop-in");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--package", package, "--target-dir"])
        .arg(&target)
        .current_dir(crate::top())
        .env_remove("LD_PRELOAD")
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{package} does not build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target.join("release")
}

/// The target folder of the running test: it is `TARGET/debug/deps/NAME-HASH`.
pub(crate) fn target_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a test knows its own file");
    program.ancestors().nth(3).map_or_else(|| crate::top().join("target"), Path::to_path_buf)
}
