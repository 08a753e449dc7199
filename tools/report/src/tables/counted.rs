//! The table of one count: ratios whose digits all mean something, and the baseline's counts themselves.

use bench::fail_if::Metric;
use bench::result::AGREEMENT;
use bench::session::{SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use show::{Cell as Entry, Table, number};

use super::{absent, none, star, table, workload_name};
use crate::view::{State, View};

/// What was counted of `metric`, relative to the baseline; only workloads of which it is known.
pub(crate) fn counted(view: &View<'_>, metric: Metric) -> Table {
    table(view, metric.word(), &["workload"], &view.shown, |w| {
        let is_known = |a: &SubjectIndex| {
            view.report.cell(w, *a).is_some_and(|cell| cell.counted.contains_key(&metric))
        };
        if !view.shown.iter().any(is_known) {
            return Vec::new();
        }
        let best = view.report.best(w, metric);
        let cells = view.shown.iter().map(|&a| star(one(view, w, a, metric), best.contains(&a)));
        vec![core::iter::once(workload_name(view, w)).chain(cells).collect()]
    })
}

fn one(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex, metric: Metric) -> Entry {
    let cell = match view.state(w, a) {
        State::Ran(cell) => cell,
        State::Not(_) => return absent(view, w, a).unwrap_or_else(none),
    };
    let Some(count) = metric.of(cell) else { return none() };
    match count.ratio {
        _ if a == view.baseline => number::short(count.median).into(),
        Some(ratio) if varies(&ratio) => {
            number::with_margin(ratio.estimate, Some(ratio.margin())).into()
        }
        Some(ratio) => format!("{:.3}", ratio.estimate).into(),
        None => none(),
    }
}

/// Whether its interval is wider than two runs of the same may differ by.
fn varies(ratio: &Ratio) -> bool {
    ratio.margin() > 1.01 * AGREEMENT * ratio.estimate
}

#[cfg(test)]
mod tests {
    use bench::result::{Compared, Count};
    use bench::testing;

    use super::*;

    #[test]
    fn what_was_counted_stands_alone_with_the_baselines_counts() {
        let mut report = testing::rounds(&["cfrac", "barnes"], 3, |_, _| 0.25);
        report.counted = Some("a tool".to_owned());
        let base = report.baseline();
        for work in &mut report.workloads {
            for (at, cell) in work.cells.iter_mut().enumerate() {
                let median = 12_345_678.0;
                // The second of the two workloads is one that varies.
                let (low, high) = if work.name == "cfrac" { (0.71, 0.714) } else { (0.7, 0.8) };
                let ratio = Ratio { estimate: 0.71234, low, high, pairs: 6 };
                let ratio = (at != base.0).then_some(ratio);
                let compared = Compared { median, ratio, same: false };
                let count = Count { compared, least: median, most: median * high / 0.71234 };
                cell.counted.insert(Metric::Instructions, count);
            }
        }
        let text = crate::text(&report, None);
        let titles = text.lines().filter(|line| line.contains(" ÷ ")).count();
        assert_eq!(titles, 1, "there is none of what was not counted, such as time: {text}");
        for part in [
            "\ninstructions ÷ glibc's",
            " 12.3M ",
            " 0.712 *",
            " 0.71 ±0.09",
            "\nvaries   counts with ±",
            "counted by a tool",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
