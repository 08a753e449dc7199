//! The chores that measure are another package, `xtask/figures`: it needs the bench and the pages, which take longer to
//! build than all other chores, and no step of `.ci/run` needs it.

use std::process::ExitCode;

use crate::Words;
use crate::command::{cargo, ended};
use crate::peers::root;
use clap::Subcommand;

/// Each by its name and what it is for; its options are the other package's.
#[derive(Debug, Subcommand)]
pub enum Chore {
    /// The figures that the project set itself, each against its bound
    Reach(Words),
    /// The figures of the classic mallocs for threads, each against its bound
    Classics(Words),
    /// The figures of the kernel's allocators, each against its bound
    Kernel(Words),
    /// What replays predict of six programs on eight allocators, against what they really take
    Fidelity(Words),
    /// Whether explain names the fault that each of some small programs has
    Faults(Words),
    /// The slowest malloc and free of each workload, without first touches of memory
    Slowest(Words),
    /// The block allocators beside others
    Blocks(Words),
    /// The figures of docs/texts.md, all made again: records and pictures in one folder
    Texts(Words),
    /// The recorded run of docs/performance.md is the newest of bench/record
    Benchmarks(Words),
}

/// Builds the other package and hands it the command line.
pub fn run() -> ExitCode {
    let mut figures = cargo();
    figures.args(["run", "--quiet", "--package", "xtask-figures", "--manifest-path"]);
    // Paths on the command line are seen from where it was typed.
    figures.arg(root().join("Cargo.toml")).arg("--").current_dir(".");
    ended(figures.args(std::env::args_os().skip(1)))
}
