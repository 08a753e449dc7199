//! One program: a line an allocator.

use bench::fail_if::Metric;
use bench::result::{Cell, Compared, Entry, Report, Work};
use bench::session::{Role, WorkloadIndex};

use super::model::Table;
use crate::format;

/// How a figure is written.
type Form = fn(f64) -> String;

const HEAD: [&str; 5] = ["allocator", "wall", "CPU", "peak RSS", "minor faults"];

pub(super) fn table(report: &Report, work: &Work) -> Table {
    // Where most runs did not get their processors `cell.time` is processor time, and the wall clock says nothing.
    let best = report.best(WorkloadIndex(0), Metric::Time);
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    let cells = report.allocators.iter().zip(&work.cells);
    for (at, (entry, cell)) in report.subject_indices().zip(cells) {
        let star = best.contains(&at).then_some(usize::from(work.by_cpu));
        let wall = cell.time.filter(|_| !work.by_cpu);
        rows.push(row(entry, cell, wall, star));
    }
    Table { title: None, fixed: 1, rows }
}

/// The line of one allocator; `star` is the figure that has one.
fn row(entry: &Entry, cell: &Cell, wall: Option<Compared>, star: Option<usize>) -> Vec<String> {
    let first = match &entry.version {
        Some(version) if entry.role != Role::Control => format!("{}\n  {version}", entry.name),
        _ => entry.name.clone(),
    };
    if let Some(failure) = &cell.failure {
        let blank = core::iter::repeat_n(String::new(), HEAD.len() - 2);
        return [first, failure.how.words()].into_iter().chain(blank).collect();
    }
    let figures: [(Option<Compared>, Form); 4] = [
        (wall, format::seconds),
        (cell.cpu, format::seconds),
        (cell.peak_rss, format::bytes),
        (cell.faults, format::count),
    ];
    let mut row = vec![first];
    for (i, (compared, form)) in figures.into_iter().enumerate() {
        row.push(match compared {
            Some(compared) => figure(entry, &compared, form, star == Some(i)),
            None => "-".to_owned(),
        });
    }
    row
}

fn figure(entry: &Entry, compared: &Compared, form: Form, best: bool) -> String {
    let mut ratio = match &compared.ratio {
        Some(ratio) => format::ratio(ratio),
        None if entry.role == Role::Baseline => "1".to_owned(),
        None => "-".to_owned(),
    };
    if compared.same {
        ratio.push_str(" =");
    }
    if best {
        ratio.push_str(" *");
    }
    format!("{}\n{ratio}", form(compared.median))
}

#[cfg(test)]
mod tests {
    use bench::testing;

    use super::*;

    #[test]
    fn processor_time_is_not_shown_as_the_wall_clocks() {
        let mut report = testing::rounds(&["own"], 8, |_, _| 0.25);
        let time = Some(Compared { median: 0.25, ratio: None, same: false });
        report.workloads[0].cells[0].time = time;
        report.workloads[0].cells[0].cpu = time;
        let line = |report: &Report| table(report, &report.workloads[0]).rows[1].clone();
        assert!(line(&report)[1].contains("250"), "{:?}", line(&report));
        report.workloads[0].by_cpu = true;
        assert_eq!(line(&report)[1], "-");
    }
}
