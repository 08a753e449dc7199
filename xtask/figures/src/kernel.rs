//! `cargo xtask kernel`: what the kernel's allocators are held to, each figure against its bound.
//!
//! What was not measured is no pass.

use std::path::Path;
use std::process::{Command, Stdio};

use bench::metrics::Metrics;
use clap::Args;

use crate::command::{cargo, finish, workloads};
use crate::figures;
use crate::judge::{self, Bounds};
use crate::peers::target_dir;

/// The figures of the kernel's allocators, each against its bound
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A tenth of the work, and a store of 64 MiB
    #[arg(long)]
    quick: bool,
    /// Only these parts; may be given more than once
    #[arg(long, value_enum)]
    only: Vec<Part>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Densities, compaction, the long random run, the store
    Handles,
    /// Caches beside malloc
    Pairs,
    /// The order in which objects go out
    Stack,
    /// Walking a hash chain
    Chain,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let wants = |part| options.only.is_empty() || options.only.contains(&part);
    let quick = options.quick;
    let bounds = Bounds::read("kernel")?;
    let mut lines = Vec::new();
    if wants(Part::Handles) {
        let found = handles(quick)?;
        lines.extend(bounds.judge("handles", quick, |name| value(&found, name)));
    }
    if wants(Part::Pairs) || wants(Part::Stack) || wants(Part::Chain) {
        let (program, library) = workloads(None)?;
        if wants(Part::Pairs) {
            let found = pairs(&program, &library, quick)?;
            lines.extend(bounds.judge("pairs", quick, |name| value(&found, name)));
        }
        if wants(Part::Stack) {
            let share = stack(&program)?;
            lines.extend(bounds.judge("stack", quick, |_| share));
        }
        if wants(Part::Chain) {
            let ratio = chain(&program, &library, quick)?;
            lines.extend(bounds.judge("chain", quick, |_| ratio));
        }
    }
    Ok(judge::print(&lines))
}

/// What a program printed, which ended well.
fn measure(command: &mut Command) -> Result<Metrics, String> {
    let shown = format!("{command:?}");
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.map_err(|why| format!("{shown} did not start: {why}"))?;
    if !done.status.success() {
        return Err(format!("{shown}: {}", done.status));
    }
    Ok(Metrics::parse(&String::from_utf8_lossy(&done.stdout)))
}

fn value(metrics: &Metrics, name: &str) -> Option<f64> {
    metrics.values.iter().find(|value| value.0 == name).map(|value| value.1)
}

fn point(metrics: &Metrics, series: &str, x: f64) -> Option<f64> {
    let is_it = |point: &&(String, f64, f64)| point.0 == series && (point.1 - x).abs() < 1e-9;
    metrics.points.iter().find(is_it).map(|point| point.2)
}

fn handles(quick: bool) -> Result<Metrics, String> {
    eprintln!("kernel: handles and the store");
    let package = ["--release", "--quiet", "--package", "heapwright-handle"];
    finish(cargo().arg("build").args(package).args(["--example", "store"]))?;
    let mut program = Command::new(target_dir().join("release/examples/store"));
    let operations = if quick { 1e6 } else { 1e7 };
    program.args(["--bounds", &operations.to_string()]);
    if quick {
        program.args(["--size", "64"]);
    }
    measure(&mut program)
}

fn pairs(program: &Path, library: &Path, quick: bool) -> Result<Metrics, String> {
    eprintln!("kernel: caches beside malloc");
    let mut command = Command::new(program);
    command.args(["kernel-pairs", if quick { "scale=0.1" } else { "scale=1" }]);
    let found = measure(command.env("LD_PRELOAD", library))?;
    let show = |name: &str| value(&found, name).map_or("–".to_owned(), |ns| format!("{ns:.2}"));
    println!(
        "a pair of 64 bytes: malloc {} ns, cache {} ns, in bulk of 16 {} ns\n",
        show("malloc"),
        show("cache"),
        show("bulk")
    );
    Ok(found)
}

fn stack(program: &Path) -> Result<Option<f64>, String> {
    eprintln!("kernel: the order of objects");
    let found = measure(Command::new(program).arg("kmem-stack"))?;
    let orders: Vec<f64> = found.values.iter().map(|value| value.1).collect();
    let right = orders.iter().sum::<f64>();
    #[expect(clippy::cast_precision_loss, reason = "some dozen sequences")]
    let share = (!orders.is_empty()).then(|| right / orders.len() as f64);
    Ok(share)
}

const RUNS: usize = 11;

fn chain(program: &Path, library: &Path, quick: bool) -> Result<Option<f64>, String> {
    eprintln!("kernel: a hash chain");
    let ways = [("kmem_cache", false), ("kmalloc", false), ("malloc", false), ("malloc", true)];
    let mut all: [Vec<Metrics>; 4] = Default::default();
    for run in 0..if quick { 3 } else { RUNS } {
        for turn in 0..ways.len() {
            let at = (run + turn) % ways.len();
            let (name, preloaded) = ways[at];
            let mut command = Command::new(program);
            command.args(["chain", &format!("allocator={name}"), &format!("seed={}", run + 1)]);
            if preloaded {
                command.env("LD_PRELOAD", library);
            }
            all[at].push(measure(&mut command)?);
        }
    }
    let middle = |at: usize, series: &str, x: f64| {
        let figures: Vec<f64> = all[at].iter().filter_map(|run| point(run, series, x)).collect();
        bench::stats::median(&figures)
    };
    let columns =
        [("walk", 32), ("walk", 40), ("hot", 40), ("shuffled", 40), ("lines", 40), ("pages", 40)];
    let header = columns.map(|(series, bytes)| format!("{series} {bytes} B"));
    let header = header.iter().map(String::as_str);
    let mut table = figures::table(core::iter::once("chain of 200").chain(header));
    let names = ["own cache", "shared kmalloc", "glibc", "heapwright"];
    for (at, name) in names.into_iter().enumerate() {
        let shown = columns.map(|(series, bytes)| {
            let figure = middle(at, series, f64::from(bytes));
            figure.map_or("–".to_owned(), |figure| format!("{figure:.2}"))
        });
        table.add_row(core::iter::once(name.to_owned()).chain(shown));
    }
    println!("{table}\nns an item; medians of runs in turn\n");
    let ratios: Vec<f64> = all[0]
        .iter()
        .zip(&all[1])
        .filter_map(|(own, shared)| Some(point(shared, "walk", 40.0)? / point(own, "walk", 40.0)?))
        .collect();
    Ok(bench::stats::median(&ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options: Options = crate::parsed("--quick --only pairs --only chain").unwrap();
        assert!(options.quick && options.only == [Part::Pairs, Part::Chain]);
        assert!(crate::parsed::<Options>("--only rain").is_err());
    }
}
