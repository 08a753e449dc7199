//! `heapwright replay`: a recorded program's allocations, done again on all allocators and compared.

mod kinds;
mod recorded;
mod room;
mod verify;

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use bench::machine::{self, Busyness, Machine};
use bench::measured::Launcher;
use bench::result::Replayed;
use bench::session::{Stop, Subject, line_up_beside};
use bench::workload::Workload;
use clap::{Args, ValueHint};
use launch::environment::variables;
use launch::unpack::unpack;
use replay::{Order, Plan, Planned};
use show::number::bytes;
use tempfile::TempDir;
use trace::Trace;

use self::kinds::{OrderArg, TouchArg};
use super::bench::allocators::{Among, chosen};
use super::bench::interrupts::Interrupts;
use super::bench::measurement::{Ended, Measured, Measurement};
use super::bench::outlive_readers;
use crate::exit::Usage;
use crate::flags::allocator::SomeAllocators;
use crate::flags::output::OutputFlags;
use crate::flags::rounds::RoundFlags;
use crate::{allocators as known, embedded, exit, traces};

/// The program that does a plan.
const PROGRAM: &str = "heapwright-replay";

/// More steps than this take a while to read, which is said.
const MANY: u64 = 10_000_000;

const EXAMPLES: &str = "\
Examples:
  heapwright replay server-4711.trace               on every allocator
  heapwright replay server-4711.trace -a glibc,heapwright,mimalloc --rounds 5
  heapwright replay server-4711.trace -a arena2=glibc:MALLOC_ARENA_MAX=2
  heapwright replay server-4711.trace --order timed with the program's pauses
  heapwright replay server-4711.trace --verify -a mine=./libmine.so
                                                    every block filled and checked

The allocator that the program was recorded on takes part always, and is what the others are compared with. Each run is a \
fresh process that makes the recorded calls, with a thread for each recorded one, and nothing else: time is that of the calls \
and of touching the memory, and memory is what the allocator takes for it. Large blocks are touched in each page, as most \
programs do; --touch says otherwise. Rounds, order and intervals are those of 'heapwright bench'.

Exit codes: 0 all were measured, or kept all blocks; 1 with --verify an allocator broke a block; 2 wrong usage, or a file \
that is no trace; 3 some allocator failed, the others were measured; 125 the trace cannot be read, it fails on all of them, or \
heapwright itself cannot go on; 130 interrupted, what was measured is printed and written.";

/// Do a recorded program's allocations again on all allocators: time, memory, single calls
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

    /// Which memory is touched: pages, recorded or none. Pages: a byte of each page, and the last byte; recorded: of blocks from
    /// 16 KiB as many pages as were resident when they were freed, where that is known
    #[arg(long, value_name = "WHAT", default_value = "pages", hide_possible_values = true)]
    touch: TouchArg,

    /// Fill every block and check that it keeps its contents, is aligned, and lies over no other; nothing is measured
    #[arg(long, conflicts_with_all = ["time", "rounds", "touch", "output", "prepare"])]
    verify: bool,

    #[command(flatten)]
    rounds: RoundFlags,

    #[command(flatten)]
    output: OutputFlags,
}

impl Replay {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        outlive_readers();
        let trace = traces::open(&self.trace)?;
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
        let Some(planned) = self.plan(&trace, &file, interrupts.came(), &mut warnings)? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        let launcher = Launcher::new(known::this_executable()?);
        let workload = self.workload(&trace, name, &planned, &file, &subjects)?;
        if self.verify {
            let locate = |thread, before| {
                replay::locate(&trace, self.order.order(), thread, before).ok().flatten()
            };
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
        let Measured { report, broken, .. } = match measurement.run()? {
            Ended::Measured(measured) => *measured,
            Ended::Interrupted => return Ok(ExitCode::from(exit::INTERRUPTED)),
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

    /// Who takes part: what was recorded on first, and all are compared with it.
    fn subjects(&self, trace: &Trace, warnings: &mut Vec<String>) -> anyhow::Result<Vec<Subject>> {
        let asked = self.allocators.asked();
        let mut all = chosen(&asked, &Among::Libraries, None, warnings)?;
        let malloc = &trace.about().malloc;
        let mut place = recorded::place(malloc, &all);
        if place.is_none() {
            match recorded::find(malloc) {
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

    /// Makes the plan; none if that was interrupted.
    fn plan(
        &self,
        trace: &Trace,
        file: &Path,
        came: &AtomicBool,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Option<Planned>> {
        let steps = trace.about().events;
        if steps > MANY {
            exit::say(&format!("reading {} million steps", steps / 1_000_000));
        }
        room::check(steps, file.parent().unwrap_or(file))?;
        let mut go_on = |_| match came.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let order = self.order.order();
        let plan = replay::plan(trace, file, order, &mut go_on).map_err(room::or_full)?;
        let Some(Plan { planned, cut }) = plan else {
            return Ok(None);
        };
        let name = self.trace.display();
        if planned.head.events == 0 {
            let why = cut.map_or(String::new(), |error| format!(": {error}"));
            bail!(Usage(format!("{name} has no calls of malloc to do again{why}")));
        }
        warnings.extend(cut.map(|error| format!("done again is what is before this: {error}")));
        warnings.extend(recorded::missing(trace, &planned));
        let there_is = machine::available();
        let needed = planned.head.peak_live.min(planned.head.most_touched.max(1));
        if needed > there_is {
            bail!(
                "{name} has {} live at its peak, and this machine has {} to spare",
                bytes(planned.head.peak_live as f64),
                bytes(there_is as f64)
            );
        }
        Ok(Some(planned))
    }

    fn workload(
        &self,
        trace: &Trace,
        name: String,
        planned: &Planned,
        file: &Path,
        subjects: &[Subject],
    ) -> anyhow::Result<Workload> {
        let program = unpack(embedded::program(PROGRAM).context("there is no program to replay")?)?;
        let head = &planned.head;
        let baseline = &subjects[0];
        let is_recorded = recorded::is(&trace.about().malloc, &baseline.allocator);
        let replayed = Replayed {
            name,
            trace: self.trace.to_string_lossy().into_owned(),
            command: trace.about().command.clone(),
            order: self.order.word().to_owned(),
            touch: self.touch.word().to_owned(),
            events: head.events,
            threads: planned.threads_at_once,
            peak_live: head.peak_live,
            peak_event: planned.peak_event,
            end_live: planned.end_live,
            recorded_seconds: planned.duration_ns as f64 / 1e9,
            on: is_recorded.then(|| baseline.name.clone()),
            recorded_peak: planned.recorded.mallocs(),
            own_mapped: planned.recorded.own_mapped,
            error: None,
        };
        let mut options = vec![format!("touch={}", self.touch.word())];
        if self.order.order() == Order::Timed {
            options.push("timed=1".to_owned());
        }
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

/// What the trace is called in tables: its file's name, or its folder's.
fn name(trace: &Path) -> String {
    let full = trace.canonicalize().unwrap_or_else(|_| trace.to_owned());
    full.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// This command line, with the seed that was chosen.
fn command_line(seed: u64) -> Vec<String> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    words.insert(0, "heapwright".to_owned());
    if !words.iter().any(|word| word == "--seed" || word.starts_with("--seed=")) {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words
}
