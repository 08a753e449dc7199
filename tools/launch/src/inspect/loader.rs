//! Asks the dynamic loader itself whether it would load a library into a program.
//!
//! glibc's loader has `--list`: it maps the program and all its libraries, prints them, and ends without running any
//! of their code. So the answer is the loader's own, with its search paths, versions and secure mode.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::environment;

pub fn is_glibc(loader: &Path) -> bool {
    let name = loader.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.starts_with("ld-linux") || name.starts_with("ld64.so") || name == "ld.so.1"
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It loads it before anything else.
    Accepts,
    Refuses(String),
    /// It did not get so far, for a reason that has nothing to do with the library.
    Unknown(String),
}

pub fn ask(loader: &Path, program: &Path, library: &Path) -> Answer {
    let value = match environment::preload(library, None) {
        Ok(value) => value,
        Err(error) => return Answer::Refuses(error.to_string()),
    };
    // What `$ORIGIN` means is decided by the real file, not by a link to it.
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let output = Command::new(loader)
        .arg("--list")
        .arg(program)
        .env(environment::PRELOAD, value)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            return Answer::Unknown(format!("cannot start {}: {error}", loader.display()));
        }
    };
    let library = library.to_string_lossy();
    let listed = String::from_utf8_lossy(&output.stdout);
    if listed.lines().any(|l| l.split_whitespace().next() == Some(&*library)) {
        return Answer::Accepts;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    match said.lines().find(|l| l.contains(&*library)) {
        Some(line) => Answer::Refuses(line.to_owned()),
        None if output.status.success() => Answer::Refuses("it is not among what is loaded".into()),
        None => Answer::Unknown(said.lines().next().unwrap_or("it says nothing").to_owned()),
    }
}
