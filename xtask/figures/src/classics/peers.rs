//! The workloads of threads on the designs and on the peers: nowhere twice the best, and `sharded` beside mimalloc.

use std::path::Path;

use bench::result::{Cell, Report, Work};

use super::{Line, designs};
use crate::{command, figures, peers};

/// Workloads in which threads allocate at the same time, or one after the other.
const WORKLOADS: [&str; 19] = [
    "alloc-test",
    "batches",
    "bench-tiny-mt",
    "cache-scratch",
    "cache-thrash",
    "glibc-thread",
    "larson",
    "mleak",
    "mstress",
    "multi-thread",
    "phases",
    "rptest",
    "sh6",
    "sh8",
    "t-test1",
    "thread-churn",
    "tlsf-wide",
    "xmalloc",
    "t-test1-grid",
];

/// Others that count as peers, by the beginnings of their names.
const PEERS: [&str; 3] = ["mimalloc", "jemalloc", "tcmalloc"];

/// No workload of a design above this many times the best peer's time.
const MOST: f64 = 2.0;
/// `sharded` beside mimalloc 2, on the mean of time and of peak memory.
const BESIDE: f64 = 1.10;

fn time(cell: &Cell) -> Option<f64> {
    cell.time.map(|time| time.median)
}

fn peak(cell: &Cell) -> Option<f64> {
    cell.peak_rss.map(|peak| peak.median)
}

fn cell<'a>(report: &Report, work: &'a Work, name: &str) -> Option<&'a Cell> {
    let at = report.allocators.iter().position(|entry| entry.name == name)?;
    work.cells.get(at)
}

/// A design ÷ another allocator, over the workloads that both ended; `None`: one of them did not end all.
fn beside(report: &Report, design: &str, other: &str, of: fn(&Cell) -> Option<f64>) -> Option<f64> {
    let ratio = |work: &Work| {
        let of = |name| cell(report, work, name).and_then(of);
        Some(of(design)? / of(other)?)
    };
    figures::geometric_mean(&report.workloads.iter().map(ratio).collect::<Option<Vec<f64>>>()?)
}

/// All lines of this part.
pub(super) fn lines(heapwright: &Path, quick: bool) -> Result<Vec<Line>, String> {
    eprintln!("classics: workloads of threads");
    let mut found = peers::find();
    found.retain(|peer| PEERS.iter().any(|name| peer.name.starts_with(name)));
    if found.iter().any(|peer| peer.name == "mimalloc-2") {
        // The distribution's is an older version of the same.
        found.retain(|peer| peer.name != "mimalloc-2.0");
    }
    if found.is_empty() {
        return Err("no mimalloc, jemalloc or tcmalloc is there: cargo xtask peers".to_owned());
    }
    let others: Vec<String> =
        found.iter().map(|peer| format!("{}={}", peer.name, peer.path.display())).collect();
    let ours = designs().into_iter().map(str::to_owned);
    let all: Vec<String> = ["glibc".to_owned()].into_iter().chain(ours).chain(others).collect();
    let (scale, limit) = if quick { ("0.1", "5m") } else { ("0.5", "30m") };
    let mut words: Vec<String> = WORKLOADS.map(str::to_owned).to_vec();
    words.extend(
        ["-a", &all.join(","), "--scale", scale, "--time", limit, "--no-tails"].map(str::to_owned),
    );
    let report = command::bench(heapwright, &words)?;
    let mut lines = Vec::new();
    for design in designs() {
        lines.push(against_best(&report, design, &found).compared(&report));
    }
    let sharded = designs().contains(&"sharded");
    for (what, of) in [("time", time as fn(&Cell) -> Option<f64>), ("peak memory", peak)] {
        if !sharded {
            continue;
        }
        let says = format!("sharded: {what} ÷ mimalloc 2's over {} workloads", WORKLOADS.len());
        let bound = "at most 1.10";
        // The newest of its second generation: the one that is compiled, before a distribution's.
        let name = ["mimalloc-2", "mimalloc"]
            .into_iter()
            .find(|name| found.iter().any(|peer| peer.name == *name));
        lines.push(match name.and_then(|name| beside(&report, "sharded", name, of)) {
            Some(ratio) => {
                Line::new(says, format!("{ratio:.3}"), bound, ratio <= BESIDE).compared(&report)
            }
            None => Line::missing(says, bound),
        });
    }
    Ok(lines)
}

/// A design against the best peer in each workload; the table goes to the console.
fn against_best(report: &Report, design: &str, peers: &[peers::Allocator]) -> Line {
    let mut table = figures::table(&[design, "time ÷ the best peer's", "peak ÷ the least"]);
    let (mut worst, mut complete) = ((0.0, String::new()), true);
    for name in WORKLOADS {
        let work = report.workloads.iter().find(|work| work.name == name);
        let ratio = |of: fn(&Cell) -> Option<f64>| {
            let work = work?;
            let best = peers.iter().filter_map(|peer| of(cell(report, work, &peer.name)?));
            let best = best.min_by(f64::total_cmp)?;
            Some(of(cell(report, work, design)?)? / best)
        };
        let shown =
            |ratio: Option<f64>| ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
        table.add_row([name.to_owned(), shown(ratio(time)), shown(ratio(peak))]);
        match ratio(time) {
            Some(ratio) if ratio > worst.0 => worst = (ratio, name.to_owned()),
            Some(_) => {}
            None => complete = false,
        }
    }
    println!("{table}\n");
    let says = format!("{design}: the workload farthest behind the best peer");
    let figure =
        format!("{:.2}, {}{}", worst.0, worst.1, if complete { "" } else { "; some not measured" });
    Line::new(says, figure, "at most 2", complete && worst.0 <= MOST)
}
