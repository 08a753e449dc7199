//! Which instructions a program executes between two breakpoints: `bench/programs/step.c` driven from here.

use crate::{files, programs};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many rounds of the loop one `pair` stretch holds, as `bench/programs/hitpath.c` has it.
pub(super) const ROUNDS: u32 = 100;

/// One executed instruction: the file it lies in and its offset there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) file: PathBuf,
    pub(super) offset: u64,
}

/// What ran between two breakpoints, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretch {
    /// The calling program, whose own instructions are not the allocator's.
    pub(super) program: PathBuf,
    pub(super) steps: Vec<Step>,
}

/// Every stretch of one entry point, or `None` when the library has no such entry point.
pub(super) fn stretches(
    library: Option<&Path>,
    entry: &str,
) -> Result<Option<Vec<Stretch>>, String> {
    let program = programs::build("hitpath")?;
    let program = program.canonicalize().map_err(files::said(&program))?;
    let preload = match library {
        Some(path) => path.canonicalize().map_err(files::said(path))?,
        None => PathBuf::from("-"),
    };
    let out = Command::new(programs::build("step")?)
        .arg(preload)
        .arg(&program)
        .arg(entry)
        .output()
        .map_err(|e| format!("step: {e}"))?;
    match out.status.code() {
        Some(0) => {}
        Some(5) => return Ok(None),
        _ => {
            let said = String::from_utf8_lossy(&out.stderr).trim().to_owned();
            return Err(format!("stepping through {entry} failed ({}): {said}", out.status));
        }
    }
    let mut all: Vec<Stretch> = Vec::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        if line == "stretch" {
            all.push(Stretch { program: program.clone(), steps: Vec::new() });
            continue;
        }
        let step = parse(line).ok_or_else(|| format!("step said {line:?}"))?;
        all.last_mut().ok_or("step began without a stretch")?.steps.push(step);
    }
    Ok(Some(all))
}

fn parse(line: &str) -> Option<Step> {
    let (file, offset) = line.rsplit_once(' ')?;
    Some(Step { file: PathBuf::from(file), offset: u64::from_str_radix(offset, 16).ok()? })
}
