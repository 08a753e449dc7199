//! `heapwright profile`: a sample of what a program allocates, and where; as text, and as files for other tools.

mod files;
mod leaks;

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use launch::allocator::Allocator;
use launch::foreground;
use profile::{Cost, Profile};
use recording::{Process, Request, Stacks};
use show::text::{visible, wrapped};
use trace::Trace;

use self::leaks::LeakFlags;
use super::record::Which;
use crate::exit::{self, Usage};
use crate::flags::allocator::MaybeAllocator;
use crate::flags::program::Program;
use crate::flags::rounds::duration;
use crate::recorded::{self, INTERVAL, To, size, some_bytes};
use crate::{format, out, traces};

const EXAMPLES: &str = "\
Examples:
  heapwright profile -- ./server --port 8080
  heapwright profile --by live -o prof -- python3 app.py
  heapwright profile --every 60s -a jemalloc -- ./server
  heapwright profile --leak-check reachable -- ./test  exit code 23 if something is lost
  heapwright profile --for 60s --pid 4711              of a program that 'heapwright run --armed' started
  heapwright compare old/server-12.pb.gz new/server-15.pb.gz

Of each process there are in the folder, under its name and number: .pb.gz (pprof; in use is what was live at the end), \
.peak.pb.gz (the same with what was live at the peak), .collapsed, .speedscope.json, .svg (a flame graph), .html (a page) and .trace \
(the sample itself, for 'heapwright export').

Exit codes: those of the program; 23 with --leak-check, if it ended well and something leaked; 125 heapwright itself failed, \
or a file cannot be written; 126 the program cannot be executed; 127 it was not found; 2 a wrong flag.";

/// Show where a program's memory comes from, at the cost of a few per cent
///
/// The program runs as it would: on its own malloc, or the one that -a names. Of every 512 KiB that it allocates, by chance, one
/// block is in the sample: its call stack, its size, and when it is freed. So every figure is an estimate, and has a margin: the true one
/// is no further off in 95 of 100 cases. What a place holds that has 100 MiB is known to 14 %.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProfileCommand {
    #[command(flatten)]
    allocator: MaybeAllocator,

    /// One block for so many allocated bytes, in the mean; 1 takes all of them
    #[arg(long, value_name = "SIZE", value_parser = some_bytes)]
    interval_bytes: Option<u64>,

    /// Write a pprof file of what is live each time that so much has passed, such as 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    every: Option<Duration>,

    /// What the table, the flame graph and the page begin with: peak, live, allocated or temporary; live is at the end
    #[arg(long, value_name = "COST", default_value = "peak", hide_possible_values = true)]
    by: By,

    /// Write to this folder [default: profile-DATE in the current one]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Write into a folder that has files in it, and run a program whose malloc cannot be replaced
    #[arg(short, long)]
    force: bool,

    /// Look for leaks when a process ends: off; reachable (blocks that nothing points to any more); or live (all that was never
    /// freed). Every block is recorded for it, with its call stack
    #[arg(long, value_name = "WHICH", default_value = "off", hide_possible_values = true)]
    leak_check: LeakCheck,

    #[command(flatten)]
    leaks: LeakFlags,

    /// Profile for this time, such as 60s or 5m; then the program goes on
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// The most that a process's file may take while it is written, such as 500m or 4g; then the profile ends, and the program
    /// goes on
    #[arg(long, value_name = "SIZE", default_value = "4g", value_parser = size)]
    max_size: u64,

    /// Which of the program's children are profiled: all, none, or exec (those that become another program)
    #[arg(long, value_name = "WHICH", default_value = "all", hide_possible_values = true)]
    children: Which,

    /// Profile a process that 'heapwright run --armed' started, for a time or until Ctrl-C; it goes on
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "allocator", "children", "leak_check"])]
    pid: Option<u32>,

    /// What chance begins with, for the same sample again
    #[arg(long, value_name = "NUMBER", hide = true)]
    seed: Option<u64>,

    #[command(flatten)]
    program: Program,
}

/// A cost, as a flag names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Peak,
    Live,
    Allocated,
    Temporary,
}

impl By {
    pub(crate) fn cost(self) -> Cost {
        match self {
            Self::Peak => Cost::Peak,
            Self::Live => Cost::Live,
            Self::Allocated => Cost::Allocated,
            Self::Temporary => Cost::Temporary,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LeakCheck {
    Off,
    Reachable,
    Live,
}

impl ProfileCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let to = To { output: self.output.as_ref(), usual: "profile", force: self.force };
        if self.every.is_some_and(|every| every < Duration::from_millis(1)) {
            bail!(Usage("--every is a millisecond at least".into()));
        }
        let is_by_reach = self.leak_check == LeakCheck::Reachable;
        let of_a_sample = self.interval_bytes.is_some() || self.every.is_some();
        if is_by_reach && (of_a_sample || self.time.is_some()) {
            let why = "--leak-check reachable looks at every block when the program ends: --interval-bytes, --every and --for do not go with it";
            bail!(Usage(why.into()));
        }
        if self.leaks.suppressions.is_some() && !is_by_reach {
            bail!(Usage("--suppressions goes with --leak-check reachable".into()));
        }
        let known = self.leaks.suppressions()?;
        if let Some(process) = self.pid {
            let request = |folder: &Path| self.request(folder, None);
            let folder = recorded::attach(process, self.time, to, request)?;
            self.tell(&folder, true)?;
            return Ok(ExitCode::SUCCESS);
        }
        let request =
            |folder: &Path, allocator: Option<&Allocator>| self.request(folder, allocator);
        let (folder, status) = recorded::run(&self.program, &self.allocator, to, request)?;
        let has_leaked = match self.leak_check {
            LeakCheck::Reachable => leaks::tell(&folder, &known)?,
            LeakCheck::Off | LeakCheck::Live => self.tell(&folder, false)?,
        };
        if status.success() && has_leaked {
            return Ok(ExitCode::from(self.leaks.leak_exit_code));
        }
        Ok(foreground::end_as(status))
    }

    fn request(&self, folder: &Path, allocator: Option<&Allocator>) -> Request {
        let sample =
            || Stacks::Only { interval: self.interval_bytes.unwrap_or(INTERVAL), seed: self.seed };
        Request {
            folder: folder.to_owned(),
            most: self.max_size,
            ring: false,
            time: self.time,
            children: self.children.children(),
            // A leak that no point of the sample hit would be none.
            stacks: match (self.leak_check, self.interval_bytes) {
                (LeakCheck::Live, None) | (LeakCheck::Reachable, _) => Stacks::All,
                _ => sample(),
            },
            copy: self.leak_check == LeakCheck::Reachable,
            name: allocator.map(|allocator| allocator.name.clone()),
            porter: None,
        }
    }

    /// Packs the sample, prints the largest process's profile, and writes the files of all. Whether something leaked.
    fn tell(&self, folder: &Path, is_called_off: bool) -> anyhow::Result<bool> {
        let width = show::text::width();
        let (mut has_leaked, mut failed, mut others) = (false, None, Vec::new());
        let mut is_told = false;
        for process in recorded::packed(folder, is_called_off)? {
            let path = match process {
                Process::Packed { packed, .. } => packed.path,
                Process::Running { file } => {
                    exit::warn(&format!("{} is still written: its process runs", file.display()));
                    continue;
                }
                Process::Failed { file, why } => {
                    failed = Some(anyhow::anyhow!("{} stays as it is: {why}", file.display()));
                    continue;
                }
            };
            let every = self.every.map(|every| u64::try_from(every.as_nanos()).unwrap_or(u64::MAX));
            let trace = Trace::open(&path).map_err(traces::failed)?;
            let profile = profile::gather(&trace, every).map_err(traces::failed)?;
            if self.leak_check == LeakCheck::Live {
                has_leaked |= profile.all.of(Cost::Live).blocks > 0.0;
            }
            if !is_told {
                is_told = true;
                // First of all: the disk may be full.
                out::print(&self.words(&profile, width))?;
            } else if profile.samples > 0 {
                others.push(format!("{} (process {})", short(&profile), profile.pid));
            }
            if profile.samples == 0 {
                continue;
            }
            // What cannot be written is said at the end, and the rest is.
            if let Err(error) = files::write(&profile, folder, &path, self.by.cost()) {
                failed.get_or_insert(error);
            }
        }
        if !is_told && failed.is_none() {
            bail!("nothing was profiled: no process with the recorder called malloc");
        }
        if let Some((first, more)) = others.split_first() {
            let line = match more.len() {
                0 => format!("also     {first}"),
                n => format!(
                    "also     {first} and {}",
                    if n == 1 {
                        "1 more process".to_owned()
                    } else {
                        format!("{n} more processes")
                    }
                ),
            };
            exit::say(&wrapped(&line, 9, width));
        }
        if let Some(error) = failed {
            return Err(error);
        }
        exit::say(&format!("wrote    {}/", folder.display()));
        Ok(has_leaked)
    }

    fn words(&self, profile: &Profile, width: Option<usize>) -> String {
        let mut text = profile::text(profile, self.by.cost(), width);
        if self.leak_check == LeakCheck::Live {
            text += "\n";
            text += &profile::leaks(profile, width);
        }
        format::visible(&text).into_owned()
    }
}

/// The program's name without its path and arguments.
fn short(profile: &Profile) -> String {
    let program = profile.command.split(' ').next().unwrap_or_default();
    visible(program.rsplit('/').next().unwrap_or_default()).into_owned()
}
