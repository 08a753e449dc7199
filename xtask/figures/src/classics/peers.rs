//! The workloads of threads on the designs and on the peers: nowhere twice the best, and `sharded` beside mimalloc.

use std::path::Path;

use bench::result::{Cell, Report, Work};

use super::{compared, designs};
use crate::judge::{Bounds, Line};
use crate::{command, figures, peers};

/// Workloads in which threads allocate at the same time, or one after the other.
const WORKLOADS: &str = "alloc-test batches bench-tiny-mt cache-scratch cache-thrash glibc-thread larson mleak mstress \
     multi-thread phases rptest sh6 sh8 t-test1 thread-churn tlsf-wide xmalloc t-test1-grid";

/// Others that count as peers, by the beginnings of their names.
const PEERS: [&str; 3] = ["mimalloc", "jemalloc", "tcmalloc"];

fn time(cell: &Cell) -> Option<f64> {
    cell.time.map(|time| time.median)
}

fn peak(cell: &Cell) -> Option<f64> {
    cell.peak_rss.map(|peak| peak.median)
}

/// A design ÷ another allocator, over the workloads that both ended; `None`: one of them did not end all.
fn beside(report: &Report, design: &str, other: &str, of: fn(&Cell) -> Option<f64>) -> Option<f64> {
    let ratio = |work: &Work| {
        let of = |name| report.cell_of(work, name).and_then(of);
        Some(of(design)? / of(other)?)
    };
    figures::geometric_mean(&report.workloads.iter().map(ratio).collect::<Option<Vec<f64>>>()?)
}

pub(super) fn lines(bounds: &Bounds, heapwright: &Path, quick: bool) -> Result<Vec<Line>, String> {
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
    let mut words: Vec<String> = WORKLOADS.split_whitespace().map(str::to_owned).collect();
    words.extend(
        ["-a", &all.join(","), "--scale", scale, "--time", limit, "--no-tails"].map(str::to_owned),
    );
    let report = command::bench(heapwright, &words)?;
    let mut lines = Vec::new();
    for design in designs() {
        let (worst, shown) = against_best(&report, design, &found);
        let figure = |_: &str| compared(worst, shown.clone(), &report);
        let judged = bounds.judge("workloads", quick, figure);
        lines.extend(judged.into_iter().map(|line| line.of(design)));
    }
    // The newest of its second generation: the one that is compiled, before a distribution's.
    let is_there = |name: &&str| found.iter().any(|peer| peer.name == *name);
    let other = ["mimalloc-2", "mimalloc"].into_iter().find(is_there);
    if designs().contains(&"sharded") {
        let figure = |name: &str| {
            let of = if name == "time" { time } else { peak };
            compared(other.and_then(|other| beside(&report, "sharded", other, of)), None, &report)
        };
        let judged = bounds.judge("beside-mimalloc", quick, figure);
        lines.extend(judged.into_iter().map(|line| line.of("sharded")));
    }
    Ok(lines)
}

/// A design against the best peer in each workload; the table goes to the console.
fn against_best(
    report: &Report,
    design: &str,
    peers: &[peers::Allocator],
) -> (Option<f64>, Option<String>) {
    let mut table = figures::table([design, "time ÷ the best peer's", "peak ÷ the least"]);
    let (mut worst, mut complete) = ((0.0, String::new()), true);
    for name in WORKLOADS.split_whitespace() {
        let work = report.workloads.iter().find(|work| work.name == name);
        let ratio = |of: fn(&Cell) -> Option<f64>| {
            let work = work?;
            let best = peers.iter().filter_map(|peer| of(report.cell_of(work, &peer.name)?));
            let best = best.min_by(f64::total_cmp)?;
            Some(of(report.cell_of(work, design)?)? / best)
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
    // A worst that is not known of all is none.
    (complete.then_some(worst.0), complete.then(|| format!("{:.2}, {}", worst.0, worst.1)))
}
