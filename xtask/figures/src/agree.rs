//! `cargo xtask agree`: figures of `heapwright bench` against those of an independent program, hyperfine.
//!
//! The claim: for public workloads both say the same, within the intervals that they state. What is compared is the
//! ratio of two allocators, heapwright ÷ glibc, of the wall time of whole processes: that is what hyperfine measures, and
//! it is `time` of bench. The seconds themselves are printed and not judged: the two measure one after the other, and
//! on a shared machine the minutes differ by more than the allocators do. A ratio is made of runs beside each other.
//!
//! - **Same work**: hyperfine runs the command line that bench's result names, with the same `LD_PRELOAD`, on any
//!   processor as bench does with `--no-pin`, after as much memory was warmed.
//! - **Interleaved**: each workload is measured by bench and at once by hyperfine, which is started once for each
//!   round with one run of each allocator, the order turned on by one each time.
//! - **Interval**: of 95 %, of the median of the paired ratios, from resampling the rounds, in both cases. Both tools also
//!   measure glibc against itself; how far the interval of that is from 1 is the noise floor, and widens theirs.
//! - **Agree**: the two widened intervals overlap. **Too wide** is no agreement: an interval of more than
//!   [`verdict::WIDEST`] says nothing.
//! - **Again**: a workload that does not agree, or is too wide, is measured again by both with twice the rounds, at most
//!   [`TRIES`] times in all. Every try is a line of the table, the last one counts.

mod hyperfine;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::Command;

use bench::result::{Entry, Report};
use bench::session::Role;
use clap::Args;
use comfy_table::{Table, presets};

use crate::command;
use crate::peers::output;
use verdict::{Measured, Verdict};

/// Public workloads whose time is mostly malloc and free.
const WORKLOADS: [&str; 3] = ["cfrac", "glibc-thread", "t-test1"];

/// How often a workload is measured at most, each time with twice the rounds.
const TRIES: u32 = 3;

/// The subject, whose ratio to glibc is compared.
const SUBJECT: &str = "heapwright";

/// The figures of `heapwright bench` beside those of hyperfine
///
/// Measures each workload with `heapwright bench` and with hyperfine: heapwright against glibc, wall time of whole
/// processes. They agree when the 95 % intervals of the two ratios, each widened by what glibc differs from itself,
/// overlap and are not too wide to say anything. What does not is measured again with twice the rounds, at most three
/// times in all. Exits with 1 when a workload does not agree. Needs hyperfine (the package of that name).
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Shorter runs and fewer rounds, about two minutes
    #[arg(long)]
    quick: bool,
    // Fewer than 6 have no interval of 95 %.
    /// Rounds of the first try [default: 20; 10 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(6..=1000))]
    rounds: Option<u32>,
    /// The command to try, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
    /// What both measure
    #[arg(value_name = "WORKLOAD", default_values = WORKLOADS)]
    workloads: Vec<String>,
}

impl Options {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 10 } else { 20 })
    }
}

/// The chore; whether all workloads agree.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let version = hyperfine::version()?;
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "workload",
        "rounds",
        "glibc, bench",
        "glibc, hyperfine",
        "heapwright ÷ glibc, bench",
        "heapwright ÷ glibc, hyperfine",
        "agree",
    ]);
    let mut all_agree = true;
    for workload in &options.workloads {
        let mut rounds = options.rounds();
        for attempt in 1..=TRIES {
            eprintln!("agree: {workload}, {rounds} rounds each of bench and of hyperfine");
            let (bench, report) = with_bench(&heapwright, workload, rounds, options.quick)?;
            let theirs = with_hyperfine(&heapwright, &report, rounds)?;
            let verdict = Verdict::of(&bench, &theirs);
            eprintln!("agree: {workload}: bench {bench}; hyperfine {theirs}: {verdict}");
            table.add_row([
                if attempt == 1 { workload.clone() } else { format!("{workload}, again") },
                rounds.to_string(),
                format!("{:.3} s", bench.glibc_seconds),
                format!("{:.3} s", theirs.glibc_seconds),
                bench.to_string(),
                theirs.to_string(),
                verdict.to_string(),
            ]);
            if verdict == Verdict::Agree {
                break;
            }
            all_agree &= attempt < TRIES;
            rounds *= 2;
        }
    }
    println!("{table}\n");
    println!(
        "ratios are medians of pairs, with 95 % intervals; ± after 'noise' is what glibc differs from itself, and widens \
         them. {version}"
    );
    Ok(all_agree)
}

/// What bench says of `workload`, and its whole result.
fn with_bench(
    heapwright: &Path,
    workload: &str,
    rounds: u32,
    quick: bool,
) -> Result<(Measured, Report), String> {
    let rounds = rounds.to_string();
    let scale = if quick { "0.3" } else { "1" };
    let words = [workload, "-a", "heapwright,glibc", "--no-tails", "--no-pin", "--seed", "1"];
    let words = words.into_iter().chain(["--rounds", &rounds, "--scale", scale]);
    let words: Vec<String> = words.map(str::to_owned).collect();
    let report = command::bench(heapwright, &words)?;
    let measured = from_report(&report).ok_or("bench has no figures of both allocators")?;
    Ok((measured, report))
}

fn from_report(report: &Report) -> Option<Measured> {
    let work = report.workloads.first()?;
    let subject = report.allocators.iter().position(|e| e.name == SUBJECT)?;
    Some(Measured {
        ratio: work.cells.get(subject)?.time?.ratio?,
        noise: work.noise_floor?,
        glibc_seconds: work.cells.get(report.baseline().0)?.time?.median,
    })
}

/// What hyperfine says of the same command line on the same libraries.
fn with_hyperfine(heapwright: &Path, report: &Report, rounds: u32) -> Result<Measured, String> {
    let work = report.workloads.first().ok_or("bench has no workload")?;
    // The result names files without their folders: the libraries and the program of workloads are unpacked beside each
    // other.
    let folder = unpacked(heapwright)?;
    let library = |entry: Option<&Entry>| entry?.library.as_ref().map(|name| folder.join(name));
    // As bench warms: a quarter more than the largest peak.
    let peaks = work.cells.iter().filter_map(|c| Some(c.peak_rss?.median));
    let peak = peaks.fold(0.0, f64::max);
    let warm =
        [heapwright.display().to_string(), "__warm".to_owned(), format!("{:.0}", peak * 1.25)];
    let subject = report.allocators.iter().find(|e| e.name == SUBJECT);
    let baseline = report.allocators.iter().find(|e| e.role == Role::Baseline);
    let libraries = [library(subject), library(baseline)];
    let mut command = work.command.clone();
    if let Some(program) = command.first_mut() {
        *program = folder.join(&*program).display().to_string();
    }
    hyperfine::measure(&command, &libraries, &warm, rounds)
}

/// Where the command keeps what it unpacked.
fn unpacked(heapwright: &Path) -> Result<PathBuf, String> {
    let text = output(Command::new(heapwright).args(["list", "--format", "json"]))?;
    let list: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| format!("heapwright list: {e}"))?;
    let library = list[0]["library"].as_str().ok_or("heapwright list names no library")?;
    Ok(Path::new(library).parent().unwrap_or(Path::new("")).to_owned())
}

#[cfg(test)]
mod tests;
