//! `heapwright profile`: a sample of what a program allocates, and where; as text, and as files for other tools.

mod files;
mod leaks;
mod moments;

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum, ValueHint};
use launch::allocator::Allocator;
use launch::foreground;
use profile::{Cost, Profile};
use recording::{Process, Request, Stacks, written_by};
use show::text::{visible, wrapped};
use trace::Trace;

use self::leaks::LeakFlags;
use self::moments::Moments;
use super::record::Which;
use crate::exit::{self, Usage};
use crate::flags::allocator::MaybeAllocator;
use crate::flags::program::Program;
use crate::flags::rounds::duration;
use crate::recorded::{self, INTERVAL, To, size, some_bytes};
use crate::{format, out, traces};

const EXAMPLES: &str = include_str!("profile/help.txt");

/// What helps a program that cannot be profiled from outside.
const INSTEAD: &str = "A Rust program profiles itself, also a static or set-uid one: heapwright::Profiled in docs/profiling.md.";

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

    /// Write a pprof file of what is live each time that so much has passed, such as 60s or 5m: while the program runs
    #[arg(long, value_name = "TIME", value_parser = duration)]
    every: Option<Duration>,

    /// What the table, the flame graph and the page begin with: peak, live, allocated or temporary; live is at the end
    #[arg(long, value_name = "COST", default_value = "peak", hide_possible_values = true)]
    by: By,

    /// Show as well how long the blocks of each place live: which share was freed within a millisecond, a second, a minute, or stays
    #[arg(long)]
    lifetimes: bool,

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

    /// Profile a process that 'heapwright run --armed' started, for a time or until Ctrl-C; or show the profile by now of one
    /// that is being profiled. It goes on
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "allocator", "children", "leak_check"])]
    pid: Option<u32>,

    /// Show a profile that is there: a trace, what heapwright::profile or heapwright/profile.h wrote, or a folder of them. Files are written
    /// with -o
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::AnyPath,
        conflicts_with_all = ["command", "allocator", "children", "leak_check", "pid", "time", "max_size", "interval_bytes"]
    )]
    of: Option<PathBuf>,

    /// What chance begins with, for the same sample again
    #[arg(long, value_name = "NUMBER", hide = true)]
    seed: Option<u64>,

    #[command(flatten)]
    program: Program,
}

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
        let (output, force) = (self.output.as_ref(), self.force);
        let to = To { output, usual: "profile", force, instead: INSTEAD };
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
        if let Some(path) = &self.of {
            self.show_of(path, to)?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(process) = self.pid {
            // Why it cannot be looked at is said below.
            if let Some(chunks) = written_by(process.cast_signed()) {
                self.show_by_now(process, &chunks, to)?;
                return Ok(ExitCode::SUCCESS);
            }
            let request = |folder: &Path| self.request(folder, None);
            let folder = recorded::attach(process, self.time, to, request)?;
            self.tell(&folder, true)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut moments = None;
        let request = |folder: &Path, allocator: Option<&Allocator>| {
            moments = self.every.and_then(|every| Moments::begin(folder, every));
            self.request(folder, allocator)
        };
        let (folder, status) = recorded::run(&self.program, &self.allocator, to, request)?;
        drop(moments);
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

    fn show_of(&self, path: &Path, to: To<'_>) -> anyhow::Result<()> {
        let folder = || self.output.is_some().then(|| to.folder()).transpose();
        let is_as_written = path.extension().is_some_and(|end| end == "chunks") && path.is_file();
        if !is_as_written {
            let trace = traces::open_any(path)?.path().to_owned();
            return self.show_one(trace, folder()?.as_deref());
        }
        let folder = folder()?;
        // It may still be written: what was packed of it before is old then.
        let elsewhere = tempfile::tempdir().context("cannot make a temporary folder")?;
        let packed_in = folder.as_deref().unwrap_or(elsewhere.path());
        self.show_one(recorded::snapshot(path, packed_in)?, folder.as_deref())
    }

    fn show_by_now(&self, process: u32, chunks: &Path, to: To<'_>) -> anyhow::Result<()> {
        if self.time.is_some() || self.interval_bytes.is_some() {
            bail!(Usage(format!(
                "process {process} is being profiled already, or has not noticed yet that this is over: --for and --interval-bytes do not go with that, and without them its profile by now is shown"
            )));
        }
        let folder = to.folder()?;
        self.show_one(recorded::snapshot(chunks, &folder)?, Some(&folder))
    }

    /// Shows a trace, which may be one that somebody recorded without call stacks.
    fn show_one(&self, path: PathBuf, folder: Option<&Path>) -> anyhow::Result<()> {
        let trace = Trace::open(&path).map_err(traces::failed)?;
        let has_none = trace.frames().map_err(traces::failed)?.is_empty();
        if has_none && !trace.about().is_sampled_only() {
            bail!(traces::no_stacks(&path));
        }
        self.show(&[path], folder, None).map(drop)
    }

    /// Packs the sample and shows it. Whether something leaked.
    fn tell(&self, folder: &Path, is_called_off: bool) -> anyhow::Result<bool> {
        let (mut failed, mut traces, mut is_written) = (None, Vec::new(), false);
        for process in recorded::packed(folder, is_called_off)? {
            match process {
                Process::Packed { packed, .. } => traces.push(packed.path),
                Process::Running { file } => {
                    is_written = true;
                    let words = ["heapwright", "profile", "--of", &file.to_string_lossy()];
                    exit::warn(&format!(
                        "{} is still written: its process runs. Its profile by now: {}",
                        file.display(),
                        format::shell(&words)
                    ));
                }
                Process::Failed { file, why } => {
                    failed = Some(anyhow!("{} stays as it is: {why}", file.display()));
                }
            }
        }
        if traces.is_empty() && failed.is_none() && !is_written {
            bail!("nothing was profiled: no process with the recorder called malloc");
        }
        self.show(&traces, Some(folder), failed)
    }

    /// Prints the first trace's profile, and writes the files of all to a folder. Whether something leaked. What could not be done before is
    /// said at the end.
    fn show(
        &self,
        traces: &[PathBuf],
        folder: Option<&Path>,
        mut failed: Option<anyhow::Error>,
    ) -> anyhow::Result<bool> {
        let width = show::text::width();
        let (mut has_leaked, mut others) = (false, Vec::new());
        for (number, path) in traces.iter().enumerate() {
            let every = self.every.map(moments::nanoseconds);
            let trace = Trace::open(path).map_err(traces::failed)?;
            let profile = profile::gather(&trace, every).map_err(traces::failed)?;
            if self.leak_check == LeakCheck::Live {
                has_leaked |= profile.all.of(Cost::Live).blocks > 0.0;
            }
            if number == 0 {
                // First of all: the disk may be full. Where it is this that cannot be written, the files may be.
                failed = failed.or(out::print(&self.words(&profile, width)).err());
            } else if profile.samples > 0 {
                others.push(format!("{} (process {})", short(&profile), profile.pid));
            }
            let Some(folder) = folder.filter(|_| profile.samples > 0) else { continue };
            // What cannot be written is said at the end, and the rest is.
            if let Err(error) = files::write(&profile, folder, path, self.by.cost()) {
                failed.get_or_insert(error);
            }
        }
        if let Some((first, more)) = others.split_first() {
            let more = match more.len() {
                0 => String::new(),
                1 => " and 1 more process".to_owned(),
                n => format!(" and {n} more processes"),
            };
            exit::say(&wrapped(&format!("also     {first}{more}"), 9, width));
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(folder) = folder.filter(|_| !traces.is_empty()) {
            exit::say(&format!("wrote    {}/", folder.display()));
        }
        Ok(has_leaked)
    }

    fn words(&self, profile: &Profile, width: Option<usize>) -> String {
        let mut text = profile::text(profile, self.by.cost(), width);
        if self.lifetimes {
            text += "\n";
            text += &profile::lifetimes(profile, width);
        }
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
