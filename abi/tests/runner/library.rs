//! Where the library under test is: built by cargo for the profile of this test, or named by `HEAPWRIGHT_SO`.
//!
//! cargo builds no cdylib for an integration test (nothing can link it), so the first test that asks for it runs
//! `cargo build` in the same target directory; with nothing changed that costs a tenth of a second.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The shared library, built if need be.
pub(crate) fn shared() -> &'static Path {
    static SHARED: OnceLock<PathBuf> = OnceLock::new();
    SHARED.get_or_init(|| match env::var_os("HEAPWRIGHT_SO") {
        Some(path) => {
            PathBuf::from(path).canonicalize().expect("HEAPWRIGHT_SO names a library that exists")
        }
        None => directory(env!("CARGO_PKG_NAME")).join("libheapwright.so"),
    })
}

/// The drop-in library of a classic design, built if need be.
pub(crate) fn drop_in(name: &str) -> PathBuf {
    let file = format!("libheapwright_{}.so", name.replace('-', "_"));
    directory(&format!("{}-{name}", env!("CARGO_PKG_NAME"))).join(file)
}

/// The static library, built if need be; it lies beside the shared one.
pub(crate) fn archive() -> PathBuf {
    shared().with_extension("a")
}

/// Builds a package and returns the directory of its libraries, such as `target/debug`.
fn directory(package: &str) -> PathBuf {
    // …/target/[triple/]profile/deps/c-0123456789abcdef
    let test = env::current_exe().expect("the path of this test");
    let built = test.ancestors().nth(2).expect("a test lies in PROFILE/deps");
    let profile = match file_name(built) {
        "debug" => "dev",
        name => name,
    };
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target directory has a name");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", package, "--profile", profile]);
    cargo.arg("--target-dir").arg(target);
    if let Some(triple) = built.parent().filter(|parent| *parent != target) {
        cargo.arg("--target").arg(file_name(triple));
    }
    let status =
        cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo can be started");
    assert!(status.success(), "the library cannot be built: {cargo:?}");
    built.to_owned()
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a target directory has a plain name")
}
