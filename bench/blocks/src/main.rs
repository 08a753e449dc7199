//! The block allocators of heapwright beside others, interleaved in one run: `cargo xtask blocks`.
//!
//! ```text
//! subjects   ours and others, each behind `BlockAllocator + AddMemory`
//! work       streams of operations, made before anything is timed
//! clock      ticks of the processor
//! pairs      time of a free and an allocation, mean and tail                  ┐
//! live       the same from 100 to 1,000,000 live blocks, spread and hot       │ one file each,
//! holes      one hole and a thousand                                          ├ one table each
//! fill       how much of a memory becomes payload                             │
//! worst      what adversaries wring out of each                               │
//! arena      the form that grows, and the tiers, against the plain one         │
//! bodies     the seven test bodies                                            ┘
//! bounds     what the project set itself, and whether it holds
//! samples    every value of every round; table, svg   how they are shown
//! ```
//!
//! Each round runs every allocator on the same memory, in another order; figures are medians of
//! rounds, and ratios are medians of the rounds' ratios.

mod arena;
mod bodies;
mod bounds;
mod clock;
mod fill;
mod holes;
mod live;
mod pairs;
mod samples;
mod svg;
mod table;
mod work;
mod worst;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use samples::Samples;
use testkit::block::Switch;

/// For the test bodies, whose collections take it. Nothing that is timed elsewhere allocates.
#[global_allocator]
static SWITCH: Switch = Switch;

const USAGE: &str = "\
usage: cargo xtask blocks [--quick] [--only PART]… [--rounds N] [--write]

  --quick        shorter runs, two rounds: whether it works, not what it measures
  --only PART    pairs, live, holes, fill, worst, arena or bodies; may be given more than once
  --rounds N     how many rounds (11; 2 with --quick)
  --csv FILE     every value of every round
  --pictures DIR the pictures
  --write        (by xtask) all into bench/record and docs/blocks.md

Exits with 1 when a bound does not hold; with --quick, when an exact one does not.
";

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    quick: bool,
    only: Vec<String>,
    rounds: usize,
    csv: Option<PathBuf>,
    pictures: Option<PathBuf>,
}

/// A part: its name, how it is measured, and the tables it makes.
struct Part {
    name: &'static str,
    measure: fn(&Plan, &mut Samples),
    show: fn(&Samples) -> String,
}

/// How much of everything.
#[derive(Debug, Clone, Copy)]
struct Plan {
    quick: bool,
    rounds: usize,
}

impl Plan {
    /// `full`, or a part of it in a quick run.
    fn of(&self, full: usize) -> usize {
        if self.quick { full / 20 } else { full }
    }
}

const PARTS: [Part; 7] = [
    Part { name: "pairs", measure: pairs::measure, show: pairs::show },
    Part { name: "live", measure: live::measure, show: live::show },
    Part { name: "holes", measure: holes::measure, show: holes::show },
    Part { name: "fill", measure: fill::measure, show: fill::show },
    Part { name: "worst", measure: worst::measure, show: worst::show },
    Part { name: "arena", measure: arena::measure, show: arena::show },
    Part { name: "bodies", measure: bodies::measure, show: bodies::show },
];

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprint!("blocks: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("blocks: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options =
        Options { quick: false, only: Vec::new(), rounds: 0, csv: None, pictures: None };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--quick" => options.quick = true,
            "--only" => {
                let name = value()?;
                if !PARTS.iter().any(|part| part.name == name) {
                    return Err(format!("there is no part {name:?}"));
                }
                options.only.push(name);
            }
            "--rounds" => {
                let n = value()?.parse().ok().filter(|&n| (1..=1000).contains(&n));
                options.rounds = n.ok_or("--rounds takes a number from 1 to 1000")?;
            }
            "--csv" => options.csv = Some(value()?.into()),
            "--pictures" => options.pictures = Some(value()?.into()),
            other => return Err(format!("there is no {other:?}")),
        }
    }
    if options.rounds == 0 {
        options.rounds = if options.quick { 2 } else { 11 };
    }
    Ok(options)
}

fn run(options: &Options) -> Result<bool, String> {
    let plan = Plan { quick: options.quick, rounds: options.rounds };
    let mut samples = Samples::default();
    let chosen =
        |part: &&Part| options.only.is_empty() || options.only.iter().any(|name| name == part.name);
    let mut tables = String::new();
    for part in PARTS.iter().filter(chosen) {
        eprintln!("blocks: {}", part.name);
        (part.measure)(&plan, &mut samples);
        tables.push_str(&(part.show)(&samples));
        tables.push('\n');
    }
    let (bounds, hold) = bounds::show(&samples, options.quick);
    // Whoever reads may have seen enough; the files are written all the same.
    match writeln!(io::stdout(), "{bounds}\n{}", tables.trim_end()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            return Err(format!("cannot print the tables: {e}"));
        }
        _ => {}
    }
    if let Some(file) = &options.csv {
        samples.write(file)?;
    }
    if let Some(folder) = &options.pictures {
        svg::write(&samples, folder)?;
    }
    Ok(hold)
}
