//! `cargo xtask storm`: fork, thread, limit and signal storms against the drop-in library, for as long as one likes.
//!
//! A storm is a program of `tests/storm`. It works in rounds, each of which ends with everything freed and a look at
//! the process's memory, mappings and threads. What is run, in which order, with which options in `HEAPWRIGHT` and on
//! how many processors follows from a seed that is printed ([`plan`]). Each run is watched: it has to show a sign of
//! life once a minute, end well, and leave no process behind ([`watch`]).
//!
//! Every storm is a legal program, so all of them pass with `--library glibc`; that tells a mistake of a storm from one
//! of ours.

mod plan;
mod programs;
mod tally;
mod watch;

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use plan::Run;
use programs::{Built, STORMS, Storm};
use tally::Tally;
use watch::Ending;

/// A run that shows no sign of life for so long has hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// Storms of forks, threads, limits and signals against the drop-in library
///
/// Runs the storms of tests/storm in random order, each with the drop-in library preloaded. A storm fails when it
/// hangs, ends otherwise than it should, finds a block with other contents, memory that grows or does not come back, or
/// leaves a process behind. Prints a line for each run, the command that repeats a failed one, and a summary. Exits
/// with 0 only if all passed. Needs a C compiler; with gdb installed it also prints where each thread of a hung run stands.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How long in all; every storm runs at least once, however short
    #[arg(long, default_value = "2", value_parser = |text: &str| number(text, 0.01, 10_000.0))]
    minutes: f64,
    /// The same storms in the same order with the same settings as the run that printed this number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// This storm and no other; may be said more than once
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(STORMS.iter().map(|s| s.name.as_str())))]
    only: Vec<String>,
    /// On another malloc's shared library, or on none: glibc
    #[arg(long, value_name = "PATH")]
    library: Option<String>,
    /// This many runs, instead of a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// How long each run is [default: 1 to 20, so that all storms fit into the minutes]
    #[arg(long, value_parser = |text: &str| number(text, 0.1, 3600.0))]
    seconds: Option<f64>,
    /// The storms and what they do
    #[arg(long)]
    list: bool,
}

/// What the storms need and this machine lacks.
pub(crate) fn missing() -> Option<String> {
    let compiler = programs::compiler_name();
    let there = Command::new(&compiler).arg("--version").output().is_ok_and(|o| o.status.success());
    (!there).then(|| {
        format!("{} does not start: install gcc, or name a C compiler in $CC", compiler.display())
    })
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let found = text.parse().ok().filter(|n| (least..=most).contains(n));
    found.ok_or_else(|| format!("a number from {least} to {most} is needed"))
}

/// The chore; whether every storm passed.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if options.list {
        for storm in &*STORMS {
            println!("{:<12} {}", storm.name, storm.what);
        }
        return Ok(true);
    }
    if let Some(why) = missing() {
        return Err(why);
    }
    let library = match options.library.as_deref() {
        Some("glibc") => None,
        Some(path) => Some(Path::new(path).canonicalize().map_err(|e| {
            format!("--library {path}: {e}; name a malloc's shared library, or glibc")
        })?),
        None => Some(heapwright_tests::drop_in().to_path_buf()),
    };
    if let Some(library) = &library {
        crate::command::must_be_a_malloc(library)?;
    }
    let built = programs::build(library.as_deref())?;
    let chosen = |s: &&Storm| options.only.is_empty() || options.only.contains(&s.name);
    let storms: Vec<&'static Storm> = STORMS.iter().filter(chosen).collect();
    let total = options.minutes * 60.0;
    let seconds = options.seconds.unwrap_or_else(|| plan::seconds_each(total, storms.len()));
    let seed = options.seed.unwrap_or_else(plan::fresh_seed);
    println!(
        "storm: seed {seed}, {} storms, {seconds} s each, on {}",
        storms.len(),
        library.as_ref().map_or_else(|| "glibc".to_owned(), |path| path.display().to_string())
    );
    let start = Instant::now();
    let least = options.runs.unwrap_or(storms.len() as u64);
    let mut tally = Tally::default();
    for run in plan::runs(seed, &storms, library.is_some()) {
        let elapsed = start.elapsed().as_secs_f64();
        // The last run may be half a run too long.
        let time_is_over = options.runs.is_some() || elapsed + seconds / 2.0 > total;
        if run.number >= least && time_is_over {
            break;
        }
        one_run(options, &built, &run, seconds, &mut tally)?;
    }
    print!("{}", tally.table());
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    println!("storm: {} in {minutes:.1} minutes, seed {seed}", tally.verdict());
    Ok(tally.all_passed())
}

/// One run, its line, and what is to be said of it where it fails.
fn one_run(
    options: &Options,
    built: &Built,
    run: &Run,
    seconds: f64,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut command = built.command(run, seconds);
    let watched = watch::watch(&mut command, PATIENCE, watch::SETTLE)
        .map_err(|e| format!("{} did not start: {e}", built.path(run.storm).display()))?;
    let (word, why) = match &watched.ending {
        Ending::Passed => ("ok", watched.did.clone().unwrap_or_default()),
        Ending::Skipped => ("skipped", watched.last_line()),
        Ending::Failed(why) => ("FAILED", why.clone()),
    };
    println!(
        "{:>4}  {:<12} seed {:<20} {:<24} {:<8} {:>5.1} s  {word}: {why}",
        run.number + 1,
        run.storm.name,
        run.seed,
        run.environment
            .map_or_else(|| "HEAPWRIGHT unset".to_owned(), |v| format!("HEAPWRIGHT={v}")),
        if run.one_cpu { "one CPU" } else { "all CPUs" },
        watched.seconds,
    );
    if let Ending::Failed(_) = watched.ending {
        let said = watched.said.iter().filter(|line| !why.starts_with(line.as_str()));
        for line in said.chain(&watched.stacks) {
            println!("      | {line}");
        }
        println!("      again: {}", repeat(options, run, seconds));
        println!("      by hand: {}", built.by_hand(run, seconds));
    }
    tally.add(&run.storm.name, &watched);
    Ok(())
}

/// The command that repeats one run: the first run of a seed has that seed itself.
fn repeat(options: &Options, run: &Run, seconds: f64) -> String {
    let mut command = format!(
        "cargo xtask storm --only {} --seed {} --runs 1 --seconds {seconds}",
        run.storm.name, run.seed
    );
    if let Some(library) = &options.library {
        // As it was said; a path of another folder does not become ours.
        let library = PathBuf::from(library);
        command.push_str(&format!(" --library {}", library.display()));
    }
    command
}

#[cfg(test)]
mod tests;
