//! `cargo xtask fidelity`: whether a replay predicts what a program would take on another allocator.
//!
//! ```text
//! six programs ─► heapwright record, once each ─► heapwright replay on eight allocators ─► predicted ─┐
//!      └────────► really run on the same eight, again and again, in turns ────────────► real ─────────┴─► errors, orders
//! ```
//!
//! Memory is the peak of anonymous memory above what the process had when the recording began; to a replay's is added what the
//! recording says that the program mapped itself (a compiler's own collector, say). Time is the processor's: of a
//! replay, which does nothing but the calls, and of the whole program, so that only its order can be compared. All is reported as
//! it is measured: nothing in a replay is fitted to these programs.

mod agree;
mod page;
mod programs;
mod real;
mod replayed;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::command;
use crate::files;
use crate::judge::{self, Bounds, Figure};
use crate::peers::{root, target_dir};
use agree::Compared;
use programs::Program;

/// What replays predict of six programs on eight allocators, against what they really take, each figure against its bound
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A tenth of the work, and one run of each
    #[arg(long)]
    quick: bool,
    /// Only these programs; may be given more than once
    #[arg(long, value_name = "PROGRAM", value_parser = programs::NAMES)]
    only: Vec<String>,
    /// Real runs of each program on each allocator; the middle one counts
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u8).range(1..))]
    rounds: u8,
    /// Also write the tables into docs/performance.md
    #[arg(long, conflicts_with_all = ["quick", "only"])]
    write: bool,
    /// The command to measure with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

/// Which allocators take part: the first eight of these that are there.
const ALLOCATORS: &str = "glibc heapwright jemalloc tcmalloc mimalloc2 mimalloc rpmalloc snmalloc sharded superslab \
     thread-caching tlsf";
const MOST: usize = 8;

/// What one program takes on one allocator: by runs of it, or by replays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Taken {
    /// The peak of anonymous memory above the start, in bytes.
    memory: f64,
    /// Of the processors, in seconds.
    time: f64,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let bounds = Bounds::read("fidelity")?;
    let wanted: Vec<&str> = ALLOCATORS.split_whitespace().collect();
    let allocators = real::allocators(&heapwright, &wanted, MOST)?;
    let folder = target_dir().join("fidelity");
    files::folder(&folder)?;
    let rounds = if options.quick { 1 } else { options.rounds };
    let mut all = Vec::new();
    for program in programs::all(&folder, &options.only, options.quick)? {
        all.push(one(&heapwright, &program, &allocators, rounds, &folder)?);
    }
    let lines = bounds.judge("errors", options.quick, |name| figure(name, &all));
    println!("{}\n", page::tables(&all));
    let kept = judge::print(&lines);
    if options.write {
        let text = page::section(&all, &lines, rounds);
        page::write(&root(), &text)?;
        println!("fidelity: written into {}", page::PAGE);
    }
    Ok(kept)
}

/// One program: recorded, replayed, really run.
fn one(
    heapwright: &Path,
    program: &Program,
    allocators: &[real::Allocator],
    rounds: u8,
    folder: &Path,
) -> Result<Compared, String> {
    let recording = replayed::record(heapwright, program, folder)?;
    let names: Vec<&str> = allocators.iter().map(|one| one.name.as_str()).collect();
    let (replayed, predicted) = replayed::replay(heapwright, &recording, &names, rounds)?;
    let taken = real::run(heapwright, program, allocators, rounds, recording.start)?;
    let rows = names.iter().zip(taken).zip(predicted);
    Ok(Compared {
        program: program.name.to_owned(),
        recorded: recording.malloc,
        replayed,
        events: recording.events,
        rows: rows.map(|((name, real), replayed)| ((*name).to_owned(), real, replayed)).collect(),
    })
}

fn figure(name: &str, all: &[Compared]) -> Figure {
    #[expect(clippy::cast_precision_loss, reason = "some dozens")]
    let count = |n: usize| Some(n as f64);
    let wrong = |of: fn(&Taken) -> f64| {
        let orders = all.iter().map(|one| one.order(of));
        let (right, told) = orders.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let shown = Some(format!("{} of {told}", told - right));
        Figure { value: count(told - right).filter(|_| told > 0), shown, is_untold: false }
    };
    let errors = agree::errors(all);
    let percent = |error: Option<f64>| Figure {
        value: error,
        shown: error.map(|error| format!("{:.1} %", 100.0 * error)),
        is_untold: false,
    };
    match name {
        "median" => percent(bench::stats::median(&errors)),
        "largest" => percent(errors.into_iter().reduce(f64::max)),
        "missing" => count(all.iter().map(Compared::missing).sum()).into(),
        "memory-order" => wrong(|taken| taken.memory),
        "time-order" => wrong(|taken| taken.time),
        _ => None.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options: Options = crate::parsed("--quick --only redis --only pool").unwrap();
        assert!(options.quick && options.only == ["redis", "pool"] && options.rounds == 5);
        assert!(crate::parsed::<Options>("--only rain").is_err());
        assert!(crate::parsed::<Options>("--write --quick").is_err());
    }

    #[test]
    fn every_bound_has_a_figure() {
        let all = [agree::tests::example()];
        let bounds = Bounds::read("fidelity").unwrap();
        for bound in bounds.part("errors") {
            assert!(figure(&bound.figure, &all).value.is_some(), "{}", bound.figure);
        }
        assert_eq!(figure("rain", &all).value, None);
    }
}
