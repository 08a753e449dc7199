//! The table of all workloads together: a row an allocator.

use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::stats::Ratio;

use super::{Column, Entry, Row, Rows, Table, shade};
use crate::format::ratio;
use crate::view::{View, kind, with_margin};

/// All workloads together; a row an allocator, the least time first.
pub(crate) fn overall(view: &View<'_>) -> Table {
    let mut all = view.overall();
    let key = |r: &Option<Ratio>| r.map_or(f64::INFINITY, |r| r.estimate);
    all.sort_by(|a, b| key(&a.2).total_cmp(&key(&b.2)));
    let (fastest, leanest) =
        (view.report.best_mean(Metric::Time), view.report.best_mean(Metric::Memory));
    let rows = all
        .iter()
        .map(|(a, o, time, peak)| {
            let is_base = *a == view.baseline;
            let name = Entry {
                who: Some(*a),
                small: if is_base { "baseline".into() } else { String::new() },
                ..Entry::words(view.name(*a))
            };
            let on_edge = if o.is_pareto { "yes" } else { "" };
            let failed = view.report.workload_indices().filter(|&w| view.has_failed(w, *a)).count();
            let failed = if failed == 0 { String::new() } else { failed.to_string() };
            Row {
                lead: vec![name],
                cells: vec![
                    compared(view, time.as_ref(), is_base, Metric::Time).star(fastest.contains(a)),
                    compared(view, peak.as_ref(), is_base, Metric::Memory)
                        .star(leanest.contains(a)),
                    Entry::words(on_edge),
                    Entry {
                        sort: o.workloads.to_string(),
                        ..Entry::words(o.workloads.to_string())
                    },
                    Entry { sort: failed.clone(), ..Entry::words(failed) },
                ],
            }
        })
        .collect();
    let heads = [
        ("time", "relative to the baseline"),
        ("peak memory", "relative to the baseline"),
        ("Pareto", "nobody is better in both"),
        ("workloads", "that count here"),
        ("failed", "workloads that it did not end, or in which it refused allocations"),
    ];
    let columns = heads
        .into_iter()
        .map(|(name, note)| Column {
            who: None,
            name: name.to_owned(),
            colour: 0,
            note: note.to_owned(),
            is_ours: false,
        })
        .collect();
    let groups =
        if all.is_empty() { Vec::new() } else { vec![Rows { title: String::new(), rows }] };
    Table { id: "overall", lead: vec!["allocator"], columns, groups, sortable: true }
}

/// `0.58 ±0.02`, shaded; the baseline's is 1.
fn compared(view: &View<'_>, r: Option<&Ratio>, is_base: bool, metric: Metric) -> Entry {
    match r {
        Some(_) if is_base => Entry { sort: "1".into(), ..Entry::words("1") },
        Some(r) => {
            let claim = Claim::of(r, view.report.mean_noise(metric));
            let mark = if r.pairs < 2 { "" } else { claim.mark() };
            Entry {
                text: format!("{} {mark}", with_margin(r)).trim_end().to_owned(),
                title: format!("{} {} to {}", kind(r), ratio(r.low), ratio(r.high)),
                sort: r.estimate.to_string(),
                class: shade(r.estimate, !claim.is_difference()),
                ..Entry::default()
            }
        }
        None => Entry::none(),
    }
}
