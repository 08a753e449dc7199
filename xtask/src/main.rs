//! The project's own chores: `cargo xtask NAME`; `cargo xtask help NAME` has a chore's options.

mod adding;
mod arceos;
mod ci;
mod compat;
mod deny;
mod dist;
mod expected;
mod features;
mod firmware;
mod fleet;
mod fuzz;
mod golden;
mod layers;
mod libraries;
mod locked;
mod miri;
mod paths;
mod port;
mod qemu;
mod rows;
mod size;
mod storm;
mod wcet;

use core::iter::once;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
#[cfg(test)]
use xtask::parsed;
use xtask::{command, figures, files, measured, peers, programs};

/// The project's own chores
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Every crate depends only on layers below it
    Layers,
    /// What stands beside the registry of allocators is as it has it
    Registry(rows::Options),
    /// The page on adding an allocator, followed in a copy of the tree
    Adding,
    /// Every path named in the documents exists
    Paths,
    /// Instruction budgets of the fast paths, against bench/golden
    Golden(golden::Options),
    /// Locked operations for each object that workloads allocate
    Locked(locked::Options),
    /// Installs or finds the allocators to compare with
    Peers(peers::Options),
    /// Boots the kernels of bare-metal in QEMU, and what they say
    Qemu(qemu::Options),
    /// The longest path of each allocator's entry points, from the disassembly
    Wcet(wcet::Options),
    /// Bytes of code and of control block of each allocator in firmware
    Size(size::Options),
    /// The component OS's memory test in QEMU, on its allocators and on ours
    Arceos(arceos::Options),
    /// The features that a build of the workspace leaves out, on this machine and for 32 bits
    Features,
    /// Crates with others' interfaces, tried by those crates' users
    Compat,
    /// The block allocators' C library on bare machines, and its bytes of code
    Firmware(firmware::Options),
    /// Licences and sources of all crates, by deny.toml
    Deny,
    /// The fuzz targets, from the inputs of fuzz/seeds
    Fuzz(fuzz::Options),
    /// The tests of base, block and kernel in Miri, where a nightly toolchain has it
    Miri(miri::Options),
    /// A tarball to install from, tried without Rust
    Dist(dist::Options),
    /// The drop-in libraries, built once for whoever embeds or tests them
    Libraries,
    /// The library on musl, and on aarch64 in an emulator
    Port(port::Options),
    /// Storms of forks, threads, limits and signals against the drop-in library
    Storm(storm::Options),
    #[command(flatten)]
    Measured(measured::Chore),
    Ci(ci::Options),
}

fn main() -> ExitCode {
    if std::env::args_os().len() == 1 {
        return run(&["help"]);
    }
    // A bad command line ends here, with 2.
    Cli::parse().run()
}

/// A chore and its options, as one would type them.
fn run(words: &[&str]) -> ExitCode {
    Cli::parse_from(once("cargo xtask").chain(words.iter().copied())).run()
}

impl Cli {
    fn run(self) -> ExitCode {
        if let Some(why) = self.chore.fault() {
            eprintln!("xtask: {why}");
            return ExitCode::from(2);
        }
        let (name, ended) = match self.chore {
            Chore::Ci(options) => return ci::run(options),
            Chore::Measured(_) => return measured::run(),
            Chore::Peers(options) => return peers::run(&options),
            Chore::Layers => ("layers", layers::run()),
            Chore::Paths => ("paths", paths::run()),
            Chore::Adding => ("adding", adding::run()),
            Chore::Registry(options) => ("registry", rows::run(&options)),
            Chore::Golden(options) => ("golden", golden::run(&options)),
            Chore::Locked(options) => ("locked", locked::run(&options)),
            Chore::Qemu(options) => ("qemu", qemu::run(&options)),
            Chore::Wcet(options) => ("wcet", wcet::run(&options)),
            Chore::Size(options) => ("size", size::run(&options)),
            Chore::Arceos(options) => ("arceos", arceos::run(&options)),
            Chore::Features => ("features", features::run()),
            Chore::Compat => ("compat", compat::run()),
            Chore::Firmware(options) => ("firmware", firmware::run(&options)),
            Chore::Deny => ("deny", deny::run()),
            Chore::Fuzz(options) => ("fuzz", fuzz::run(&options)),
            Chore::Miri(options) => ("miri", miri::run(&options)),
            Chore::Dist(options) => ("dist", dist::run(&options)),
            Chore::Libraries => ("libraries", libraries::run()),
            Chore::Port(options) => ("port", port::run(&options)),
            Chore::Storm(options) => ("storm", storm::run(&options)),
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
}

impl Chore {
    /// Why its options do not go together, where clap cannot say it.
    fn fault(&self) -> Option<String> {
        match self {
            Self::Port(options) => options.ports().err(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn what_does_not_go_together_is_2_too() {
        let words = once("cargo xtask").chain("port musl --page-size 65536".split(' '));
        assert!(Cli::parse_from(words).chore.fault().is_some());
    }

    #[test]
    fn the_command_line_is_sound_and_a_bad_one_is_2() {
        Cli::command().debug_assert();
        let bad = |chore: &str, lines: &[&str]| {
            for line in lines {
                let words = ["cargo xtask", chore].into_iter().chain(line.split_whitespace());
                let words = words.filter(|word| !word.is_empty());
                assert_eq!(
                    Cli::try_parse_from(words).unwrap_err().exit_code(),
                    2,
                    "{chore} {line}"
                );
            }
        };
        bad("", &["", "rain"]);
        bad("layers", &["up"]);
        bad("golden", &["--check --write"]);
        bad("size", &["--target vax"]);
        bad("wcet", &["--target vax", "--path"]);
        bad("arceos", &["--allocator fit"]);
        bad("firmware", &["--target z80", "--target", "--sise", "--size --run"]);
        bad("port", &["--page-size", "--page-size 5", "--none"]);
        bad("storm", &["--minutes", "--minutes 0", "--minutes NaN", "--seed x", "--runs 0"]);
        bad("storm", &["--only rain", "--fast", "fork"]);
    }
}
