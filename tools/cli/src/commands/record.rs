//! `heapwright record`: runs the program with the recorder before its malloc, and packs what that wrote.

mod attached;
mod words;

use core::time::Duration;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum, ValueHint};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use launch::allocator::Allocator;
use launch::environment::{PRELOAD, variables};
use launch::inspect::{self, Inspection};
use launch::unpack::unpack;
use launch::{foreground, resolve};
use recording::{Children, Porter, Process, Request, Stacks, finish, recorded_on};

use crate::exit::Usage;
use crate::flags::allocator::MaybeAllocator;
use crate::flags::output::{try_to_write, unused};
use crate::flags::program::Program;
use crate::flags::rounds::duration;
use crate::{allocators, embedded, exit};

const EXAMPLES: &str = "\
Examples:
  heapwright record -- ./server --port 8080
  heapwright record -o trace -a jemalloc -- python3 app.py
  heapwright record --ring --max-size 1g -- ./server
  heapwright record --for 60s --children none -- ./server
  heapwright record --stacks sampled -- ./server     where the memory comes from, too
  heapwright record --for 60s --pid 4711             of a program that 'heapwright run --armed' started

Exit codes: those of the program; 125 heapwright itself failed, or the program cannot be recorded; 126 the program \
cannot be executed; 127 it was not found; 2 a wrong flag.";

/// Write down what a program asks of its malloc, to replay it on others and to explain its memory
///
/// The program runs as it would: on its own malloc, or the one that -a names. Every call of malloc, free and their like, of each
/// thread and with its time, goes to a file, for each process one; when the program has ended they are packed. That takes
/// some 20 nanoseconds and 4 bytes a call, 64 KiB of memory a thread, and nothing is lost if the program is killed.
///
/// A program may say where it is: heapwright_mark("request"), see heapwright/mark.h.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Record {
    #[command(flatten)]
    allocator: MaybeAllocator,

    /// Write to this folder [default: record-DATE in the current one]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Record into a folder that has files in it, and a program whose malloc cannot be replaced
    #[arg(short, long)]
    force: bool,

    /// The most that a process's file may take while it is written, such as 500m or 4g; then the recording ends, and the program
    /// goes on
    #[arg(long, value_name = "SIZE", default_value = "4g", value_parser = size)]
    max_size: u64,

    /// Keep the last events instead of the first when the file is as large as it may be
    #[arg(long)]
    ring: bool,

    /// Record for this time, such as 60s or 5m; then the program goes on
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// Which of the program's children are recorded: all, none, or exec (those that become another program)
    #[arg(long, value_name = "WHICH", default_value = "all", hide_possible_values = true)]
    children: Which,

    /// Record the call stacks of allocations: off; sampled (of some, chosen by chance so that sums can be told, at about the cost of
    /// off); or all (up to some 100 nanoseconds more a call)
    #[arg(long, value_name = "WHICH", default_value = "off", hide_possible_values = true)]
    stacks: WhichStacks,

    /// With --stacks sampled: one stack for so many allocated bytes, in the mean [default: 512k]
    #[arg(long, value_name = "SIZE", value_parser = some_bytes)]
    interval_bytes: Option<u64>,

    /// Record a process that 'heapwright run --armed' started, for a time or until Ctrl-C; it goes on
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "allocator", "children"])]
    pid: Option<u32>,

    #[command(flatten)]
    program: Program,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    All,
    Exec,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhichStacks {
    Off,
    Sampled,
    All,
}

/// Bytes between two stacks of a sample, if nothing else is asked for.
const INTERVAL: u64 = 512 << 10;

impl Record {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.interval_bytes.is_some() && self.stacks != WhichStacks::Sampled {
            bail!(Usage("--interval-bytes goes with --stacks sampled".into()));
        }
        if let Some(process) = self.pid {
            return self.attach(process);
        }
        let file = self.program.file()?;
        let allocator = self.allocator.allocator.as_ref();
        // 125 even where the name is wrong: 2 may be the program's own exit code.
        let allocator = allocator.map(allocators::find).transpose();
        let allocator = allocator.map_err(|error| anyhow!("{error:#}"))?;
        // What cannot be read may still be executed; then there is nothing to say.
        let inspection = inspect::program(&file, self.program.arguments()).ok();
        self.check(&file, inspection.as_ref())?;
        let folder = self.folder()?;
        let mut command = Command::new(&file);
        command.args(self.program.arguments());
        if let Some(name) = self.program.command.first() {
            command.arg0(name);
        }
        let request = self.request(&folder, allocator.as_ref(), porter(&folder));
        let malloc = match &allocator {
            Some(allocator) => variables(allocator, &[], inspection.as_ref())?,
            None => Vec::new(),
        };
        let recorder = embedded::recorder().context("this heapwright has no recorder in it")?;
        let inherited = env::var_os(PRELOAD);
        command.envs(request.variables(&unpack(recorder)?, inherited.as_deref(), malloc)?);
        let status =
            foreground::run(&mut command, foreground::Killed::LeavesIt).map_err(|error| {
                // Only if it is empty: nothing was recorded.
                let _ = fs::remove_dir(&folder);
                resolve::Error::not_executed(&file, error)
            })?;
        foreground::let_go();
        // What goes wrong is said, and does not change how the program ended.
        if let Err(error) = tell(&folder, false) {
            exit::warn(&format!("{error:#}"));
        }
        Ok(foreground::end_as(status))
    }

    /// Refuses a program of which nothing would be recorded.
    fn check(&self, file: &Path, inspection: Option<&Inspection>) -> anyhow::Result<()> {
        let Some((found, obstacle)) = inspection.and_then(|f| Some((f, f.obstacle()?))) else {
            return Ok(());
        };
        let target = found.program().unwrap_or(file).display();
        if self.force {
            exit::warn(&format!("{target} keeps its own malloc ({})", obstacle.text));
            return Ok(());
        }
        bail!("{target} cannot be recorded: {}. --force runs it all the same", obstacle.text);
    }

    /// The folder to write, made now, so that what is wrong with it is said before the program runs.
    fn folder(&self) -> anyhow::Result<PathBuf> {
        let now = Timestamp::now().to_zoned(TimeZone::system());
        let usual = || unused(&format!("record-{}", now.strftime("%Y-%m-%dT%H%M%S")));
        let folder = self.output.clone().unwrap_or_else(usual);
        if folder.exists() && !folder.is_dir() {
            bail!(Usage(format!("{} is no folder", folder.display())));
        }
        let has_files = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
        if has_files && !self.force {
            bail!(Usage(format!("{} has files in it; --force records there", folder.display())));
        }
        let why = || format!("nothing can be written to {}; -o names another", folder.display());
        try_to_write(&folder).with_context(why)?;
        folder.canonicalize().with_context(why)
    }

    fn request(
        &self,
        folder: &Path,
        allocator: Option<&Allocator>,
        porter: Option<String>,
    ) -> Request {
        Request {
            folder: folder.to_owned(),
            most: self.max_size,
            ring: self.ring,
            time: self.time,
            children: match self.children {
                Which::All => Children::All,
                Which::Exec => Children::Exec,
                Which::None => Children::None,
            },
            stacks: match self.stacks {
                WhichStacks::Off => Stacks::Off,
                WhichStacks::Sampled => {
                    let interval = self.interval_bytes.unwrap_or(INTERVAL);
                    Stacks::Sampled { interval, seed: None }
                }
                WhichStacks::All => Stacks::All,
            },
            copy: false,
            name: allocator.map(|allocator| allocator.name.clone()),
            porter,
        }
    }
}

/// Has files made in the folder for programs that are started as another user, until this command ends; the key for it. Without
/// one those are not recorded.
fn porter(folder: &Path) -> Option<String> {
    let porter = Porter::new(folder).ok()?;
    let key = porter.key().to_owned();
    porter.serve();
    Some(key)
}

/// Packs what was recorded, and says what that is.
fn tell(folder: &Path, is_called_off: bool) -> anyhow::Result<()> {
    let processes = packed(folder, is_called_off)?;
    exit::say(words::words(&processes, &recorded_on(folder), folder).trim_end());
    Ok(())
}

fn packed(folder: &Path, is_called_off: bool) -> anyhow::Result<Vec<Process>> {
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
fn size(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 256 << 10;
    let bytes = some_bytes(text)?;
    if bytes < LEAST {
        return Err(format!("a recording takes {} KiB at least", LEAST >> 10));
    }
    Ok(bytes)
}

/// Reads a number of bytes, one at least: `500m`, `4G`, `65536`.
fn some_bytes(text: &str) -> Result<u64, String> {
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
