//! The command line: the list of subcommands, and what all of them share.

use std::process::ExitCode;

use clap::{Command as Clap, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    bench, compare, completions, doctor, explain, export, import, list, man, profile, record,
    replay, run, stats, top, view,
};
use crate::flags::color::ColorFlags;
use crate::{exit, style};

const EXAMPLES: &str = "\
Examples:
  heapwright run -- python3 app.py      run a program on heapwright, unchanged
  heapwright run --stats -- ./server    what memory it needed, when it has ended
  heapwright run --check -- ./server    can its malloc be replaced at all?
  heapwright record -- ./server         write down what it asks of its malloc
  heapwright profile -- ./server        where its memory comes from
  heapwright bench -- ./program --flag  compare this machine's allocators on it
  heapwright compare old new            two results of bench: what became slower

Exit codes:
  those of the program for 'run', 'record' and 'profile' (a shell shows 128 + N when signal N ended it)
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
    Stats(stats::Stats),
    Top(top::Top),
    Record(record::Record),
    Profile(profile::ProfileCommand),
    Replay(replay::Replay),
    Explain(explain::Explain),
    Bench(bench::Bench),
    Compare(compare::Compare),
    View(view::View),
    Export(export::Export),
    Import(import::Import),
    List(list::List),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    Man(man::Man),
}

pub(crate) fn run() -> ExitCode {
    let matches = with_short_help(Cli::command()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    style::choose(cli.color.color);
    let done = match cli.command {
        Command::Run(run) => run.run(),
        Command::Stats(stats) => stats.run(),
        Command::Top(top) => top.run(),
        Command::Record(record) => record.run(),
        Command::Profile(profile) => profile.run(),
        Command::Replay(replay) => replay.run(),
        Command::Explain(explain) => explain.run(),
        Command::Bench(bench) => bench.run(),
        Command::Compare(compare) => compare.run(),
        Command::View(view) => view.run(),
        Command::Export(export) => export.run(),
        Command::Import(import) => import.run(),
        Command::List(list) => list.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    };
    done.unwrap_or_else(|error| exit::report(&error))
}

const FEW: usize = 3;

/// `-h` has of each flag what it does, and some examples; `--help` has all.
fn with_short_help(command: Clap) -> Clap {
    let whole = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let few: Vec<&str> = whole.lines().take(1 + FEW).collect();
    let few = format!("{}\n\n--help has all of it.", few.join("\n").trim_end());
    let command = command.mut_args(|arg| {
        let Some(help) = arg.get_help().map(ToString::to_string) else { return arg };
        let whole = arg.get_long_help().map_or_else(|| help.clone(), ToString::to_string);
        arg.help(brief(&help).to_owned()).long_help(whole)
    });
    let command = command.mut_subcommands(with_short_help);
    if whole.is_empty() { command } else { command.after_help(few).after_long_help(whole) }
}

/// The first of what a flag's help says.
fn brief(help: &str) -> &str {
    let ends = [". ", "; ", " [", " ("].map(|end| help.find(end).unwrap_or(help.len()));
    &help[..ends.into_iter().min().unwrap_or(help.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        with_short_help(Cli::command()).debug_assert();
    }

    #[test]
    fn the_first_words_say_what_a_flag_does() {
        assert_eq!(brief("Measure N rounds [default: 10]"), "Measure N rounds");
        assert_eq!(brief("Do not; never. Really (no)"), "Do not");
        assert_eq!(brief("Write no folder"), "Write no folder");
    }
}
