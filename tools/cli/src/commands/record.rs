//! `heapwright record`: runs the program with the recorder before its malloc, and packs what that wrote.

mod words;

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use launch::allocator::Allocator;
use launch::foreground;
use recording::{Children, Request, Stacks, recorded_on};

use crate::exit::{self, Usage};
use crate::flags::allocator::MaybeAllocator;
use crate::flags::program::Program;
use crate::flags::rounds::duration;
use crate::recorded::{self, To, size, some_bytes};

const EXAMPLES: &str = include_str!("record/help.txt");

/// Write down what a program asks of its malloc, to explain and to replay
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
pub(crate) enum Which {
    All,
    Exec,
    None,
}

impl Which {
    pub(crate) fn children(self) -> Children {
        match self {
            Self::All => Children::All,
            Self::Exec => Children::Exec,
            Self::None => Children::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhichStacks {
    Off,
    Sampled,
    All,
}

impl Record {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.interval_bytes.is_some() && self.stacks != WhichStacks::Sampled {
            bail!(Usage("--interval-bytes goes with --stacks sampled".into()));
        }
        if let Some(process) = self.pid {
            let request = |folder: &Path| self.request(folder, None);
            let folder = recorded::attach(process, self.time, self.to(), request)?;
            tell(&folder, true)?;
            return Ok(ExitCode::SUCCESS);
        }
        let request =
            |folder: &Path, allocator: Option<&Allocator>| self.request(folder, allocator);
        let (folder, status) = recorded::run(&self.program, &self.allocator, self.to(), request)?;
        // What goes wrong is said, and does not change how the program ended.
        if let Err(error) = tell(&folder, false) {
            exit::warn(&exit::said(&error));
        }
        Ok(foreground::end_as(status))
    }

    fn to(&self) -> To<'_> {
        To { output: self.output.as_ref(), usual: "record", force: self.force, instead: "" }
    }

    fn request(&self, folder: &Path, allocator: Option<&Allocator>) -> Request {
        Request {
            folder: folder.to_owned(),
            most: self.max_size,
            ring: self.ring,
            time: self.time,
            children: self.children.children(),
            stacks: match self.stacks {
                WhichStacks::Off => Stacks::Off,
                WhichStacks::Sampled => {
                    let interval = self.interval_bytes.unwrap_or(recorded::INTERVAL);
                    Stacks::Sampled { interval, seed: None }
                }
                WhichStacks::All => Stacks::All,
            },
            copy: false,
            name: allocator.map(|allocator| allocator.name.clone()),
            porter: None,
        }
    }
}

fn tell(folder: &Path, is_called_off: bool) -> anyhow::Result<()> {
    let processes = recorded::packed(folder, is_called_off)?;
    exit::say(words::words(&processes, &recorded_on(folder), folder).trim_end());
    Ok(())
}
