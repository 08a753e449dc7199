//! `heapwright replay`: a recorded program's allocations, done again on all allocators and compared.

mod kinds;
pub(super) mod planned;
mod pool;
mod recorded;
mod room;
mod verify;

use core::time::Duration;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use bench::machine::{Busyness, Machine};
use bench::measured::Launcher;
use bench::result::Replayed;
use bench::session::{Stop, Subject, line_up_beside};
use bench::workload::Workload;
use clap::{Args, ValueHint};
use launch::environment::variables;
use replay::{Order, Planned, Recorded};
use tempfile::TempDir;
use trace::Trace;

use self::kinds::{OrderArg, TouchArg, word};
use super::bench::allocators::{Among, chosen};
use super::bench::interrupts::Interrupts;
use super::bench::measurement::{Measured, Measurement};
use super::bench::outlive_readers;
use crate::exit::Usage;
use crate::flags::allocator::SomeAllocators;
use crate::flags::output::OutputFlags;
use crate::flags::rounds::{RoundFlags, duration};
use crate::{allocators as known, exit, traces};

const POINTS: usize = 400;

const EXAMPLES: &str = include_str!("replay/help.txt");

/// Do a recorded program's allocations again, on all allocators
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Replay {
    /// A trace that 'heapwright record' made, or the folder with it
    #[arg(value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: PathBuf,

    #[command(flatten)]
    allocators: SomeAllocators,

    /// In which order calls are made: causal, serial or timed. Causal: threads as recorded, what depends on each other in the
    /// recorded order; serial: by one thread; timed: causal, with the recorded pauses
    #[arg(long, value_name = "ORDER", default_value = "causal", hide_possible_values = true)]
    order: OrderArg,

    /// Which memory is touched: recorded, pages or none. Pages: a byte of each page, and the last byte; recorded: of blocks from
    /// 16 KiB only as many pages as the program touched, as far as the recorder saw it
    #[arg(long, value_name = "WHAT", default_value = "recorded", hide_possible_values = true)]
    touch: TouchArg,

    /// A mark of this name begins a period, such as an audio callback: what all calls of a period take together is counted, and how
    /// many periods missed the deadline
    #[arg(long, value_name = "NAME", default_value = "audio", hide_short_help = true)]
    mark: String,

    /// How long the calls of a period may take [default: as long as a period was when it was recorded]
    #[arg(long, value_name = "TIME", value_parser = duration, hide_short_help = true)]
    deadline: Option<Duration>,

    /// Fill every block and check that it keeps its contents, is aligned, and lies over no other; nothing is measured
    #[arg(long, conflicts_with_all = ["time", "rounds", "touch", "output", "prepare", "mark", "deadline"])]
    verify: bool,

    /// For firmware: how large a pool each block allocator needs for these calls, tried without an operating system under it; -a
    /// chooses among tlsf, half-fit, first-fit, next-fit, best-fit, worst-fit, buddy, slab and sharded
    #[arg(long, conflicts_with_all = ["verify", "order", "time", "rounds", "touch", "output", "format", "no_files", "prepare", "mark", "deadline"])]
    pool: bool,

    #[command(flatten)]
    rounds: RoundFlags,

    #[command(flatten)]
    output: OutputFlags,
}

impl Replay {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        outlive_readers();
        let trace = traces::open(&self.trace)?;
        if self.pool {
            let interrupts = Interrupts::catch()?;
            return pool::all((&self.trace, &trace), &self.allocators.asked(), interrupts.came());
        }
        let machine = Machine::describe();
        let before = Busyness::now();
        let mut warnings: Vec<String> = before.load_warning(machine.cores).into_iter().collect();
        let subjects = self.subjects(&trace, &mut warnings)?;
        let interrupts = Interrupts::catch()?;
        let guard = self.rounds.prepare()?;
        let folder = TempDir::with_prefix("heapwright-replay-").with_context(|| {
            let place = env::temp_dir();
            format!("cannot make a folder in {}; TMPDIR names another one", place.display())
        })?;
        interrupts.remove(Some(folder.path()), None);
        let name = name(&self.trace);
        let file = folder.path().join(format!("{name}.plan"));
        let (order, came) = (self.order.order(), interrupts.came());
        let named = (&*self.trace, &trace);
        // Which word a block is found at does not depend on marks.
        let mark = (!self.verify).then_some(&*self.mark);
        let how = (order, mark);
        let Some(planned) = planned::planned(named, how, &file, came, &mut warnings)? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        self.has_periods(&planned)?;
        let launcher = Launcher::new(known::this_executable()?);
        let workload = self.workload(&trace, name, &planned, &file, &subjects)?;
        if self.verify {
            let locate = |word| replay::locate(&trace, order, word).ok().flatten();
            return verify::all(&launcher, &workload, &subjects, &locate, interrupts.came());
        }
        let mut options = self.rounds.options(1);
        options.any_malloc = self.output.force;
        let measurement = Measurement {
            what: "replay",
            output: &self.output,
            interrupts: &interrupts,
            launcher,
            command_line: command_line(options.seed),
            options,
            workloads: vec![workload],
            subjects,
            tools: None,
            scale: 1.0,
            pins: self.rounds.pins(),
            left_out: Vec::new(),
            temporary: Some(folder.path()),
            machine,
            before,
            guard,
            warnings,
        };
        let Some(Measured { report, broken, .. }) = measurement.run()? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        self.output.say_next(&traces::command("explain", &self.trace))?;
        if let Some(why) = broken {
            bail!("{why}; the result is what was measured before");
        }
        Ok(ExitCode::from(match report.stop {
            Stop::Interrupted => exit::INTERRUPTED,
            _ if report.some_failed() => exit::SOME_FAILED,
            _ => 0,
        }))
    }

    /// Refuses a deadline for periods that there are not.
    fn has_periods(&self, planned: &Planned) -> anyhow::Result<()> {
        if self.verify || planned.period_ns.is_some() || self.deadline.is_none() {
            return Ok(());
        }
        let others = match &planned.other_marks[..] {
            [] => {
                "the trace has no other marks; a program makes them by heapwright_mark()".to_owned()
            }
            others => format!("marks in the trace: {}", others.join(", ")),
        };
        bail!(Usage(format!("--deadline needs two marks '{}' of one thread; {others}", self.mark)))
    }

    /// Who takes part: what was recorded on first, and all are compared with it.
    fn subjects(&self, trace: &Trace, warnings: &mut Vec<String>) -> anyhow::Result<Vec<Subject>> {
        let asked = self.allocators.asked();
        let mut all = chosen(&asked, &Among::Libraries, None, warnings)?;
        let about = trace.about();
        let mut place = recorded::place(about, &all);
        if place.is_none() {
            match recorded::find(about) {
                Ok(allocator) => {
                    all.insert(0, allocator);
                    place = Some(0);
                }
                Err(why) => warnings.push(why),
            }
        }
        if let Some(recorded) = place {
            all[..=recorded].rotate_right(1);
        }
        let mut subjects = line_up_beside(0, all, !self.verify);
        for subject in &mut subjects {
            subject.environment = variables(&subject.allocator, &[], None)?;
        }
        Ok(subjects)
    }

    fn workload(
        &self,
        trace: &Trace,
        name: String,
        planned: &Planned,
        file: &Path,
        subjects: &[Subject],
    ) -> anyhow::Result<Workload> {
        let program = planned::program()?;
        let (head, recorded) = (&planned.head, &planned.recorded);
        let baseline = &subjects[0];
        let is_recorded = self::recorded::is(trace.about(), &baseline.allocator);
        let begins_late = trace.about().lacks_what_was_before();
        let mallocs = recorded.mallocs().filter(|_| !begins_late);
        let replayed = Replayed {
            name,
            trace: self.trace.to_string_lossy().into_owned(),
            command: trace.about().command.clone(),
            order: word(&self.order),
            touch: word(&self.touch),
            events: head.events,
            threads: planned.threads_at_once,
            peak_live: head.peak_live,
            peak_event: planned.peak_event,
            end_live: planned.end_live,
            recorded_seconds: planned.duration_ns as f64 / 1e9,
            on: is_recorded.then(|| baseline.name.clone()),
            recorded_peak: mallocs,
            begins_late,
            recorded_mean: mallocs.map(|_| recorded.mean()),
            recorded_end: mallocs.map(|_| recorded.end),
            recorded_points: mallocs.map_or_else(Vec::new, |_| points(recorded)),
            paused_seconds: planned.paused_ns as f64 / 1e9,
            own_mapped: recorded.own_mapped(),
            error: None,
        };
        let mut options = vec![format!("touch={}", word(&self.touch))];
        if self.order.order() == Order::Timed {
            options.push("timed=1".to_owned());
        }
        let deadline = self.deadline.map(|time| time.as_nanos());
        let limit = deadline.or(planned.period_ns.map(u128::from));
        options.extend(limit.map(|ns| format!("limit={ns}")));
        let mut workload = Workload::replay(replayed, program, file, &options);
        if self.order.order() == Order::Timed {
            workload.seconds += planned.duration_ns as f64 / 1e9;
        }
        if !self.rounds.pins() {
            workload.cpus.clear();
        }
        Ok(workload)
    }
}

/// The recorded curve, of not more points than a replay's has.
fn points(recorded: &Recorded) -> Vec<(f64, f64)> {
    let all: Vec<(f64, f64)> =
        recorded.points.iter().map(|&(calls, bytes)| (calls as f64, bytes as f64)).collect();
    ::show::thin(&all, POINTS)
}

/// What the trace is called in tables: its file's name, or its folder's.
fn name(trace: &Path) -> String {
    let full = trace.canonicalize().unwrap_or_else(|_| trace.to_owned());
    full.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// This command line, with the seed that was chosen.
fn command_line(seed: u64) -> Vec<String> {
    let words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<String> = words.collect();
    words.insert(0, "heapwright".to_owned());
    if !words.iter().any(|word| word == "--seed" || word.starts_with("--seed=")) {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words
}
