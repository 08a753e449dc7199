//! Where programs and the project itself are on this machine.

use std::collections::HashSet;
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

/// Whether everything is tried, as `cargo xtask ci all` does, and not only what is no repetition in larger.
pub fn is_whole() -> bool {
    std::env::var_os("HEAPWRIGHT_WHOLE").is_some()
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
    let path = module.replace('.', "/");
    let files = [format!("{path}.py"), format!("{path}/__init__.py")];
    let found = pythons().iter().find(|(_, all)| files.iter().any(|file| all.contains(file)));
    if found.is_none() {
        missing(&format!("the python module test.{module} (package libpython3.N-testsuite)"));
    }
    found.map(|(python, _)| python.clone())
}

/// Says where it is, and names the files of its own tests.
const PYTHON: &str = "
import os, sys
print(sys.executable)
try:
    import test
except ImportError:
    sys.exit()
for top in test.__path__:
    for folder, _, files in os.walk(top):
        for file in files:
            print(os.path.relpath(os.path.join(folder, file), top))
";

/// The real programs behind the names `python3`: what is first on `PATH` may be a script that starts another. Each with the files of
/// its own tests.
fn pythons() -> &'static [(PathBuf, HashSet<String>)] {
    static PYTHONS: OnceLock<Vec<(PathBuf, HashSet<String>)>> = OnceLock::new();
    PYTHONS.get_or_init(|| {
        ["/usr/bin/python3", "python3"]
            .iter()
            .filter_map(|name| Command::new(name).args(["-c", PYTHON]).output().ok())
            .filter(|output| output.status.success())
            .filter_map(|output| {
                let said = String::from_utf8_lossy(&output.stdout);
                let mut lines = said.lines().map(str::to_owned);
                Some((lines.next()?.into(), lines.collect()))
            })
            .collect()
    })
}
