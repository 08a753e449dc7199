//! The programs recorded once, and what replays of that say they would take on each allocator.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use bench::launch::Exit;
use bench::measured::Outcome;
use bench::result::Report;
use trace::{Op, Trace};

use super::programs::Program;
use super::{Taken, real};
use crate::command;

pub(crate) struct Recording {
    folder: PathBuf,
    pub(crate) malloc: String,
    /// Recorded calls and the like.
    pub(crate) events: u64,
    pub(crate) start: u64,
}

/// Records `program`, on the malloc that it has by itself.
pub(crate) fn record(
    heapwright: &Path,
    program: &Program,
    folder: &Path,
) -> Result<Recording, String> {
    eprintln!("fidelity: {}, recording", program.name);
    let folder = folder.join(program.name);
    let _ = fs::remove_dir_all(&folder);
    let mut argv: Vec<OsString> = vec![heapwright.into(), "record".into(), "-o".into()];
    argv.extend([folder.clone().into(), "--".into(), program.file.clone().into()]);
    argv.extend(program.argv.iter().skip(1).cloned());
    match real::job(heapwright, program, heapwright, &argv, &program.environment, None)? {
        Outcome::Ran(ran) if ran.figures.exit == Exit::Code(0) => {}
        other => return Err(format!("{}: it could not be recorded: {other:?}", program.name)),
    }
    let failed = |why: trace::TraceError| format!("{}: {why}", folder.display());
    let trace = Trace::open(&folder).map_err(failed)?;
    let about = trace.about();
    let looks = trace.steps().filter_map(Result::ok);
    let first = looks.filter_map(|step| match step.op {
        Op::Memory { anon, .. } => Some(anon),
        _ => None,
    });
    let malloc = match about.malloc.name.as_str() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    };
    let start = first.take(1).last();
    let start =
        start.ok_or_else(|| format!("{}: no look at the memory was recorded", program.name))?;
    Ok(Recording { malloc, events: about.events, start, folder })
}

/// When it was replayed, and what that says of each of `allocators`; `None` where it did not come to its end.
pub(crate) fn replay(
    heapwright: &Path,
    recording: &Recording,
    allocators: &[&str],
    rounds: u8,
) -> Result<(String, Vec<Option<Taken>>), String> {
    let [rounds, allocators_] = [rounds.to_string(), allocators.join(",")];
    let words = ["-a", &allocators_, "--rounds", &rounds, "--no-files"].map(OsStr::new);
    let words = words.into_iter().chain([recording.folder.as_os_str()]);
    let report = command::measured(heapwright, "replay", words)?;
    let all = allocators.iter().map(|name| taken(&report, name)).collect();
    Ok((report.started, all))
}

fn taken(report: &Report, name: &str) -> Option<Taken> {
    let work = report.workloads.first()?;
    let cell = report.cell_of(work, name)?;
    // What the program mapped itself is the same on every allocator. That all of it was touched is an assumption.
    #[expect(clippy::cast_precision_loss, reason = "bytes of one process")]
    let own = work.replayed.as_ref().map_or(0.0, |replayed| replayed.own_mapped as f64);
    Some(Taken { memory: cell.peak_rss?.median + own, time: cell.cpu?.median })
}
