//! `cargo xtask slowest`: the slowest malloc and the slowest free of every workload.
//!
//! Calls in which a page was touched for the first time, or another thread got the processor, are left out: what those take
//! is the system's and the machine's. What the allocator asks of the system in a call (unmapping, giving pages back) is in it,
//! and so is waiting for a lock. A virtual machine's host may stop a processor unseen: so each workload runs a few times,
//! and the middle run counts. All workloads at a tenth of their length take some three minutes.

use std::path::{Path, PathBuf};
use std::process::Command;

use bench::definition::{Definition, parse_all};
use clap::Args;

use crate::command;
use crate::figures;
use crate::files;
use crate::peers::{output, root};

/// The slowest malloc and free of workloads, in microseconds, without first touches of memory
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Workloads, or groups of them: texts, community, ours
    #[arg(default_values = ["texts", "community", "ours"])]
    workloads: Vec<String>,
    /// How long the workloads are
    #[arg(long, default_value = "0.1")]
    scale: String,
    /// Runs of each workload; the middle one counts
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u8).range(1..))]
    rounds: u8,
    /// Another library in heapwright's place
    #[arg(long, value_name = "PATH", env = "HEAPWRIGHT_SO")]
    lib: Option<PathBuf>,
}

/// What no call should take, in microseconds.
const MOST: f64 = 100.0;

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let (program, library) = command::workloads(options.lib.as_deref())?;
    let mut table = figures::table(["µs", "malloc", "free"]);
    let (mut kept, mut all) = (0, 0);
    for definition in chosen(&options.workloads)? {
        eprintln!("slowest: {}", definition.name);
        let slowest = middle(options, &program, &library, &definition)?;
        all += 1;
        kept += u32::from(slowest.iter().all(|us| *us <= MOST));
        let shown = slowest.map(|us| format!("{us:.1}"));
        table.add_row(core::iter::once(definition.name.clone()).chain(shown));
    }
    println!("{table}\n\n{kept} of {all} workloads have no call above {MOST} µs.");
    Ok(true)
}

pub(crate) fn definitions() -> Result<Vec<Definition>, String> {
    let folder = root().join("bench/definitions");
    let mut texts = Vec::new();
    for path in files::list(&folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        texts.push((name, files::read(&path)?));
    }
    parse_all(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
        .map_err(|e| e.to_string())
}

fn chosen(names: &[String]) -> Result<Vec<Definition>, String> {
    let mut all = definitions()?;
    let group = |d: &Definition| format!("{:?}", d.group).to_lowercase();
    if let Some(name) =
        names.iter().find(|name| !all.iter().any(|d| d.name == **name || group(d) == **name))
    {
        return Err(format!("there is no workload or group {name}"));
    }
    all.retain(|d| d.group.is_in_process() && names.iter().any(|n| *n == d.name || *n == group(d)));
    Ok(all)
}

/// The middle of the rounds' slowest calls, of malloc and of free.
fn middle(
    options: &Options,
    program: &Path,
    library: &Path,
    d: &Definition,
) -> Result<[f64; 2], String> {
    let mut rounds = Vec::new();
    for _ in 0..options.rounds {
        let mut run = Command::new(program);
        run.arg(d.workload.as_ref().unwrap_or(&d.name)).args(&d.args);
        run.args([&format!("scale={}", options.scale), "tail=2"]);
        let said =
            output(run.env("LD_PRELOAD", library)).map_err(|e| format!("{}: {e}", d.name))?;
        rounds.push(read(&said).ok_or_else(|| format!("{} printed no slowest call", d.name))?);
    }
    Ok([0, 1].map(|call| {
        let mut of_rounds: Vec<f64> = rounds.iter().map(|round| round[call]).collect();
        of_rounds.sort_by(f64::total_cmp);
        of_rounds[of_rounds.len() / 2]
    }))
}

/// What a run printed, in microseconds; the slowest, where several processes printed.
fn read(said: &str) -> Option<[f64; 2]> {
    let slowest = |call: &str| {
        let of =
            |line: &str| line.strip_prefix("slowest ")?.strip_prefix(call)?.trim().parse().ok();
        said.lines().filter_map(of).reduce(f64::max).map(|ns: f64| ns / 1000.0)
    };
    Some([slowest("malloc")?, slowest("free")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_of_all_processes_counts() {
        let said = "hist malloc 3.0 4\nslowest malloc 1500\nslowest free 20\nslowest malloc 900\nslowest free 2000\n";
        assert_eq!(read(said), Some([1.5, 2.0]));
        assert_eq!(read("slowest malloc 3\n"), None);
    }

    #[test]
    fn groups_and_names_are_found() {
        let names = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            chosen(&words).unwrap().into_iter().map(|d| d.name).collect()
        };
        assert_eq!(names(&["larson"]), ["larson"]);
        assert!(names(&["texts"]).len() > 5);
        assert!(chosen(&["no-such".to_owned()]).is_err());
    }
}
