//! The libraries under test, built once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of all drop-in libraries in release builds: `HEAPWRIGHT_EMBED` when it is set, else where this tree's command
/// built what it carries along; `cargo test --workspace` has built it already.
///
/// Several test programs may ask at once: cargo locks its folder, and whoever comes second finds the work done.
/// Panics: when they do not build, with cargo's own message.
pub fn libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| match std::env::var_os("HEAPWRIGHT_EMBED") {
        Some(folder) => PathBuf::from(folder),
        None => build(),
    })
}

/// The flagship: `HEAPWRIGHT_SO` when it is set, else of [`libraries`].
/// Panics: when it does not build, or when `HEAPWRIGHT_SO` names no file.
pub fn drop_in() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = match std::env::var_os("HEAPWRIGHT_SO") {
            Some(chosen) => PathBuf::from(chosen),
            None => libraries().join("libheapwright.so"),
        };
        library.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", library.display()))
    })
}

/// The drop-in library of a classic design, such as `tlsf`.
/// Panics: when it does not build.
pub fn classic(design: &str) -> PathBuf {
    let library = libraries().join(format!("libheapwright-{design}.so"));
    library.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", library.display()))
}

/// Builds the command as `cargo test --workspace` does, with the same features; the folder of its build script's output.
fn build() -> PathBuf {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--workspace", "--no-run", "--bin", "heapwright"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(crate::top())
        .env_remove("LD_PRELOAD")
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the command does not build:\n{errors}");
    let messages = String::from_utf8_lossy(&output.stdout);
    let folder = messages.lines().find_map(|message| {
        let message: serde_json::Value = serde_json::from_str(message).ok()?;
        let is_ours = message["reason"] == "build-script-executed"
            && message["package_id"].as_str()?.contains("heapwright-cli");
        is_ours.then(|| Some(PathBuf::from(message["out_dir"].as_str()?)))?
    });
    folder.expect("cargo names the folder of the command's build script")
}
