//! The chores that measure, which `cargo xtask` starts by this program: `cargo xtask NAME --help` has a chore's options.

mod benchmarks;
mod blocks;
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
#[cfg(test)]
use xtask::parsed;
use xtask::{Words, figures, peers, programs};

/// The chores that measure
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// The figures that the project set itself, each against its bound
    Reach(reach::Options),
    /// The figures of the classic mallocs for threads, each against its bound
    Classics(classics::Options),
    /// The figures of the kernel's allocators, each against its bound
    Kernel(kernel::Options),
    /// What replays predict of six programs on eight allocators, against what they really take
    Fidelity(fidelity::Options),
    /// Whether explain names the fault that each of some small programs has
    Faults(faults::Options),
    /// The slowest malloc and free of each workload, without first touches of memory
    Slowest(slowest::Options),
    /// The block allocators beside others
    Blocks(Words),
    /// The figures of docs/texts.md, all made again: records and pictures in one folder
    Texts(texts::Options),
    /// The recorded run of docs/performance.md is the newest of bench/record
    Benchmarks(benchmarks::Options),
}

fn main() -> ExitCode {
    let (name, ended) = match Chore::parse() {
        Chore::Blocks(given) => return blocks::run(&given.words),
        Chore::Reach(options) => ("reach", reach::run(&options)),
        Chore::Classics(options) => ("classics", classics::run(&options)),
        Chore::Kernel(options) => ("kernel", kernel::run(&options)),
        Chore::Fidelity(options) => ("fidelity", fidelity::run(&options)),
        Chore::Faults(options) => ("faults", faults::run(&options)),
        Chore::Slowest(options) => ("slowest", slowest::run(&options)),
        Chore::Texts(options) => ("texts", texts::run(&options)),
        Chore::Benchmarks(options) => ("benchmarks", benchmarks::run(&options)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory as _, Subcommand as _};

    #[test]
    fn what_cargo_xtask_hands_on_is_what_is_here() {
        let listed = |command: clap::Command| -> Vec<(String, String)> {
            let shown = |one: &clap::Command| {
                (
                    one.get_name().to_owned(),
                    one.get_about().map(ToString::to_string).unwrap_or_default(),
                )
            };
            command.get_subcommands().map(shown).collect()
        };
        let handed_on = xtask::measured::Chore::augment_subcommands(clap::Command::new("xtask"));
        assert_eq!(listed(handed_on), listed(Chore::command()));
    }
}
