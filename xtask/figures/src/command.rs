//! The command `heapwright` of this checkout, and its bench.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench::result::Report;
pub(crate) use xtask::command::{cargo, each, ended, finish, must_be_a_malloc, workloads};

use crate::peers::target_dir;

/// The exit code of `heapwright bench` and of `heapwright replay` when an allocator failed.
const CONTENDER_FAILED: i32 = 3;

/// `given`, or what is built now.
pub(crate) fn heapwright(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    finish(cargo().args(["build", "--release", "--quiet", "--package", "heapwright-cli"]))?;
    Ok(target_dir().join("release/heapwright"))
}

/// The result of `heapwright bench` with these words; its progress and its complaints are shown.
pub(crate) fn bench(heapwright: &Path, words: &[String]) -> Result<Report, String> {
    measured(heapwright, "bench", words)
}

/// The same of this command.
pub(crate) fn measured(
    heapwright: &Path,
    what: &str,
    words: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<Report, String> {
    let mut command = Command::new(heapwright);
    command.args([what, "--format", "json"]).args(words).env_remove("LD_PRELOAD");
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.map_err(|e| format!("{} did not start: {e}", heapwright.display()))?;
    // A contender that failed somewhere is a result too: its cells are empty.
    if !(done.status.success() || done.status.code() == Some(CONTENDER_FAILED)) {
        return Err(format!("{} {what}: {}", heapwright.display(), done.status));
    }
    Report::from_json(&String::from_utf8_lossy(&done.stdout))
        .map_err(|e| format!("{what}'s result: it {e}"))
}
