//! What is expected stands in the files of `bench/golden`: `--check` and `--write`, and reading and writing them.

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

use crate::files;
use crate::peers::root;

#[derive(Debug, Default, Args)]
pub(crate) struct Expected {
    /// Fail when a figure is above the file's or above a bound; this is the default
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Record the figures in the file
    #[arg(long)]
    write: bool,
}

impl Expected {
    /// Whether the file is to be written and not compared with.
    pub(crate) fn is_written(&self) -> bool {
        self.write && !self.check
    }
}

/// A file of `bench/golden`; the default when it is not there.
pub(crate) fn read<T: DeserializeOwned + Default>(name: &str) -> Result<T, String> {
    let file = root().join("bench/golden").join(name);
    if !file.exists() {
        return Ok(T::default());
    }
    toml::from_str(&files::read(&file)?).map_err(|e| format!("{}: {e}", file.display()))
}

/// Why the files name compilers that are not the workspace's.
pub(crate) const COMPILER: &str = "# A compiler is the one that has the target's core library: where the toolchain at hand has none, Debian's, which may\n\
     # be another version than the workspace's (xtask/src/qemu/toolchain.rs).";

/// Writes one: `head`, which are comments, and the value. Gives its path.
pub(crate) fn write(name: &str, head: &str, value: &impl Serialize) -> Result<PathBuf, String> {
    let body = toml::to_string(value).map_err(|e| format!("{name}: {e}"))?;
    write_text(name, &format!("{head}\n{COMPILER}\n\n{body}"))
}

/// Says what is worse than it may be; whether nothing is.
pub(crate) fn told(complaints: &[String]) -> bool {
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    complaints.is_empty()
}

pub(crate) fn write_text(name: &str, text: &str) -> Result<PathBuf, String> {
    let file = root().join("bench/golden").join(name);
    files::write(&file, text)?;
    Ok(file)
}
