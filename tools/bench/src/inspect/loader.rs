//! Asks the dynamic loader itself whether it would load a library into a program.
//!
//! glibc's loader has `--list`: it maps the program and all its libraries, prints them, and ends without running any
//! of their code. So the answer is the loader's own, with its search paths, versions and secure mode.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::environment;

/// Whether `loader` is that of glibc, by its name.
#[must_use]
pub fn is_glibc(loader: &Path) -> bool {
    let name = loader.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.starts_with("ld-linux") || name.starts_with("ld64.so") || name == "ld.so.1"
}

/// Whether `loader` would load `library` before anything else into `program`.
///
/// # Errors
///
/// What the loader said when it did not.
pub fn accepts(loader: &Path, program: &Path, library: &Path) -> Result<(), String> {
    let value = environment::preload(library, None).map_err(|e| e.to_string())?;
    let output = Command::new(loader)
        .arg("--list")
        .arg(program)
        .env(environment::PRELOAD, value)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {}: {e}", loader.display()))?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let library = library.to_string_lossy();
    if listed.lines().any(|l| l.split_whitespace().next() == Some(&*library)) {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().next().unwrap_or("the loader did not list it").to_owned();
    Err(line)
}
