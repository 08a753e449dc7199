//! `cargo xtask reach`: every figure that the project set itself, against its bound.
//!
//! What is measured, and the bounds, are data: `bench/reach/bounds.toml`. `heapwright bench` measures it, on
//! heapwright and every peer that `cargo xtask peers` finds; what its result says is judged here. The fast paths'
//! instructions have bounds too: `cargo xtask golden --check`.

mod bounds;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::command;
use crate::judge::{self, Line};
use crate::peers;
use crate::programs;
use bounds::Entry;

/// The figures the project set itself, each against its bound
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// One round of shorter runs
    #[arg(long)]
    quick: bool,
    /// Only entries whose name begins so; may be given more than once
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How many rounds [default: 5; 1 with --quick]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Another library in heapwright's place
    #[arg(long, value_name = "PATH", env = "HEAPWRIGHT_SO")]
    lib: Option<PathBuf>,
    /// The command to measure with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
    /// What is measured, and what each entry shows; measures nothing
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let mut entries = bounds::load(&peers::root().join("bench/reach/bounds.toml"))?;
    if !options.only.is_empty() {
        entries.retain(|e| options.only.iter().any(|o| e.name.starts_with(o.as_str())));
        if entries.is_empty() {
            return Err("--only leaves nothing: --list shows the names".to_owned());
        }
    }
    if options.list {
        for entry in &entries {
            println!("{}\n{}", entry.name, entry.about.trim());
        }
        return Ok(true);
    }
    if let Some(library) = &options.lib {
        command::must_be_a_malloc(library)?;
    }
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let mut lines = Vec::new();
    for entry in &entries {
        eprintln!("reach: {}", entry.name);
        lines.extend(measure(entry, &heapwright, options)?);
    }
    Ok(judge::print(&lines))
}

fn measure(entry: &Entry, heapwright: &Path, options: &Options) -> Result<Vec<Line>, String> {
    let subject = match &options.lib {
        Some(library) => format!("{}={}", bounds::SUBJECT, library.display()),
        None => bounds::SUBJECT.to_owned(),
    };
    let peers = peers::find().into_iter().filter(|peer| peer.name != bounds::GLIBC);
    let others = peers.map(|peer| format!("{}={}", peer.name, peer.path.display()));
    let allocators: Vec<String> =
        [subject, bounds::GLIBC.to_owned()].into_iter().chain(others).collect();
    let rounds = options.rounds.unwrap_or(if options.quick { 1 } else { 5 });
    let mut words = vec!["-a".to_owned(), allocators.join(",")];
    words.extend(["--no-tails", "--no-pin", "--rounds"].map(str::to_owned));
    words.push(rounds.to_string());
    if entry.workloads.is_empty() {
        let run = entry.quick.as_ref().filter(|_| options.quick).unwrap_or(&entry.run);
        let (program, arguments) = run.split_first().ok_or("an entry runs nothing")?;
        let program = programs::build(program)?.display().to_string();
        words.extend(["--".to_owned(), program]);
        words.extend_from_slice(arguments);
    } else {
        let scale = if options.quick { "0.3" } else { "1" };
        words.extend(["--scale".to_owned(), scale.to_owned()]);
        words.extend_from_slice(&entry.workloads);
    }
    Ok(bounds::judge(entry, &command::bench(heapwright, &words)?))
}
