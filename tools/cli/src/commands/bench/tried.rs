//! Whether a workload takes what the command line says, asked of the program of workloads before anything is measured.
//!
//! ```text
//! kernel-sweep:pages=bare  -a zsmalloc:chain=4      ─►   heapwright-workloads check kernel-sweep pages=bare
//!                                                        heapwright-workloads check kernel-sweep allocator=zsmalloc:chain=4
//! ```

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use bench::definition::Definition;
use bench::session::Subject;

use crate::exit::Usage;

/// Sees that a workload has these parameters, and the kernel's allocators among `subjects` what is set for them.
pub(super) fn with(
    program: &Path,
    definition: &Definition,
    parameters: &[String],
    subjects: &[Subject],
) -> anyhow::Result<()> {
    if parameters.iter().any(|p| p.starts_with("allocator=") || p.starts_with("tail=")) {
        bail!(Usage("allocators are chosen by -a; calls are timed unless --no-tails".to_owned()));
    }
    if !parameters.is_empty() {
        ask(program, definition, parameters)?;
    }
    let set = subjects.iter().filter(|s| !s.allocator.settings.is_empty());
    let words = set.filter_map(|s| s.allocator.word()).filter(|_| !definition.kernel.is_empty());
    for word in words {
        ask(program, definition, &[format!("allocator={word}")])?;
    }
    Ok(())
}

fn ask(program: &Path, definition: &Definition, words: &[String]) -> anyhow::Result<()> {
    let name = definition.workload.as_ref().unwrap_or(&definition.name);
    let checked = Command::new(program)
        .args(["check", name])
        .args(words)
        .output()
        .with_context(|| format!("cannot execute {}", program.display()))?;
    if !checked.status.success() {
        bail!(Usage(String::from_utf8_lossy(&checked.stderr).trim_end().to_owned()));
    }
    Ok(())
}
