//! The command line: the list of subcommands, and what all of them share.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{bench, compare, completions, doctor, list, man, run};
use crate::flags::color::ColorFlags;
use crate::{exit, style};

const EXAMPLES: &str = "\
Examples:
  heapwright run -- python3 app.py           run a program on heapwright, unchanged
  heapwright run --stats -- ./server         the same; what memory it needed, when it has ended
  heapwright run --check -- ./server         can its malloc be replaced at all?
  heapwright bench -- ./program --flag       compare all allocators of this machine on it
  heapwright compare old new                 two results of bench: what became slower

Exit codes:
  those of the program for 'run' (a shell shows 128 + N when signal N ended it)
  1 a --fail-if of 'bench' or 'compare' holds; 3 an allocator failed in 'bench'; 130 'bench' was interrupted
  125 heapwright itself failed; 126 the program cannot be executed; 127 it was not found; 2 wrong usage";

/// Memory allocators, and the workbench to choose one.
#[derive(Debug, Parser)]
#[command(name = "heapwright", version, after_help = EXAMPLES, propagate_version = true)]
#[command(max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    color: ColorFlags,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Bench(bench::Bench),
    Compare(compare::Compare),
    List(list::List),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Reads the command line and does what it says.
pub(crate) fn run() -> ExitCode {
    let cli = Cli::parse();
    style::choose(cli.color.color);
    let done = match cli.command {
        Command::Run(run) => run.run(),
        Command::Bench(bench) => bench.run(),
        Command::Compare(compare) => compare.run(),
        Command::List(list) => list.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    };
    done.unwrap_or_else(|error| exit::report(&error))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
