//! The chores that measure, which `cargo xtask` starts by this program: `cargo xtask NAME --help` has a chore's options.

mod benchmarks;
mod classics;
mod command;
mod faults;
mod fidelity;
mod judge;
mod kernel;
mod reach;
mod slowest;
mod texts;

use std::process::ExitCode;

use clap::Parser;
use xtask::measured::Chore;
#[cfg(test)]
use xtask::parsed;
use xtask::{figures, files, peers, programs};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

fn main() -> ExitCode {
    let (name, ended) = match Cli::parse().chore {
        Chore::Blocks(given) => {
            // `bench/blocks` has the options.
            let words = ["run", "--release", "--quiet", "--package", "heapwright-blocks", "--"];
            return command::ended(command::cargo().args(words).args(&given.words));
        }
        Chore::Reach(given) => ("reach", reach::run(&given.options("reach"))),
        Chore::Classics(given) => ("classics", classics::run(&given.options("classics"))),
        Chore::Kernel(given) => ("kernel", kernel::run(&given.options("kernel"))),
        Chore::Fidelity(given) => ("fidelity", fidelity::run(&given.options("fidelity"))),
        Chore::Faults(given) => ("faults", faults::run(&given.options("faults"))),
        Chore::Slowest(given) => ("slowest", slowest::run(&given.options("slowest"))),
        Chore::Texts(given) => ("texts", texts::run(&given.options("texts"))),
        Chore::Benchmarks(given) => ("benchmarks", benchmarks::run(&given.options("benchmarks"))),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }
    }
}
