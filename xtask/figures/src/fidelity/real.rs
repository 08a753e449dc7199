//! The programs as they are, on each allocator: processor time, and the peak of anonymous memory.

use core::sync::atomic::AtomicBool;
use core::time::Duration;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use bench::launch::allocator as known;
use bench::launch::environment::variables;
use bench::launch::{Exit, inspect};
use bench::measured::{Figures, Job, Launcher, Outcome};
use bench::stats::median;
use serde::Deserialize;

use super::Taken;
use super::programs::Program;
use crate::peers::output;

/// Memory is looked at so often.
const SAMPLE: Duration = Duration::from_millis(2);

/// No run takes so long.
const LIMIT: Duration = Duration::from_secs(300);

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Allocator {
    pub(crate) name: String,
    #[serde(default)]
    library: Option<std::path::PathBuf>,
    #[serde(default)]
    problem: Option<String>,
}

/// The first `most` of `wanted` that work on this machine.
pub(crate) fn allocators(
    heapwright: &Path,
    wanted: &[&str],
    most: usize,
) -> Result<Vec<Allocator>, String> {
    let list = output(Command::new(heapwright).args(["list", "--format", "json"]))?;
    let found: Vec<Allocator> =
        serde_json::from_str(&list).map_err(|why| format!("heapwright list: {why}"))?;
    let one = |name: &&str| found.iter().find(|f| f.name == **name && f.problem.is_none()).cloned();
    Ok(wanted.iter().filter_map(one).take(most).collect())
}

/// What `program` takes on each of `allocators`, above `start` bytes; `None` where it does not run to its end.
pub(crate) fn run(
    heapwright: &Path,
    program: &Program,
    allocators: &[Allocator],
    rounds: u8,
    start: u64,
) -> Result<Vec<Option<Taken>>, String> {
    let mut all: Vec<Vec<Figures>> = vec![Vec::new(); allocators.len()];
    for round in 1..=rounds {
        eprintln!("fidelity: {}, real runs, round {round} of {rounds}", program.name);
        for turn in 0..allocators.len() {
            // Another one begins in each round.
            let at = (turn + usize::from(round)) % allocators.len();
            all[at].extend(once(heapwright, program, &allocators[at])?);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "bytes and microseconds of one process")]
    let of = |runs: &Vec<Figures>| {
        // One that failed once has no middle.
        if runs.len() < usize::from(rounds) {
            return None;
        }
        let peak = |run: &Figures| Some(run.peak_anonymous_bytes?.saturating_sub(start) as f64);
        let seconds = |run: &Figures| (run.user_us + run.system_us) as f64 / 1e6;
        Some(Taken {
            memory: median(&runs.iter().filter_map(peak).collect::<Vec<_>>())?,
            time: median(&runs.iter().map(seconds).collect::<Vec<_>>())?,
        })
    };
    Ok(all.iter().map(of).collect())
}

/// One run; `None` if it does not end well, which is said.
fn once(
    heapwright: &Path,
    program: &Program,
    allocator: &Allocator,
) -> Result<Option<Figures>, String> {
    let arguments = program.argv.get(1..).unwrap_or_default();
    let inspection = inspect::program(&program.file, arguments).ok();
    let known = match &allocator.library {
        Some(library) => known::Allocator::preloaded(allocator.name.as_str(), library),
        None => known::Allocator::glibc(),
    };
    let preloaded = variables(&known, &[], inspection.as_ref()).map_err(|why| why.to_string())?;
    let environment = [program.environment.clone(), preloaded].concat();
    match job(heapwright, program, &program.file, &program.argv, &environment, Some(SAMPLE))? {
        Outcome::Ran(ran) if ran.figures.exit == Exit::Code(0) => Ok(Some(ran.figures)),
        other => {
            eprintln!("fidelity: {} on {}: {other:?}", program.name, allocator.name);
            Ok(None)
        }
    }
}

/// Runs `file`, with what is done with `program` if that is a server.
pub(crate) fn job(
    heapwright: &Path,
    program: &Program,
    file: &Path,
    argv: &[OsString],
    environment: &[(OsString, OsString)],
    sample: Option<Duration>,
) -> Result<Outcome, String> {
    let (timeout, service) = (Some(LIMIT), program.service.as_ref());
    let job = Job { environment, timeout, service, sample, ..Job::new(file, argv) };
    Launcher::new(heapwright).run(&job, &AtomicBool::new(false)).map_err(|why| why.to_string())
}
