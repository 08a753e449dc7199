//! `heapwright bench`: the same work under all allocators, compared.

pub(crate) mod allocators;
mod arceos;
mod failed;
pub(crate) mod interrupts;
mod kernel;
mod list;
pub(crate) mod measurement;
mod next;
mod program;
mod progress;
mod refused;
mod superslab;
mod tried;
pub(crate) mod words;
pub(crate) mod workloads;

use core::time::Duration;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use bench::fail_if::Rule;
use bench::machine::{Busyness, Machine};
use bench::measured::Launcher;
use bench::result::{Report, without_folders};
use bench::session::counted::{self, Tools};
use bench::session::{self, LEAST_ROUNDS, Stop, line_up};
use bench::workload::Workload;
use clap::Args;
use launch::allocator::HEAPWRIGHT;
use launch::environment::variables;
use launch::inspect::Inspection;
use tempfile::TempDir;

use self::allocators::Among;
use self::interrupts::Interrupts;
use self::measurement::{Measured, Measurement};
use self::words::Words;
use self::workloads::Chosen;
use crate::exit::Usage;
use crate::flags::allocator::SomeAllocators;
use crate::flags::measure::MeasureFlags;
use crate::flags::output::OutputFlags;
use crate::flags::program::LastProgram;
use crate::flags::serve::ServeFlags;
use crate::flags::settings::SettingsFlags;
use crate::flags::workload::{self, WorkloadArg};
use crate::{allocators as known, exit, format, out};

/// What starting and stopping a server takes beside its time.
const BESIDE: Duration = Duration::from_millis(500);

const EXAMPLES: &str = include_str!("bench/help.txt");

/// Compare allocators on workloads, or on a program of yours
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Workloads, with parameters after colons; or sets: standard, single, all, texts, arceos, community, ours, real, kernel [default: standard]
    #[arg(
        value_name = "WORKLOAD",
        conflicts_with = "command",
        value_parser = workload::WORDS,
        hide_possible_values = true
    )]
    workloads: Vec<WorkloadArg>,

    /// Show the workloads and the sets of them, and do nothing
    #[arg(long)]
    list: bool,

    #[command(flatten)]
    allocators: SomeAllocators,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    measure: MeasureFlags,

    #[command(flatten)]
    serve: ServeFlags,

    /// Exit with 1 if this holds, such as 'geomean>1.02' or 'larson.memory>1.1'; may be repeated. The ratio is heapwright's to
    /// the baseline, or with @NAME another allocator's. It holds when the whole interval is beyond the bound
    #[arg(long, value_name = "EXPRESSION", value_parser = bench::fail_if::parse)]
    fail_if: Vec<Rule>,

    /// Let the estimate decide about --fail-if, and not the nearer end of its interval
    #[arg(long, requires = "fail_if")]
    strict: bool,

    #[command(flatten)]
    output: OutputFlags,

    #[command(flatten)]
    program: LastProgram,

    /// Whether it is the experiment on superslabs, which has allocators of its own.
    #[arg(skip)]
    is_superslab: bool,
}

impl Bench {
    pub(crate) fn run(mut self) -> anyhow::Result<ExitCode> {
        if self.list {
            return list::print(&self.allocators, self.measure.region, &self.output);
        }
        outlive_readers();
        self.measure.region |= arceos::is_asked(&self.workloads);
        self.flags_are_of_use()?;
        let tools = self.tools()?;
        let machine = Machine::describe();
        let before = Busyness::now();
        let mut warnings: Vec<String> = match &tools {
            Some(_) => counted::fix_addresses().into_iter().collect(),
            None => before.load_warning(machine.cores).into_iter().collect(),
        };
        let inspection = self.inspection(&mut warnings)?;
        let input = self.input();
        self.workloads = kernel::words(self.workloads);
        self.is_superslab = superslab::is_asked(&self.workloads, &self.allocators.asked())?;
        if self.is_superslab {
            self.workloads = superslab::workloads();
            self.measure.usually(superslab::TIME, superslab::SCALE);
        }
        let subjects = self.subjects(inspection.as_ref(), &mut warnings)?;
        let interrupts = Interrupts::catch()?;
        // First of all: it may switch processors off, and the workloads are pinned to what is left.
        let guard = self.measure.rounds.prepare()?;
        let Chosen { mut workloads, scale, budget, left_out, folder: places } =
            self.workloads(&subjects, &mut warnings)?;
        if self.is_superslab {
            superslab::leave_out(&mut workloads, &subjects);
        }
        self.check_rules(&workloads, &subjects)?;
        let mut options = self.measure.options(workloads.len());
        options.budget = budget.or(options.budget);
        options.any_malloc = self.output.force;
        kernel::limit(&mut options, &workloads);
        arceos::limit(&mut options, &self.workloads);
        let command_line = command_line(&Words::of_this_command(), options.seed);
        let counted = match self.is_superslab {
            true => superslab::counted(&workloads, &subjects)?,
            false => Vec::new(),
        };
        let launcher = Launcher::new(known::this_executable()?).reading(input);
        let fixed = (tools.is_some() && self.program.is_absent()).then(counted::environment);
        let measurement = Measurement {
            what: "bench",
            output: &self.output,
            interrupts: &interrupts,
            launcher: launcher.within(fixed),
            options,
            command_line,
            workloads,
            subjects,
            tools,
            scale,
            pins: self.measure.rounds.pins(),
            left_out,
            temporary: places.as_ref().map(TempDir::path),
            machine,
            before,
            guard,
            warnings,
        };
        let Some(Measured { report, folder, broken }) = measurement.run()? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        if self.is_superslab && self.output.is_for_people() {
            out::print(&superslab::answers(&report, &counted))?;
        }
        let has_effect = inspection.as_ref().is_none_or(Inspection::is_usable);
        if let Some(next) = self.next(&report, folder.as_deref(), has_effect) {
            self.output.say_next(&next)?;
        }
        if let Some(why) = &broken {
            bail!("{why}; the result is what was measured before");
        }
        let crossed = self.crossed(&report);
        Ok(ExitCode::from(match report.stop {
            Stop::Interrupted => exit::INTERRUPTED,
            _ if crossed => exit::CROSSED,
            _ if report.some_failed() => exit::SOME_FAILED,
            _ => 0,
        }))
    }

    fn tools(&self) -> anyhow::Result<Option<Tools>> {
        match self.measure.counted {
            true => Tools::find().map(Some).map_err(|why| anyhow!(why)),
            false => Ok(None),
        }
    }

    fn subjects(
        &self,
        inspection: Option<&Inspection>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Vec<session::Subject>> {
        let asked = match self.is_superslab {
            true => superslab::allocators()?,
            false => self.allocators.asked(),
        };
        let among = self.among()?;
        let chosen = allocators::chosen(&asked, &among, inspection, warnings)?;
        let is_timed = !self.measure.counted;
        let mut subjects =
            line_up(chosen, is_timed && self.program.is_absent() && !self.is_superslab);
        self.settings_are_of_use(&subjects)?;
        for subject in &mut subjects {
            let settings = self.settings.of(&subject.allocator);
            subject.environment = variables(&subject.allocator, &settings, inspection)?;
        }
        Ok(subjects)
    }

    fn among(&self) -> anyhow::Result<Among> {
        if arceos::is_asked(&self.workloads) {
            return Ok(Among::Text);
        }
        if self.measure.region {
            return Ok(Among::Regions);
        }
        Ok(match workloads::kernels(&self.workloads)? {
            None => Among::Libraries,
            Some((kernels, true)) => Among::Alone(kernels),
            Some((kernels, false)) => Among::Kernels(kernels),
        })
    }

    fn workloads(
        &self,
        subjects: &[session::Subject],
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Chosen> {
        if let Some(file) = self.program.file()? {
            let argv = self.program.command.clone();
            let name = without_folders(&format::shell(&self.program.words()));
            let mut workload = Workload::own(name, file, argv);
            workload.service = self.serve.service();
            let mut budget = None;
            if workload.is_only_watched() {
                let each = workload.service.as_ref().map(|s| s.time).unwrap_or_default();
                workload.seconds = each.as_secs_f64();
                let rounds = self.measure.rounds.rounds.unwrap_or(LEAST_ROUNDS).min(LEAST_ROUNDS);
                let runs = (self.measure.rounds.warmup + rounds) * u32::try_from(subjects.len())?;
                let (time, short) = self.measure.at_least(each * runs + runs * BESIDE);
                warnings.extend(short);
                budget = time;
            }
            return Ok(Chosen::program(workload, budget));
        }
        if self.workloads.iter().any(|w| w.name.is_empty()) {
            bail!(Usage("'' is no workload; 'heapwright bench --list' shows them".to_owned()));
        }
        let wanted = workloads::Wanted {
            names: &self.workloads,
            subjects,
            scale: self.measure.scale().or(arceos::scale(&self.workloads)),
            as_short: self.measure.counted || arceos::is_asked(&self.workloads),
            counted: self.measure.counted,
            budget: &|workloads| match arceos::is_asked(&self.workloads) {
                true => self.measure.time_or(arceos::TIME),
                false => self.measure.budget(workloads),
            },
            rounds: self.measure.rounds.rounds,
            pin: self.measure.rounds.pins(),
        };
        let mut chosen = workloads::chosen(&wanted, warnings)?;
        self.keep_those_on_regions(&mut chosen.workloads, warnings)?;
        Ok(chosen)
    }

    /// Whether a `--fail-if` holds; says which.
    fn crossed(&self, report: &Report) -> bool {
        let ratios = report.ratios();
        let ours = report.allocators.iter().any(|entry| entry.name == HEAPWRIGHT);
        let mut crossed = false;
        for rule in &self.fail_if {
            let rule = rule.strict(self.strict);
            let verdict = rule.check(&ratios, ours);
            exit::say(&rule.sentence(&verdict));
            crossed |= verdict.is_failure();
        }
        crossed
    }
}

/// This command line, with the seed that was chosen.
fn command_line(words: &Words, seed: u64) -> Vec<String> {
    let seed = seed.to_string();
    if words.has("seed") { words.all(&[]) } else { words.all(&["--seed", &seed]) }
}

/// Whoever reads our output may go before the end: the folder and the exit code are worth as much. What is started has the
/// signal back at its default: the library that starts it sees to that.
pub(super) fn outlive_readers() {
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
