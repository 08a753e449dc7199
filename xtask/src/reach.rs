//! `cargo xtask reach`: every figure the project set itself, measured against the other allocators of
//! this machine in one run, and printed against its bound.
//!
//! The workloads are data (`bench/reach`) over small programs (`bench/programs`) and real ones. Each
//! round runs every workload under every allocator in random order; figures are medians of the rounds.

mod definition;
mod figures;
pub(crate) mod machine;
mod measure;
mod plan;
pub(crate) mod programs;
pub(crate) mod record;
mod tables;

use crate::golden;
use crate::peers::{self, Allocator};
use definition::Definition;
use figures::Names;
use measure::Lab;
use plan::Samples;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask reach [--quick] [--only NAME]… [--rounds N] [--lib PATH] [--write] [--list]

  --quick        one round of shorter runs, in under three minutes
  --only NAME    only workloads whose name begins so; may be given more than once
  --rounds N     how many rounds (5; 1 with --quick)
  --lib PATH     another library in heapwright's place (also the variable HEAPWRIGHT_SO)
  --format md    Markdown, which is also the default
  --write        keep the raw values in bench/record and the tables in docs/benchmarks.md
  --list         what is measured, and what each workload shows

Exits with 1 when a figure misses its bound. `cargo xtask peers` installs what to compare with.
";

/// How much of the free memory is touched once, before anything is measured, in per cent and at most.
const WARM_PER_CENT: u64 = 60;
const WARM_AT_MOST_MIB: u64 = 2048;

/// A load above this is somebody else's work.
const QUIET: f64 = 1.0;

/// The subject's name in the tables.
const SUBJECT: &str = "heapwright";

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    quick: bool,
    list: bool,
    write: bool,
    only: Vec<String>,
    rounds: Option<u32>,
    library: Option<PathBuf>,
}

/// The command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match parse(args) {
        Ok(options) => options,
        Err(why) => {
            eprint!("reach: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match act(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("reach: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--quick" => options.quick = true,
            "--list" => options.list = true,
            "--write" => options.write = true,
            "--only" => options.only.push(value()?),
            "--lib" => options.library = Some(value()?.into()),
            "--rounds" => {
                let n = value()?.parse().ok().filter(|&n| (1..=1000).contains(&n));
                options.rounds = Some(n.ok_or("--rounds takes a number from 1 to 1000")?);
            }
            "--format" if value()? == "md" => {}
            "--format" => return Err("the only format is md".to_owned()),
            other => return Err(format!("there is no {other:?}")),
        }
    }
    if options.write && !options.only.is_empty() {
        return Err("--write keeps complete runs only: leave out --only".to_owned());
    }
    Ok(options)
}

fn act(options: &Options) -> Result<bool, String> {
    let mut definitions = definition::load(&peers::root().join("bench/reach"))?;
    if !options.only.is_empty() {
        definitions.retain(|d| options.only.iter().any(|o| d.name.starts_with(o.as_str())));
        if definitions.is_empty() {
            return Err("--only leaves no workload: --list shows their names".to_owned());
        }
    }
    if options.list {
        for definition in &definitions {
            println!("{}\n{}", definition.name, definition.analysis.trim_end());
        }
        return Ok(true);
    }
    let library = match &options.library {
        Some(path) => path.clone(),
        None => heapwright_tests::drop_in().to_path_buf(),
    };
    let lab = Lab::new(options.quick, &definitions)?;
    definitions.retain(|definition| match lab.lacks(definition) {
        Some(why) => {
            eprintln!("{} is left out: {why} (`cargo xtask peers` installs it)", definition.name);
            false
        }
        None => true,
    });
    golden::must_be_a_malloc(&library)?;
    let allocators = allocators(&library)?;
    let warm = machine::memory_kib("MemAvailable") / 1024 * WARM_PER_CENT / 100;
    lab.touch(warm.min(WARM_AT_MOST_MIB))?;

    let load = machine::load();
    if load > QUIET {
        eprintln!("the machine is busy (load {load}): wall times will mean little, ratios waver");
    }
    let rounds = options.rounds.unwrap_or(if options.quick { 1 } else { 5 });
    let samples = plan::run(&lab, &definitions, &allocators, rounds)?;
    let report = report(&library, &definitions, &samples, &allocators, options)?;
    let when = record::now();
    let machine = tables::machine(
        &allocators,
        &format!("{when}, medians of {rounds} rounds, load {load} before"),
    );
    println!("{}\n\n{machine}", report.text);
    if options.write {
        let csv = record::csv_file(&when);
        record::csv(&csv, &samples)?;
        let docs = peers::root().join("docs/benchmarks.md");
        record::tables(&docs, &format!("{}\n\n### Machine\n\n{machine}", report.text))?;
        eprintln!("wrote {} and {}", csv.display(), docs.display());
    }
    Ok(report.holds)
}

/// The subject first, then every peer found.
fn allocators(library: &Path) -> Result<Vec<Allocator>, String> {
    let path = library.canonicalize().map_err(|e| format!("{}: {e}", library.display()))?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let subject = Allocator { name: SUBJECT.to_owned(), version, path };
    Ok(core::iter::once(subject).chain(peers::find()).collect())
}

/// The tables and whether every bound holds.
struct Report {
    text: String,
    holds: bool,
}

fn report(
    library: &Path,
    definitions: &[Definition],
    samples: &Samples,
    allocators: &[Allocator],
    options: &Options,
) -> Result<Report, String> {
    let peers = allocators.iter().skip(1).map(|a| a.name.as_str()).collect();
    let names = Names { subject: SUBJECT, peers };
    let real: Vec<&Definition> = definitions.iter().filter(|d| d.real).collect();

    let mut lines = Vec::new();
    if options.only.is_empty() {
        lines.extend(figures::instructions(&golden::measure(Some(library))?));
    }
    lines.extend(definitions.iter().flat_map(|d| figures::of(d, samples, &names)));
    if !real.is_empty() {
        lines.extend(figures::means(&real, samples, &names));
    }
    let mut text = format!("### Bounds\n\n{}\n", tables::bounds(&lines));
    if !real.is_empty() {
        let ratios = tables::real(&real, samples, allocators, figures::GLIBC);
        text.push_str(&format!("\n### Real programs\n\n{ratios}\n"));
    }
    text.push_str("\n### Medians\n");
    for definition in definitions {
        let table = tables::medians(definition, samples, allocators);
        text.push_str(&format!("\n**{}**\n\n{table}\n", definition.name));
    }
    Ok(Report { text: text.trim_end().to_owned(), holds: lines.iter().all(|l| l.holds) })
}
