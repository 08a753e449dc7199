//! `cargo xtask scaling`: the flagship on 1 to 128 processors that are not there.
//!
//! Workloads run with as many threads as there shall be processors, and a preloaded library writes down what they ask of
//! malloc; the program of `bench/scaling`, in which the flagship's own code is compiled with atomics that say what they do, is
//! fed with it. docs/scaling.md has what is assumed. Linux with glibc, a C compiler; everything takes some ten minutes and
//! 2 GB of disk at a time.

mod page;
mod picture;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::command::{cargo, each, finish};
use crate::figures;
use crate::peers::{output, root, target_dir};

/// Throughput of the flagship on 1 to 128 simulated processors
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Workloads; all that are simulated, if none is named
    workloads: Vec<String>,
    /// Numbers of processors, the first of which the others are compared with
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16, 32, 64, 128])]
    cores: Vec<usize>,
    /// Nanoseconds that a program works between two calls
    #[arg(long, default_value_t = 20)]
    work: u64,
    /// Do not compare ways to choose shards, nor machines
    #[arg(long)]
    only_usual: bool,
    /// Put tables and picture into docs
    #[arg(long)]
    write: bool,
}

/// A workload, and what it is run with for a number of processors.
struct Plan {
    name: &'static str,
    words: fn(usize) -> String,
    /// Whether threads are held to as many blocks as in the record: it has a queue with an end.
    is_bounded: bool,
}

const PLANS: [Plan; 7] = [
    Plan {
        name: "larson",
        words: |n| format!("threads={n} steps=10000 generations=3"),
        is_bounded: false,
    },
    Plan {
        name: "xmalloc",
        words: |n| format!("threads={n} batches={}", n.max(2) * 20),
        is_bounded: true,
    },
    Plan {
        name: "mstress",
        words: |n| format!("threads={n} trees=30 rounds=4"),
        is_bounded: false,
    },
    Plan { name: "t-test1", words: |n| format!("threads={n} operations=40000"), is_bounded: false },
    Plan { name: "sh6", words: |n| format!("threads={n} bursts=400"), is_bounded: false },
    Plan { name: "sh8", words: |n| format!("threads={n} bursts=400"), is_bounded: false },
    Plan {
        name: "thread-churn",
        words: |n| format!("together={n} threads={}", n * 20),
        is_bounded: false,
    },
];

/// Variants of a run: what is said of them, and the simulator's words.
const VARIANTS: [(&str, &[&str]); 5] = [
    ("as it is", &["shards=node"]),
    ("without nodes", &["shards=split"]),
    ("16 shards from the start", &["shards=number"]),
    ("one shard", &["shards=one"]),
    ("as it is, on the mesh", &["shards=node", "machine=mesh"]),
];

/// What the simulator says of a run, by name.
type Figures = HashMap<String, f64>;

/// Runs by workload, number of processors, and variant.
#[derive(Debug, Default)]
struct Runs(HashMap<(&'static str, usize, usize), Figures>);

impl Runs {
    fn get(&self, work: &str, cores: usize, variant: usize, figure: &str) -> Option<f64> {
        let mut runs = self.0.iter();
        let run = runs.find(|((name, n, v), _)| (*name, *n, *v) == (work, cores, variant))?.1;
        run.get(figure).copied()
    }

    /// Nanoseconds of a call, and of the program for each call.
    fn each(&self, work: &str, cores: usize, variant: usize) -> Option<f64> {
        let part = |figure| self.get(work, cores, variant, figure);
        Some(part("call_ns")? + part("program_ns")?)
    }

    /// How much more the processors do than the first number of them in `all`, if none is idle; of one as many.
    #[expect(clippy::cast_precision_loss, reason = "at most 128")]
    fn throughput(&self, work: &str, cores: usize, variant: usize, all: &[usize]) -> Option<f64> {
        let alone = all.iter().find_map(|&n| Some((n, self.each(work, n, 0)?)))?;
        Some(cores as f64 * alone.1 / self.each(work, cores, variant)?)
    }
}

/// The chore; it has no bounds to fail.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let known = |name: &String| PLANS.iter().any(|plan| plan.name == name);
    if let Some(unknown) = options.workloads.iter().find(|name| !known(name)) {
        let all = PLANS.map(|plan| plan.name).join(", ");
        return Err(format!("{unknown} is not simulated; there are {all}"));
    }
    let tools = Tools::build()?;
    let folder = target_dir().join("scaling");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let chosen = |plan: &&Plan| {
        options.workloads.is_empty() || options.workloads.iter().any(|name| name == plan.name)
    };
    let plans: Vec<&Plan> = PLANS.iter().filter(chosen).collect();
    let mut runs = Runs::default();
    for &cores in &options.cores {
        for plan in &plans {
            eprintln!("scaling: {} on {cores}", plan.name);
            let record = folder.join(format!("{}-{cores}", plan.name));
            tools.record(plan, cores, &record)?;
            let is_most = options.cores.iter().max() == Some(&cores);
            let all = !options.only_usual && is_most;
            let variants: Vec<usize> = (0..if all { VARIANTS.len() } else { 1 }).collect();
            let made =
                each(&variants, |&variant| tools.simulate(plan, cores, variant, options, &record));
            // A record of the next number takes its place.
            let _ = fs::remove_file(&record);
            for (variant, figures) in variants.into_iter().zip(made) {
                let figures = figures?;
                let of = |name: &str| figures.get(name).copied().unwrap_or_default();
                let (call, shards) = (of("call_ns"), of("shards"));
                eprintln!("    {}: {call:.1} ns a call, {shards} shards", VARIANTS[variant].0);
                runs.0.insert((plan.name, cores, variant), figures);
            }
        }
    }
    let names: Vec<&str> = plans.iter().map(|plan| plan.name).collect();
    let mut tables = tables(&runs, &names, options);
    if options.cores.starts_with(&[1, 2]) {
        tables.push_str(&compare(&tools, &plans, &runs)?);
    }
    println!("{tables}");
    if options.write {
        page::write(&root().join("docs/scaling.md"), &tables)?;
        let file = root().join("docs/pictures/scaling.svg");
        let lines: Vec<picture::Line> = names
            .iter()
            .map(|name| picture::Line {
                name: (*name).to_owned(),
                points: options
                    .cores
                    .iter()
                    .filter_map(|&n| Some((n, runs.throughput(name, n, 0, &options.cores)?)))
                    .collect(),
            })
            .collect();
        fs::write(&file, picture::svg(&lines)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(true)
}

/// What is started.
struct Tools {
    workloads: PathBuf,
    library: PathBuf,
    recorder: PathBuf,
    simulator: PathBuf,
}

impl Tools {
    fn build() -> Result<Self, String> {
        let words = ["--package", "heapwright-workloads", "--package", "heapwright-abi"];
        finish(cargo().args(["build", "--release", "--quiet"]).args(words))?;
        let target = target_dir().join("simulated");
        finish(
            cargo()
                .args(["build", "--release", "--quiet", "--package", "heapwright-scaling"])
                .arg("--target-dir")
                .arg(&target)
                .env("RUSTFLAGS", flags()),
        )?;
        let built = target_dir().join("release");
        let recorder = built.join("librecord.so");
        let source = root().join("bench/scaling/record.c");
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&recorder).arg(source).arg("-ldl");
        output(&mut cc)?;
        Ok(Self {
            workloads: built.join("heapwright-workloads"),
            library: built.join("libheapwright.so"),
            recorder,
            simulator: target.join("release/heapwright-scaling"),
        })
    }

    fn work(&self, plan: &Plan, cores: usize) -> Command {
        let mut command = Command::new(&self.workloads);
        command.arg(plan.name).args((plan.words)(cores).split_whitespace());
        command
    }

    fn record(&self, plan: &Plan, cores: usize, file: &Path) -> Result<(), String> {
        let mut work = self.work(plan, cores);
        output(work.env("LD_PRELOAD", &self.recorder).env("RECORD", file)).map(drop)
    }

    fn simulate(
        &self,
        plan: &Plan,
        cores: usize,
        variant: usize,
        options: &Options,
        record: &Path,
    ) -> Result<Figures, String> {
        let mut simulator = Command::new(&self.simulator);
        simulator.arg(record).args([format!("cores={cores}"), format!("work={}", options.work)]);
        simulator.args(VARIANTS[variant].1).args(plan.is_bounded.then_some("blocks=bounded"));
        figures_of(&output(&mut simulator)?)
    }
}

/// What rustc is told for the simulator.
pub(crate) fn flags() -> String {
    format!("{} --cfg simulated", std::env::var("RUSTFLAGS").unwrap_or_default())
}

/// A name and a number in each line.
fn figures_of(text: &str) -> Result<Figures, String> {
    let figure = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let lines = text.lines().map(|line| figure(line).ok_or(format!("no figure: {line}")));
    lines.collect()
}

fn tables(runs: &Runs, names: &[&str], options: &Options) -> String {
    let all = &options.cores;
    let most = all.iter().copied().max().unwrap_or(1);
    let show = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
    };
    let header: Vec<String> =
        core::iter::once("throughput".to_owned()).chain(all.iter().map(usize::to_string)).collect();
    let mut by_cores = figures::table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for name in names {
        let throughput = all.iter().map(|&n| show(runs.throughput(name, n, 0, all), 1));
        by_cores.add_row(core::iter::once((*name).to_owned()).chain(throughput));
    }
    let parts = [
        ("instructions", "instructions_ns"),
        ("lines", "lines_ns"),
        ("shelves", "wait_shelves_ns"),
        ("pages", "wait_pages_ns"),
        ("descriptors", "wait_descriptors_ns"),
        ("system", "system_ns"),
    ];
    let header = ["ns a call", "processors", "busy", "whole call"];
    let header: Vec<&str> =
        header.into_iter().chain(parts.iter().map(|part| part.0)).chain(["shards"]).collect();
    let mut where_time_goes = figures::table(&header);
    for name in names {
        for &n in all.iter().filter(|&&n| n == all[0] || n == 16 || n == most) {
            let get = |figure: &str, digits| show(runs.get(name, n, 0, figure), digits);
            let row = [(*name).to_owned(), n.to_string(), get("busy_cores", 1), get("call_ns", 1)];
            let row = row.into_iter().chain(parts.iter().map(|part| get(part.1, 1)));
            where_time_goes.add_row(row.chain([get("shards", 0)]));
        }
    }
    let mut text = format!("{by_cores}\n\n{where_time_goes}\n");
    if !options.only_usual {
        let first = format!("throughput on {most}, held ÷ live");
        let header: Vec<&str> =
            core::iter::once(first.as_str()).chain(VARIANTS.iter().map(|v| v.0)).collect();
        let mut variants = figures::table(&header);
        for name in names {
            let cell = |variant| {
                let get = |figure| runs.get(name, most, variant, figure);
                let held = get("peak_held_mib").zip(get("peak_live_mib")).map(|(h, l)| h / l);
                let throughput = runs.throughput(name, most, variant, all);
                format!("{}, {}", show(throughput, 1), show(held, 2))
            };
            let cells = (0..VARIANTS.len()).map(cell);
            variants.add_row(core::iter::once((*name).to_owned()).chain(cells));
        }
        text.push_str(&format!("\n{variants}\n"));
    }
    text
}

/// Two threads against one: simulated, and on this machine, the best of seven runs of each.
fn compare(tools: &Tools, plans: &[&Plan], runs: &Runs) -> Result<String, String> {
    let mut table = figures::table(&["work a nanosecond, 2 ÷ 1", "simulated", "this machine"]);
    for plan in plans {
        let mut best = [f64::INFINITY; 2];
        let mut work = [0.0; 2];
        for _ in 0..7 {
            for cores in [1, 2] {
                let mut command = tools.work(plan, cores);
                let said = output(command.env("LD_PRELOAD", &tools.library).arg("scale=1"))?;
                let figure = |name: &str| {
                    let line = said.lines().find_map(|line| line.strip_prefix(name));
                    line.and_then(|value| value.trim().parse::<f64>().ok())
                };
                let (Some(ns), Some(ops)) = (figure("ns "), figure("ops ")) else {
                    return Err(format!("{} said neither ns nor ops", plan.name));
                };
                best[cores - 1] = best[cores - 1].min(ns);
                work[cores - 1] = ops;
            }
        }
        let measured = work[1] / best[1] / (work[0] / best[0]);
        let simulated = runs.get(plan.name, 1, 0, "calls_a_us");
        let ratio =
            runs.get(plan.name, 2, 0, "calls_a_us").zip(simulated).map(|(two, one)| two / one);
        let ratio = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        table.add_row([plan.name.to_owned(), ratio, format!("{measured:.2}")]);
    }
    Ok(format!("\n{table}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Runs {
        let run = |call: f64| {
            HashMap::from([("call_ns".to_owned(), call), ("program_ns".to_owned(), 10.0)])
        };
        Runs(HashMap::from([(("larson", 2, 0), run(10.0)), (("larson", 8, 0), run(30.0))]))
    }

    #[test]
    fn throughput_is_compared_with_the_first_number_that_there_is() {
        let all = [1, 2, 8];
        assert_eq!(runs().throughput("larson", 2, 0, &all), Some(2.0));
        assert_eq!(runs().throughput("larson", 8, 0, &all), Some(4.0), "half as fast each");
        assert_eq!(runs().throughput("larson", 1, 0, &all), None);
        assert_eq!(runs().throughput("larson", 8, 1, &all), None);
    }

    #[test]
    fn figures_are_lines_of_a_name_and_a_number() {
        let figures = figures_of("call_ns 4.5\nshards 16\n").expect("figures");
        assert_eq!((figures["call_ns"], figures["shards"]), (4.5, 16.0));
        assert!(figures_of("what").is_err() && figures_of("call_ns fast").is_err());
    }

    #[test]
    fn tables_say_what_there_is_not() {
        let options = crate::parsed::<Options>("larson --cores 2,8 --only-usual").expect("right");
        let text = tables(&runs(), &["larson", "sh6"], &options);
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        for row in ["| larson | 2.0 | 4.0 |", "| sh6 | – | – |"] {
            let wanted: Vec<&str> = row.split_whitespace().collect();
            assert!(rows.contains(&wanted), "{row} in\n{text}");
        }
    }
}
