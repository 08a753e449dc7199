//! A result beside the figures of the text that its workloads are from: both relative to the baseline, as machines differ.

use bench::session::{SubjectIndex, WorkloadIndex};
use show::number::{ratio, seconds};
use show::{Cell as Entry, Table};

use super::{none, table, workload_name};
use crate::view::{State, View};

/// An allocator's time in a workload, times the baseline's.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) here: Option<f64>,
    /// Why there is none.
    pub(crate) why: String,
    pub(crate) text: Option<f64>,
}

/// `None`: the workload is from no text with figures, or neither has one.
pub(crate) fn beside_text(
    view: &View<'_>,
    work: WorkloadIndex,
    allocator: SubjectIndex,
) -> Option<Beside> {
    let w = &view.report.workloads[work];
    let base = w.text.get(view.name(view.baseline))?;
    let text = w.text.get(view.name(allocator)).map(|seconds| seconds / base);
    let (here, why) = match view.state(work, allocator) {
        State::Ran(_) if allocator == view.baseline => (Some(1.0), String::new()),
        State::Ran(cell) => {
            let ratio = cell.time.and_then(|time| time.ratio).map(|ratio| ratio.estimate);
            (ratio.filter(|ratio| ratio.is_finite()), String::new())
        }
        State::Not(why) => (None, why.short),
    };
    (here.is_some() || text.is_some()).then_some(Beside { here, why, text })
}

/// Each workload in two lines: seconds and ratio here, and in the text.
pub(crate) fn beside(view: &View<'_>) -> Table {
    table(view, "text", &["workload", ""], &view.shown, |w| {
        let work = &view.report.workloads[w];
        let rows: Vec<Option<Beside>> =
            view.shown.iter().map(|&a| beside_text(view, w, a)).collect();
        if rows.iter().flatten().filter(|row| row.text.is_some()).count() < 2 {
            return Vec::new();
        }
        let both = |ratio_of: f64, took: Option<f64>| {
            let small = took.map_or_else(String::new, seconds);
            Entry::from(ratio(ratio_of)).over(small)
        };
        let here = view.shown.iter().zip(&rows).map(|(&a, row)| match row {
            Some(Beside { here: Some(here), .. }) => {
                let took =
                    view.report.cell(w, a).and_then(|cell| cell.time).map(|time| time.median);
                both(*here, took)
            }
            Some(row) => Entry::from(row.why.clone()),
            None => none(),
        });
        let text = view.shown.iter().zip(&rows).map(|(&a, row)| {
            let ratio_of = row.as_ref().and_then(|row| row.text);
            ratio_of.map_or_else(none, |r| both(r, work.text.get(view.name(a)).copied()))
        });
        vec![
            [workload_name(view, w), "here".into()].into_iter().chain(here).collect(),
            ["".into(), "in the text".into()].into_iter().chain(text).collect(),
        ]
    })
}

#[cfg(test)]
mod tests {
    use bench::testing;

    use super::*;

    #[test]
    fn the_text_stands_below_what_was_measured() {
        let mut report = testing::rounds(&["larson"], 3, |_, _| 0.25);
        assert!(beside(&View::of(&report)).is_empty());
        let names: Vec<String> = report.allocators.iter().map(|a| a.name.clone()).collect();
        report.workloads[0].text = [(names[0].clone(), 0.5), ("none".to_owned(), 1.0)].into();
        assert!(beside(&View::of(&report)).is_empty(), "of the baseline alone nothing is said");
        let other = View::of(&report).shown[1];
        report.workloads[0].text.insert(names[other.0].clone(), 2.0);
        let shown = beside(&View::of(&report)).text(Some(100));
        assert!(shown.contains("in the text") && shown.contains("4.0"), "{shown}");
        let plots = crate::plots(&report);
        let bars = plots.iter().find(|plot| plot.name == "text").unwrap();
        assert!(bars.svg.contains("in the text"));
    }
}
