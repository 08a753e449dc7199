//! A program with the recorder in front of its malloc, for commands that do with the recording what they are for.

mod attached;

use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context as _, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use launch::allocator::Allocator;
use launch::environment::{PRELOAD, variables};
use launch::inspect::{self, Inspection};
use launch::unpack::unpack;
use launch::{foreground, resolve};
use recording::{Porter, Process, Request, finish};

pub(crate) use attached::attach;

use crate::exit;
use crate::flags::allocator::MaybeAllocator;
use crate::flags::output::made;
use crate::flags::program::Program;
use crate::{allocators, embedded, traces};

/// Bytes between two stacks of a sample, if nothing else is asked for.
pub(crate) const INTERVAL: u64 = 512 << 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct To<'a> {
    pub(crate) output: Option<&'a PathBuf>,
    /// What the usual folder's name begins with.
    pub(crate) usual: &'a str,
    /// Into a folder that has files in it, and of a program whose malloc cannot be replaced.
    pub(crate) force: bool,
    /// What helps where that is so: a sentence, or nothing.
    pub(crate) instead: &'a str,
}

impl To<'_> {
    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        let folder = made(self.output, self.usual, self.force, "")?;
        folder.canonicalize().with_context(|| format!("{} is gone", folder.display()))
    }
}

/// Runs the program to its end with the recorder, asked for what `request` says of the folder and the allocator. The folder, and how the program
/// ended; signals are for this process then.
pub(crate) fn run(
    program: &Program,
    allocator: &MaybeAllocator,
    to: To<'_>,
    request: impl FnOnce(&Path, Option<&Allocator>) -> Request,
) -> anyhow::Result<(PathBuf, ExitStatus)> {
    let file = program.file()?;
    let allocator = allocator.allocator.as_ref();
    // 125 even where the name is wrong: 2 may be the program's own exit code.
    let allocator = allocator.map(allocators::find).transpose();
    let allocator = allocator.map_err(|error| anyhow!("{error:#}"))?;
    // What cannot be read may still be executed; then there is nothing to say.
    let inspection = inspect::program(&file, program.arguments()).ok();
    check(&file, inspection.as_ref(), to)?;
    let folder = to.folder()?;
    let mut command = Command::new(&file);
    command.args(program.arguments());
    if let Some(name) = program.command.first() {
        command.arg0(name);
    }
    let mut request = request(&folder, allocator.as_ref());
    request.porter = porter(&folder);
    let malloc = match &allocator {
        Some(allocator) => variables(allocator, &[], inspection.as_ref())?,
        None => Vec::new(),
    };
    let recorder = embedded::recorder().context("this heapwright has no recorder in it")?;
    let inherited = env::var_os(PRELOAD);
    command.envs(request.variables(&unpack(recorder)?, inherited.as_deref(), malloc)?);
    let status = foreground::run(&mut command, foreground::Killed::LeavesIt).map_err(|error| {
        // Only if it is empty: nothing was recorded.
        let _ = fs::remove_dir(&folder);
        resolve::Error::not_executed(&file, error)
    })?;
    foreground::let_go();
    Ok((folder, status))
}

fn check(file: &Path, inspection: Option<&Inspection>, to: To<'_>) -> anyhow::Result<()> {
    let Some((found, obstacle)) = inspection.and_then(|f| Some((f, f.obstacle()?))) else {
        return Ok(());
    };
    let target = found.program().unwrap_or(file).display();
    if to.force {
        exit::warn(&format!("{target} keeps its own malloc ({})", obstacle.text));
        return Ok(());
    }
    let (why, space) = (&obstacle.text, if to.instead.is_empty() { "" } else { " " });
    bail!("{target} cannot be recorded: {why}.{space}{} --force runs it all the same", to.instead);
}

/// Has files made in the folder for programs that are started as another user, until this command ends; the key for it. Without
/// one those are not recorded.
fn porter(folder: &Path) -> Option<String> {
    let porter = Porter::new(folder).ok()?;
    let key = porter.key().to_owned();
    porter.serve();
    Some(key)
}

/// Packs what a process has written to a file by now, into a folder, and it goes on. The trace.
pub(crate) fn snapshot(chunks: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    // A descriptor's name is that of its file.
    let named = fs::read_link(chunks).unwrap_or_else(|_| chunks.to_owned());
    let trace = folder.join(named.file_name().unwrap_or_default()).with_extension("trace");
    Ok(trace::pack(chunks, &trace, &mut |_| {}).map_err(traces::failed)?.path)
}

pub(crate) fn packed(folder: &Path, is_called_off: bool) -> anyhow::Result<Vec<Process>> {
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("  ▕{bar:24}▏ {percent:>3} %  {msg}") {
        bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
    }
    let processes = finish(folder, is_called_off, &mut |file, progress| {
        bar.set_length(progress.all);
        bar.set_position(progress.done);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        bar.set_message(format!("packing {}", show::text::visible(&name)));
    });
    bar.finish_and_clear();
    processes.with_context(|| format!("cannot read {}", folder.display()))
}

/// Reads the size of a file: `500m`, `4G`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 256 << 10;
    let bytes = some_bytes(text)?;
    if bytes < LEAST {
        return Err(format!("a recording takes {} KiB at least", LEAST >> 10));
    }
    Ok(bytes)
}

/// Reads a number of bytes, one at least: `500m`, `4G`, `65536`.
pub(crate) fn some_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a size; write it like 500m or 4g");
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches("ib").trim_end_matches('b');
    let (digits, shift) = match digits.as_bytes().last() {
        Some(b'k') => (&digits[..digits.len() - 1], 10),
        Some(b'm') => (&digits[..digits.len() - 1], 20),
        Some(b'g') => (&digits[..digits.len() - 1], 30),
        Some(b't') => (&digits[..digits.len() - 1], 40),
        _ => (digits, 0),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("1MiB"), Ok(1 << 20));
        assert_eq!(size("262144"), Ok(256 << 10));
        assert_eq!(some_bytes("64k"), Ok(64 << 10));
        assert!(some_bytes("0").is_err());
        for wrong in ["", "g", "4x", "-1m", "1.5g", "64k", "99999999999g"] {
            assert!(size(wrong).is_err(), "{wrong:?}");
        }
    }
}
