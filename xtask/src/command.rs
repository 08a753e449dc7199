//! The command `heapwright` of this checkout, for the chores that measure with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench::result::Report;

use crate::peers::{output, root, target_dir};

/// `given`, or what is built now.
pub(crate) fn heapwright(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "heapwright-cli"])
        .current_dir(root())
        .status()
        .map_err(|e| format!("cargo did not start: {e}"))?;
    if status.success() {
        Ok(target_dir().join("release/heapwright"))
    } else {
        Err("the command heapwright does not build".to_owned())
    }
}

/// The result of `heapwright bench` with these words.
pub(crate) fn bench(heapwright: &Path, words: &[String]) -> Result<Report, String> {
    let mut command = Command::new(heapwright);
    command.args(["bench", "--format", "json"]).args(words).env_remove("LD_PRELOAD");
    let text = output(command.stderr(Stdio::piped()))?;
    Report::from_json(&text).map_err(|e| format!("bench's result: {e}"))
}
