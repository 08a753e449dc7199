//! `heapwright bench`: the same program under all allocators, compared.

mod progress;

use core::sync::atomic::AtomicBool;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use bench::allocator::{Allocator, GLIBC};
use bench::inspect::{self, Inspection, loader};
use bench::launch::{Job, Launcher};
use bench::machine::{Busyness, Machine};
use bench::probe;
use bench::report::Report;
use bench::session::{self, Role, Session, Stop, line_up};
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::run::variables;
use crate::flags::allocator::{AllocatorArg, SomeAllocators};
use crate::flags::measure::MeasureFlags;
use crate::flags::output::OutputFlags;
use crate::flags::program::Program;
use crate::flags::settings::SettingsFlags;
use crate::{allocators, exit, format, table};

const EXAMPLES: &str = "\
Examples:
  heapwright bench -- python3 -c 'import json; json.dumps(list(range(10**6)))'
  heapwright bench -a heapwright,glibc --time 3m -- ./program input.txt
  heapwright bench -a glibc -a mine=./libmine.so --rounds 20 -- ./program
  heapwright bench -o result.json -- ./program

Each round runs the program once on every allocator, in random order. glibc takes part twice: what it \
differs from itself by is noise. Memory is the peak of the largest process. Standard input is empty.

Exit codes: 0 all were measured; 3 some allocator failed, the others were measured; 125 the program fails \
on all of them; 126 it cannot be executed; 127 it was not found; 130 interrupted, what was measured is \
printed.";

/// Compare allocators on a program: time, processor time, peak memory, page faults
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    #[command(flatten)]
    allocators: SomeAllocators,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    measure: MeasureFlags,

    #[command(flatten)]
    output: OutputFlags,

    #[command(flatten)]
    program: Program,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.output.check()?;
        let file = self.program.file()?;
        let machine = Machine::describe();
        let before = Busyness::now();
        let mut warnings: Vec<String> = before.load_warning(machine.cores).into_iter().collect();
        let inspection = inspect::program(&file, self.program.arguments())
            .with_context(|| format!("cannot inspect {}", file.display()))?;
        warnings.extend(without_effect(&file, &inspection));
        let chosen = self.chosen(&inspection, &mut warnings)?;
        for warning in &warnings {
            exit::warn(warning);
        }
        let subjects = line_up(chosen);
        let environments = subjects
            .iter()
            .map(|s| variables(&s.allocator, &self.settings.settings))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let options = self.measure.options();
        let interrupted = catch_interrupts()?;
        let job = Job {
            file: &file,
            argv: &self.program.command,
            environment: &[],
            show_output: options.show_output,
            timeout: options.timeout,
            cpus: &[],
            sample: None,
            capture: false,
        };
        let mut progress = progress::Progress::new(&options);
        let launcher = Launcher::new(allocators::this_executable()?);
        let session = session::run(
            &launcher,
            &job,
            subjects,
            &environments,
            &options,
            &mut progress,
            &interrupted,
        )?;
        progress.finish();
        warnings.extend(Busyness::now().steal_warning(&before));
        if session.failures.iter().all(Option::is_some) {
            return Err(fails_everywhere(&session));
        }
        if session.stop == Stop::Interrupted && session.rounds == 0 {
            eprintln!("interrupted before anything was measured");
            return Ok(ExitCode::from(exit::INTERRUPTED));
        }
        let words = self.program.words();
        let report = Report::new(&session, words, &options, machine, warnings);
        self.output.write(&report)?;
        self.say_next(&report);
        Ok(ExitCode::from(match session.stop {
            Stop::Interrupted => exit::INTERRUPTED,
            _ if report.some_failed() => exit::SOME_FAILED,
            _ => 0,
        }))
    }

    /// The allocators to compare, each seen to work.
    fn chosen(
        &self,
        inspection: &Inspection,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Vec<Allocator>> {
        let asked = &self.allocators.allocators;
        let everything = asked.is_empty() || asked.contains(&AllocatorArg::Name("all".to_owned()));
        let mut chosen: Vec<Allocator> = if everything { allocators::all()? } else { Vec::new() };
        for arg in asked.iter().filter(|a| **a != AllocatorArg::Name("all".to_owned())) {
            let allocator = allocators::find(arg)?;
            match chosen.iter().find(|c| c.name == allocator.name) {
                Some(same) if *same == allocator || everything => {}
                Some(_) => bail!("two allocators are called {}", allocator.name),
                None => chosen.push(allocator),
            }
        }
        let mut working = Vec::new();
        for allocator in chosen {
            match works(allocator, inspection) {
                Ok(allocator) => working.push(allocator),
                Err(error) if everything && working.iter().any(|w: &Allocator| w.name == GLIBC) => {
                    warnings.push(format!("left out: {error:#}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(working)
    }

    /// The next useful command; beside a machine-readable result it goes to standard error.
    fn say_next(&self, report: &Report) {
        let program = format::shell(&report.command);
        let undecided = report
            .allocators
            .iter()
            .any(|e| e.role == Role::Contender && e.wall.is_some_and(|w| w.same));
        let winner = report.allocators.iter().find(|e| e.winner && e.role == Role::Contender);
        let next = match (winner, self.output.file()) {
            (Some(best), _) if !undecided => {
                let name = match &best.library {
                    Some(path) if self.is_by_path(&best.name) => {
                        format!("{}={}", best.name, path.display())
                    }
                    _ => best.name.clone(),
                };
                format!("heapwright run -a {name} -- {program}")
            }
            (_, None) => format!("heapwright bench --time 5m -o result.json -- {program}"),
            (_, Some(_)) => format!("heapwright bench --time 5m -- {program}"),
        };
        if let Some(file) = self.output.file() {
            eprintln!("wrote    {}", file.display());
        }
        if self.output.is_for_people() {
            println!("next     {next}");
        } else {
            eprintln!("next     {next}");
        }
    }

    fn is_by_path(&self, name: &str) -> bool {
        self.allocators
            .allocators
            .iter()
            .any(|a| matches!(a, AllocatorArg::Library { name: n, .. } if n == name))
    }
}

/// Sees that `allocator` becomes malloc in a small program, and that this program's loader takes it.
fn works(allocator: Allocator, program: &Inspection) -> anyhow::Result<Allocator> {
    let answer = match probe::ask(&allocators::this_executable()?, &allocator) {
        Ok(answer) => answer,
        // It will fail in the table, and that is a result.
        Err(probe::Error::Broken(..)) => return Ok(allocator),
        Err(error) => bail!("allocator {}: {error}", allocator.name),
    };
    let Some(library) = allocator.library() else {
        let file = answer.malloc.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !file.starts_with("libc.") && !file.starts_with("libc-") {
            bail!(
                "{} would not be measured: LD_PRELOAD is set, and malloc comes from {}",
                allocator.name,
                answer.malloc.display()
            );
        }
        return Ok(allocator);
    };
    if let (Some(loader), Some(target), true) =
        (&program.loader, program.program(), program.is_usable())
        && loader::is_glibc(loader)
        && let loader::Answer::Refuses(said) = loader::ask(loader, target, library)
    {
        bail!("{} does not load into {}: {said}", allocator.name, target.display());
    }
    let version = answer.version.or(allocator.version.clone());
    Ok(allocator.with_version(version))
}

fn without_effect(file: &Path, inspection: &Inspection) -> Option<String> {
    let obstacle = inspection.obstacle()?;
    let target = inspection.program().unwrap_or(file).display();
    Some(format!("{target}: {}; every row measures the same malloc", obstacle.text))
}

/// The first Ctrl-C ends the measurement, the second one this process.
fn catch_interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .context("cannot catch signals")?;
    }
    Ok(interrupted)
}

fn fails_everywhere(session: &Session) -> anyhow::Error {
    let Some(Some(failure)) = session.failures.get(session.baseline()) else {
        return anyhow::anyhow!("the program fails on every allocator");
    };
    let mut text = format!("the program fails on every allocator: {}", failure.how.words());
    for line in table::last_lines(&failure.stderr, 5) {
        text.push_str("\n  | ");
        text.push_str(line);
    }
    if matches!(failure.how, session::How::Ended(bench::launch::Exit::Code(_))) {
        text.push_str("\n  (if that is no failure: --ignore-failure)");
    }
    anyhow::anyhow!(text)
}
