//! `cargo xtask kernel`: what the kernel's allocators are held to, each figure against its bound.
//!
//! | figure | from |
//! |---|---|
//! | densities on distributions of lengths, beside a simulation of the kernel's rules | `tools/store/examples/kernel_bounds.rs` |
//! | ten million random operations with compaction: every handle and byte | the same |
//! | the store on real files: memory, what compaction gives back, the time of `get` | the same |
//! | a pair of a cache, alone and in bulk, beside the flagship's malloc | the workload `kernel-pairs`, all three in turn in one process |
//! | the order of objects | the workload `kmem-stack` |
//! | a chain's walk, out of its own cache and out of a shared one | the workload `chain`, runs of each in turn |
//!
//! What was not measured is no pass. With `--pictures` it measures nothing of this, but draws the pictures of
//! `docs/kernel-allocators.md` by `heapwright bench`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench::metrics::Metrics;
use clap::Args;

use crate::command::{self, cargo, finish, workloads};
use crate::figures;
use crate::peers::{root, target_dir};

/// The figures of the kernel's allocators, each against its bound
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A tenth of the work, and a store of 64 MiB
    #[arg(long)]
    quick: bool,
    /// Only these parts; may be given more than once
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// Draw the pictures of docs/kernel-allocators.md anew instead
    #[arg(long, conflicts_with_all = ["only", "quick"])]
    pictures: bool,
    /// The command to draw with, instead of building it
    #[arg(long, value_name = "PATH", requires = "pictures")]
    heapwright: Option<PathBuf>,
}

/// The pictures: what `heapwright bench` is asked for, and which of its plots are kept.
const PICTURES: [(&str, &[&str]); 2] = [
    (
        "kernel-sweep --rounds 7 --scale 0.5",
        &["curve-kernel-sweep-pair", "curve-kernel-sweep-waste"],
    ),
    ("chain --rounds 9", &["curve-chain-walk"]),
];

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

/// A figure and its bound.
struct Line {
    says: &'static str,
    figure: Option<f64>,
    /// How it is written.
    digits: usize,
    bound: Bound,
}

/// What a figure may be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Most(f64),
    Least(f64),
    /// This far from 1 at the most.
    Near(f64),
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::Most(bound) => figure <= bound,
            Self::Least(bound) => figure >= bound,
            Self::Near(most) => (figure - 1.0).abs() <= most,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Most(bound) => format!("at most {bound}"),
            Self::Least(bound) => format!("at least {bound}"),
            Self::Near(most) => format!("within {most} of 1"),
        }
    }
}

/// The chore; whether every figure is within its bound.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if options.pictures {
        return pictures(options.heapwright.as_deref());
    }
    let wants = |part| options.only.is_empty() || options.only.contains(&part);
    let quick = options.quick;
    let mut lines = Vec::new();
    if wants(Part::Handles) {
        lines.extend(handles(quick)?);
    }
    if wants(Part::Pairs) || wants(Part::Stack) || wants(Part::Chain) {
        let (program, library) = workloads(None)?;
        if wants(Part::Pairs) {
            lines.extend(pairs(&program, &library, quick)?);
        }
        if wants(Part::Stack) {
            lines.push(stack(&program)?);
        }
        if wants(Part::Chain) {
            lines.extend(chain(&program, &library, quick)?);
        }
    }
    let mut table = figures::table(&["", "figure", "bound", ""]);
    let mut good = true;
    for Line { says, figure, digits, bound } in lines {
        let holds = figure.is_some_and(|figure| bound.holds(figure));
        good &= holds;
        let shown = figure.map_or("not measured".to_owned(), |figure| format!("{figure:.digits$}"));
        let verdict = if holds { "pass" } else { "**FAIL**" };
        table.add_row([says, &shown, &bound.words(), verdict]);
    }
    println!("{table}");
    Ok(good)
}

/// Draws the pictures.
fn pictures(given: Option<&Path>) -> Result<bool, String> {
    let heapwright = command::heapwright(given)?;
    let folder = target_dir().join("kernel");
    let shown = folder.display().to_string();
    for (words, plots) in PICTURES {
        let mut all: Vec<String> = words.split(' ').map(str::to_owned).collect();
        all.extend(["-o", &shown, "--force"].map(str::to_owned));
        command::bench(&heapwright, &all)?;
        for plot in plots {
            let name = plot.trim_start_matches("curve-");
            let from = folder.join("plots").join(plot).with_extension("svg");
            let to = root().join("docs/pictures").join(name).with_extension("svg");
            fs::copy(&from, &to).map_err(|why| format!("{}: {why}", from.display()))?;
            println!("kernel: drew {}", to.display());
        }
    }
    Ok(true)
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

/// The height of a curve.
fn point(metrics: &Metrics, series: &str, x: f64) -> Option<f64> {
    let is_it = |point: &&(String, f64, f64)| point.0 == series && (point.1 - x).abs() < 1e-9;
    metrics.points.iter().find(is_it).map(|point| point.2)
}

fn handles(quick: bool) -> Result<Vec<Line>, String> {
    eprintln!("kernel: handles and the store");
    let package = ["--release", "--quiet", "--package", "heapwright-store"];
    finish(cargo().arg("build").args(package).args(["--example", "kernel_bounds"]))?;
    let mut program = Command::new(target_dir().join("release/examples/kernel_bounds"));
    let operations = if quick { 1e6 } else { 1e7 };
    if quick {
        program.args(["--operations", "1000000", "--size", "64"]);
    }
    let found = measure(&mut program)?;
    let least_bytes = if quick { 0.0 } else { f64::from(256 << 20) };
    let all = [
        (
            "density of xvmalloc, filled, half freed and filled again: from the table",
            "density-xvmalloc",
            4,
            Bound::Most(0.01),
        ),
        (
            "density of zsmalloc with chains of 4: from the table",
            "density-zsmalloc-4",
            4,
            Bound::Most(0.01),
        ),
        (
            "density of zsmalloc with chains of 8: from the table",
            "density-zsmalloc-8",
            4,
            Bound::Most(0.01),
        ),
        (
            "density of zsmalloc with chains of 16: from the table",
            "density-zsmalloc-16",
            4,
            Bound::Most(0.01),
        ),
        ("density of zbud: from the table", "density-zbud", 4, Bound::Most(0.01)),
        (
            "density of zsmalloc after compaction, chains of 4: from the table",
            "compacted-zsmalloc-4",
            4,
            Bound::Most(0.01),
        ),
        ("the same, chains of 8", "compacted-zsmalloc-8", 4, Bound::Most(0.01)),
        ("the same, chains of 16", "compacted-zsmalloc-16", 4, Bound::Most(0.01)),
        (
            "memory that the process has less after compaction ÷ what was promised",
            "resident",
            3,
            Bound::Near(0.05),
        ),
        (
            "random operations with compaction, every handle and byte right",
            "operations",
            0,
            Bound::Least(operations),
        ),
        ("bytes of real files in the store", "store-bytes", 0, Bound::Least(least_bytes)),
        (
            "store on zsmalloc, chains of 8, compacted: used ÷ compressed",
            "store-used-compacted",
            3,
            Bound::Most(1.05),
        ),
        (
            "get of a page ÷ decompressing it, one page after the other",
            "get-in-order",
            3,
            Bound::Most(1.15),
        ),
        ("the same, pages at random", "get-at-random", 3, Bound::Most(1.15)),
    ];
    let line =
        |(says, name, digits, bound)| Line { says, figure: value(&found, name), digits, bound };
    Ok(all.map(line).into())
}

fn pairs(program: &Path, library: &Path, quick: bool) -> Result<Vec<Line>, String> {
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
    Ok(vec![
        Line {
            says: "a cache's pair of 64 bytes ÷ the flagship's malloc and free",
            figure: value(&found, "cache_over_malloc"),
            digits: 3,
            bound: Bound::Most(1.0),
        },
        Line {
            says: "in bulk of 16, an object ÷ that pair",
            figure: value(&found, "bulk_over_cache"),
            digits: 3,
            bound: Bound::Most(0.5),
        },
    ])
}

fn stack(program: &Path) -> Result<Line, String> {
    eprintln!("kernel: the order of objects");
    let found = measure(Command::new(program).arg("kmem-stack"))?;
    let orders: Vec<f64> = found.values.iter().map(|value| value.1).collect();
    let right = orders.iter().sum::<f64>();
    #[expect(clippy::cast_precision_loss, reason = "some dozen sequences")]
    let share = (!orders.is_empty()).then(|| right / orders.len() as f64);
    Ok(Line {
        says: "sequences A, B and C of a cache as expected, of all",
        figure: share,
        digits: 3,
        bound: Bound::Least(1.0),
    })
}

/// How often each way is run.
const RUNS: usize = 11;

fn chain(program: &Path, library: &Path, quick: bool) -> Result<Vec<Line>, String> {
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
    let mut table = figures::table(&[
        "chain of 200",
        "walk 32 B",
        "walk 40 B",
        "hot 40 B",
        "shuffled 40 B",
        "lines 40 B",
        "pages 40 B",
    ]);
    let names = ["own cache", "shared kmalloc", "glibc", "heapwright"];
    for (at, name) in names.into_iter().enumerate() {
        let shown = |series: &str, x: f64| {
            middle(at, series, x).map_or("–".to_owned(), |figure| format!("{figure:.2}"))
        };
        table.add_row([
            name.to_owned(),
            shown("walk", 32.0),
            shown("walk", 40.0),
            shown("hot", 40.0),
            shown("shuffled", 40.0),
            shown("lines", 40.0),
            shown("pages", 40.0),
        ]);
    }
    println!("{table}\nns an item; medians of runs in turn\n");
    let ratios: Vec<f64> = all[0]
        .iter()
        .zip(&all[1])
        .filter_map(|(own, shared)| Some(point(shared, "walk", 40.0)? / point(own, "walk", 40.0)?))
        .collect();
    Ok(vec![Line {
        says: "items of 40 bytes: walking them in kmalloc's shared cache ÷ in one of their own",
        figure: bench::stats::median(&ratios),
        digits: 3,
        bound: Bound::Least(1.3),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_at_their_ends() {
        assert!(Bound::Most(1.0).holds(1.0) && !Bound::Most(1.0).holds(1.001));
        assert!(Bound::Least(1.3).holds(1.3) && !Bound::Least(1.3).holds(1.29));
        assert!(Bound::Near(0.05).holds(0.96) && !Bound::Near(0.05).holds(1.06));
        assert!(!Bound::Most(1.0).holds(f64::NAN));
    }

    #[test]
    fn options_are_read() {
        let options: Options = crate::parsed("--quick --only pairs --only chain").unwrap();
        assert!(options.quick && options.only == [Part::Pairs, Part::Chain]);
        assert!(crate::parsed::<Options>("--only rain").is_err());
        assert!(crate::parsed::<Options>("--pictures --only chain").is_err());
        assert!(crate::parsed::<Options>("--heapwright x").is_err());
    }
}
