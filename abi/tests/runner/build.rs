//! Builds a package of C libraries in the target directory and for the profile of this test; with nothing changed that costs a
//! tenth of a second.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Builds `package` with `features` beside the default ones, and returns the directory of its libraries, such as `target/debug`.
pub(crate) fn build(package: &str, features: &str) -> PathBuf {
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
    cargo.args(["build", "--quiet", "--package", package, "--features", features]);
    cargo.args(["--profile", profile, "--target-dir"]).arg(target);
    // As in a release: libraries without the standard library cannot unwind.
    cargo.env("CARGO_PROFILE_DEV_PANIC", "abort");
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
