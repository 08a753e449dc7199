//! The table of all workloads together: a row an allocator.

use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::stats::Ratio;
use show::number::{ratio, with_margin};
use show::{Cell as Entry, Column, Group, Table};

use super::{none, shade, star};
use crate::view::{Row, View, margin};

/// All workloads together; a row an allocator, the least time first.
pub(crate) fn overall(view: &View<'_>) -> Table {
    let mut all = view.overall();
    let key = |r: &Option<Ratio>| r.map_or(f64::INFINITY, |r| r.estimate);
    all.sort_by(|a, b| key(&a.2).total_cmp(&key(&b.2)));
    let (fastest, leanest) =
        (view.report.best_mean(Metric::Time), view.report.best_mean(Metric::Memory));
    let row = |(a, o, time, peak): &Row<'_>| {
        let is_base = *a == view.baseline;
        let name = Entry {
            who: Some(a.0),
            ..Entry::from(view.name(*a)).over(if is_base { "baseline" } else { "" })
        };
        let failed = view.report.workload_indices().filter(|&w| view.has_failed(w, *a)).count();
        let failed = if failed == 0 { String::new() } else { failed.to_string() };
        let of = |r: &Option<Ratio>, metric| compared(view, r.as_ref(), is_base, metric);
        vec![
            name,
            star(of(time, Metric::Time), fastest.contains(a)),
            star(of(peak, Metric::Memory), leanest.contains(a)),
            Entry::from(if o.is_pareto { "yes" } else { "" }),
            Entry::from(o.workloads.to_string()),
            Entry::from(failed),
        ]
    };
    let rows = all.iter().map(row).collect();
    let heads = [
        ("allocator", ""),
        ("time", "relative to the baseline"),
        ("peak memory", "relative to the baseline"),
        ("Pareto", "nobody is better in both"),
        ("workloads", "that count here"),
        ("failed", "workloads that it did not end, or in which it refused allocations"),
    ];
    let columns = heads.map(|(name, note)| Column { note: note.to_owned(), ..name.into() }).into();
    let groups =
        if all.is_empty() { Vec::new() } else { vec![Group { title: String::new(), rows }] };
    Table { id: "overall", lead: 1, columns, groups, sortable: true, ..Table::default() }
}

/// The means as the last row of a table of workloads; nothing where there is no mean.
pub(crate) fn mean_row(view: &View<'_>, lead: usize, metric: Metric) -> Option<Vec<Entry>> {
    let report = view.report;
    let means = report.means();
    if report.workloads.iter().filter(|work| !work.alone).count() < 2 || means.is_empty() {
        return None;
    }
    let best = report.best_mean(metric);
    let cells = view.shown.iter().map(|&a| {
        let Some(overall) = means.get(a.0).filter(|o| o.workloads > 0) else { return none() };
        let mean = metric.mean(overall);
        let mut entry = compared(view, mean.as_ref(), a == view.baseline, metric);
        if overall.workloads < report.workloads.len() {
            entry.text.push_str(&format!(" of {}", overall.workloads));
        }
        star(entry, best.contains(&a))
    });
    let mut row = vec![Entry::from("geometric mean")];
    row.resize(lead, Entry::default());
    Some(row.into_iter().chain(cells).collect())
}

/// `0.58 ±0.02`, shaded; the baseline's is 1.
fn compared(view: &View<'_>, r: Option<&Ratio>, is_base: bool, metric: Metric) -> Entry {
    match r {
        Some(_) if is_base => "1".into(),
        Some(r) => {
            let claim = Claim::of(r, view.report.mean_noise(metric));
            let mark = if r.pairs < 2 { "" } else { claim.mark() };
            let text = match Metric::COUNTED.contains(&metric) {
                true => format!("{:.3}", r.estimate),
                false => format!("{} {mark}", with_margin(r.estimate, margin(r))),
            };
            Entry {
                text: text.trim_end().to_owned(),
                title: format!("{} {} to {}", r.kind(), ratio(r.low), ratio(r.high)),
                sort: r.estimate.to_string(),
                class: shade(r.estimate, !claim.is_difference()),
                ..Entry::default()
            }
        }
        None => none(),
    }
}
