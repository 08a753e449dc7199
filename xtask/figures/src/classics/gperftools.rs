//! `thread-caching` beside the library whose design it is: five programs, processor time and peak memory of each, with intervals.

use std::path::Path;

use bench::result::{Cell, Report, Work};
use bench::stats::{ENOUGH_PAIRS, Ratio};

use crate::judge::{Bounds, Figure, Line};
use crate::{command, peers, programs};

const OURS: &str = "thread-caching";
const PEER: &str = "tcmalloc";
/// The workloads, and what the bound calls each.
const WORKLOADS: [(&str, &str); 4] =
    [("python3", "python"), ("mixed", "mixed"), ("gxx", "g++"), ("bench-tiny-mt", "bursts")];
/// A program of `bench/programs`: one thread allocates, another frees.
const HANDS_OVER: &str = "prodcons";

pub(super) fn lines(bounds: &Bounds, heapwright: &Path, quick: bool) -> Result<Vec<Line>, String> {
    eprintln!("classics: thread-caching beside gperftools");
    let found = peers::find();
    let Some(peer) = found.iter().find(|peer| peer.name == PEER) else {
        return Err(format!("no {PEER} is there: cargo xtask peers"));
    };
    let both = format!("{PEER}={},{OURS}", peer.path.display());
    let rounds = if quick { "6" } else { "20" };
    let measure = |words: &[&str]| {
        let how = ["-a", &both, "--rounds", rounds, "--no-tails"];
        let all = how.iter().chain(words).map(|word| (*word).to_owned());
        command::bench(heapwright, &all.collect::<Vec<_>>())
    };
    let of_workloads = measure(&WORKLOADS.map(|(workload, _)| workload))?;
    let program = programs::build(HANDS_OVER)?.display().to_string();
    let count = if quick { "2000000" } else { "8000000" };
    let handed_over = measure(&["--", &program, count])?;
    let figure = |name: &str| {
        let place = WORKLOADS.iter().find(|(_, known)| *known == name);
        let cell = match place {
            Some((workload, _)) => ours(&of_workloads, |work| work.name == *workload),
            None => ours(&handed_over, |_| true),
        };
        cell.map_or_else(Figure::default, |cell| beside(cell, bounds.most("gperftools", name)))
    };
    Ok(bounds.judge("gperftools", quick, figure).into_iter().map(|line| line.of(OURS)).collect())
}

/// What ours took; the cell before it is the peer's once more, for the noise.
fn ours(report: &Report, is_it: impl Fn(&Work) -> bool) -> Option<&Cell> {
    let at = report.allocators.iter().position(|entry| entry.name == OURS)?;
    report.workloads.iter().find(|work| is_it(work))?.cells.get(at)
}

/// The ratio of processor time with its interval, and that of memory. Where the bound is inside of the interval nothing can be told.
fn beside(cell: &Cell, bound: Option<f64>) -> Figure {
    let ratio = |of: Option<bench::result::Compared>| of.and_then(|compared| compared.ratio);
    let shown = |Ratio { estimate, low, high, pairs }: Ratio| {
        format!("{estimate:.3} ({low:.3} to {high:.3}, {pairs} pairs)")
    };
    let Some(time) = ratio(cell.cpu) else { return Figure::default() };
    let memory =
        ratio(cell.peak_rss).map_or(String::new(), |r| format!("; memory {:.2}", r.estimate));
    let is_between = bound.is_some_and(|bound| time.low <= bound && bound < time.high);
    Figure {
        value: Some(time.estimate),
        shown: Some(shown(time) + &memory),
        is_untold: is_between || time.pairs < ENOUGH_PAIRS,
    }
}

#[cfg(test)]
mod tests {
    use bench::result::Compared;
    use bench::session::Role;
    use bench::testing;

    use super::*;

    #[test]
    fn what_is_compared_is_ours_and_not_the_peer_once_more() {
        let entries =
            [PEER, "tcmalloc again", OURS].map(|name| testing::entry(name, Role::Contender));
        let cell = |median| {
            let cpu = Some(Compared { median, ratio: None, same: false });
            Cell { cpu, ..Cell::default() }
        };
        let work = testing::work("mixed", 9, [1.0, 2.0, 3.0].map(cell).to_vec());
        let report = testing::report(entries.to_vec(), vec![work], Vec::new());
        let median = |of: Option<&Cell>| of.and_then(|cell| Some(cell.cpu?.median.to_string()));
        assert_eq!(median(ours(&report, |work| work.name == "mixed")).as_deref(), Some("3"));
        assert_eq!(median(ours(&report, |work| work.name == "gxx")), None);
    }

    #[test]
    fn an_interval_around_the_bound_tells_nothing() {
        let of = |low, high, pairs| {
            let ratio = Some(Ratio { estimate: 1.03, low, high, pairs });
            let cpu = Some(Compared { median: 1.0, ratio, same: false });
            let cell = Cell { cpu, ..Cell::default() };
            beside(&cell, Some(1.05)).is_untold
        };
        assert_eq!(
            [of(1.01, 1.04, 20), of(1.01, 1.06, 20), of(1.01, 1.04, 3)],
            [false, true, true]
        );
        assert_eq!(beside(&Cell::default(), Some(1.05)).value, None);
    }
}
