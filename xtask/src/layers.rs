//! `cargo xtask layers`: a crate depends only on the layers below it.
//!
//! ```text
//! tools                        std lives here
//! abi                          C and the drop-in library
//! heapwright                   the facade
//! malloc
//! compose
//! thread
//! block   object   handle      one level, side by side
//! page
//! source                       the only layer that names an operating system
//! base
//! ```
//!
//! Two passes, both of which name the file and the offence: [`graph`] judges the manifests, [`text`] the sources.
//! testkit, tests, model, fuzz and xtask stand outside the layers and may use all of them.

mod code;
mod graph;
mod text;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub(crate) fn run(args: &[String]) -> ExitCode {
    if let Some(extra) = args.first() {
        eprintln!("xtask layers: takes no arguments, got {extra:?}");
        return ExitCode::from(2);
    }
    match offences() {
        Ok(found) if found.is_empty() => {
            println!("layers: every crate keeps to its place");
            ExitCode::SUCCESS
        }
        Ok(found) => {
            for offence in &found {
                eprintln!("{offence}");
            }
            eprintln!(
                "layers: {} to mend; ARCHITECTURE.md has the order and its reasons",
                found.len()
            );
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("xtask layers: {why}");
            ExitCode::from(2)
        }
    }
}

fn offences() -> Result<Vec<String>, String> {
    let top = crate::paths::top();
    let packages = graph::parse(&metadata(&top)?)?;
    let mut found = graph::judge(&packages);
    let mut read = std::collections::BTreeSet::new();
    for package in &packages {
        // Sources that several packages share are read once.
        if package.place.is_library_layer() && read.insert(&package.root) {
            found.extend(text::judge(&top, package)?);
        }
    }
    Ok(found)
}

/// The workspace's manifests as cargo sees them; dependencies are not resolved, so nothing is fetched.
fn metadata(top: &Path) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(top)
        .output()
        .map_err(|e| format!("cargo metadata did not start: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("cargo metadata is not UTF-8: {e}"))
}
