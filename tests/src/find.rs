//! Where programs and the project itself are on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The full path of `program`: from `PATH`, or from the folders that Debian and toolchains keep off it.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(PathBuf::from))
        .chain(["/usr/local/bin", "/usr/local/go/bin"].map(PathBuf::from))
        .chain(["/usr/lib/postgresql", "/usr/lib/jvm"].into_iter().flat_map(folders_of_versions))
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// `/usr/lib/postgresql/15/bin` and the like, the newest first.
fn folders_of_versions(above: &str) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(above).into_iter().flatten();
    let mut folders: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    folders.sort();
    folders.reverse();
    folders
}

/// [`find`], for a test that cannot run without `program`: says so and returns `None` when it is not installed.
/// Panics: when it is not installed and the variable `CI` is set: there, a test that did not run counts as failed.
pub fn need(program: &str) -> Option<PathBuf> {
    let found = find(program);
    if found.is_none() {
        missing(program);
    }
    found
}

/// Says that a test is skipped for want of `what`.
/// Panics: when the variable `CI` is set.
pub fn missing(what: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "{what} is not installed, and CI is set; .ci/run installs it"
    );
    eprintln!("skipped: {what} is not installed");
}

/// A python that has `module` of CPython's own tests: the system's, or the one first on `PATH`.
/// Panics: as [`need`] does, when neither has it.
pub fn need_module(module: &str) -> Option<PathBuf> {
    let found = pythons().iter().find(|python| {
        let probe = format!(
            "import importlib.util as u; raise SystemExit(u.find_spec('test.{module}') is None)"
        );
        let output = Command::new(python).arg("-c").arg(probe).output();
        output.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        missing(&format!("the python module test.{module} (package libpython3.N-testsuite)"));
    }
    found.cloned()
}

/// The real programs behind the names `python3`: what is first on `PATH` may be a script that starts another.
fn pythons() -> &'static [PathBuf] {
    static PYTHONS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    PYTHONS.get_or_init(|| {
        ["/usr/bin/python3", "python3"]
            .iter()
            .filter_map(|name| {
                Command::new(name).args(["-c", "import sys; print(sys.executable)"]).output().ok()
            })
            .filter(|output| output.status.success())
            .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
            .collect()
    })
}
