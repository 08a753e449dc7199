//! `cargo xtask classics`: the figures of the classic mallocs for threads, each against its bound.
//!
//! `heapwright bench` measures workloads and two programs of `bench/programs` on the designs and on the peers that
//! `cargo xtask peers` finds; what its results say is judged here. What was not measured is no pass, nor is what too few rounds say.

mod gperftools;
mod grid;
mod peers;
mod programs;
mod real;

use std::path::PathBuf;

use bench::result::Report;
use bench::stats::ENOUGH_PAIRS;
use clap::Args;

use crate::command;
use crate::judge::{self, Bounds, Figure};

/// The figures of the classic mallocs for threads, each against its bound
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A tenth of the work, and thirty seconds instead of five minutes
    #[arg(long)]
    quick: bool,
    /// Only these parts; may be given more than once
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// The command to measure with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The grid of t-test1
    Grid,
    /// What small objects cost
    Objects,
    /// Five programs, against gperftools' library
    Gperftools,
    /// Workloads of threads, against others
    Workloads,
    /// One thread allocates, another frees
    Handover,
    /// The suite of real programs
    Programs,
}

/// A figure out of a comparison: from fewer rounds than a claim needs nothing can be told.
fn compared(value: Option<f64>, shown: Option<String>, report: &Report) -> Figure {
    let rounds = report.workloads.iter().map(|work| work.rounds).min().unwrap_or(0);
    if usize::try_from(rounds).is_ok_and(|rounds| rounds >= ENOUGH_PAIRS) {
        return Figure { value, shown, is_untold: false };
    }
    let shown = shown.or(value.map(|v| format!("{v:.3}")));
    let few = |shown| format!("{shown} ({rounds} of {ENOUGH_PAIRS} rounds)");
    Figure { value, shown: shown.map(few), is_untold: true }
}

/// The mallocs of the registry that are none behind one lock.
fn designs() -> Vec<&'static str> {
    let is_block = |name: &&str| registry::BLOCKS.iter().any(|block| block.name == *name);
    registry::mallocs().filter(|name| !is_block(name)).collect()
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let wants = |part| options.only.is_empty() || options.only.contains(&part);
    let quick = options.quick;
    let bounds = Bounds::read("classics")?;
    let mut lines = Vec::new();
    if wants(Part::Objects) {
        lines.extend(programs::objects(&bounds, &heapwright)?);
    }
    if wants(Part::Grid) {
        lines.extend(grid::lines(&bounds, &heapwright, quick)?);
    }
    if wants(Part::Gperftools) {
        lines.extend(gperftools::lines(&bounds, &heapwright, quick)?);
    }
    if wants(Part::Workloads) {
        lines.extend(peers::lines(&bounds, &heapwright, quick)?);
    }
    if wants(Part::Handover) {
        lines.extend(programs::handover(&bounds, &heapwright, quick)?);
    }
    if wants(Part::Programs) {
        lines.extend(real::lines(&bounds)?);
    }
    Ok(judge::print(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_tell_nothing() {
        let of = |rounds| {
            let report = bench::testing::rounds(&["larson"], rounds, |_, _| 0.01);
            let figure = compared(Some(0.9), None, &report);
            (figure.is_untold, figure.shown)
        };
        assert_eq!(of(3), (true, Some("0.900 (3 of 6 rounds)".to_owned())));
        assert_eq!(of(6), (false, None));
    }
}
