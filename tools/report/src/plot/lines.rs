//! Memory over time, the share of slow calls, and the curves of sweeps: one chart of lines a workload.

use bench::result::{Replayed, Work};
use bench::session::{SubjectIndex, WorkloadIndex};

use super::{Part, Placed, file_name};
use crate::tables::{curve_names, timed_calls};
use crate::view::View;
use show::number::Unit;
use show::style::{Part as StylePart, Style};
use show::text::escape;
use show::{Ask, Chart, Drawn, Kind, Line};

/// The curves of a replay.
const RESIDENT: &str = "resident";
const LIVE: &str = "live";
/// The curve of what was refused, in per cent, and the end of the names of those of single calls.
const REFUSED: &str = "refused";
const BY_SIZE: &str = " by size";

/// A chart that is drawn, if it has a point: `kind` and `of` are what the page's script finds its numbers by.
pub(super) fn placed(
    part: Part,
    work: WorkloadIndex,
    (kind, of): (&'static str, &str),
    file: &str,
    (mut chart, points): (Chart<'_>, usize),
) -> Option<Placed> {
    let title = chart.title.clone();
    chart.data = format!("data-k=\"{kind}\" data-w=\"{}\" data-n=\"{}\"", work.0, escape(of));
    let Drawn { svg, is_wide } = chart.draw(points)?;
    let placed = Placed::new(part, Some(work), file.trim_end_matches('-').to_owned(), title, svg);
    Some(Placed { data: (kind, of.to_owned()), is_wide, ..placed })
}

/// The lines of all allocators in `who` for which `points` has some.
fn lines<'a>(
    view: &'a View<'_>,
    who: &[SubjectIndex],
    points: impl Fn(SubjectIndex) -> &'a [(f64, f64)],
) -> Vec<Line<'a>> {
    who.iter()
        .map(|&a| Line { name: view.name(a), style: *view.style(a), points: points(a) })
        .collect()
}

/// Resident memory over time, with what was asked for behind it.
pub(super) fn memory(view: &View<'_>, work: WorkloadIndex, points: usize) -> Option<Placed> {
    let w = &view.report.workloads[work];
    let cell = |a: SubjectIndex| view.report.cell(work, a);
    // All ask for the same: the baseline's stands for it, or else the first there is.
    let live = [view.baseline]
        .iter()
        .chain(&view.shown)
        .filter_map(|&a| cell(a))
        .map(|c| c.live.as_slice())
        .find(|live| !live.is_empty());
    let chart = Chart {
        title: format!("{}: memory over time", w.name),
        x: Ask { label: "time".into(), kind: Kind::Even, unit: Unit::Seconds },
        y: Ask {
            label: "resident memory of all processes".into(),
            kind: Kind::Even,
            unit: Unit::Bytes,
        },
        lines: lines(view, &view.shown, |a| cell(a).map_or(&[], |c| &c.rss)),
        area: live.map(|live| (live, "grey: asked for")),
        is_wide: view.is_one(),
        ..Chart::default()
    };
    let file = format!("memory-{}", file_name(&w.name));
    placed(Part::Memory, work, ("rss", ""), &file, (chart, points))
}

/// For every call that was timed: which share took longer than each time.
pub(super) fn latency(view: &View<'_>, work: WorkloadIndex, points: usize) -> Vec<Placed> {
    let w = &view.report.workloads[work];
    let calls = timed_calls(view, work);
    let who = view.shown_and_floor();
    let drawn = calls.into_iter().filter_map(|call| {
        let tail =
            |a: SubjectIndex| view.report.cell(work, a)?.tails.iter().find(|t| t.call == call);
        let limit = w.cells.iter().flat_map(|c| &c.tails).filter(|t| t.call == call);
        let limit = limit.filter_map(|t| t.limit_ns).next();
        // A callback or a frame is no call.
        let (what, of) = match call {
            "malloc" | "free" => (format!("{call} calls that take longer"), "calls"),
            _ => (format!("{}: how many take longer", call.replace('-', " ")), "them"),
        };
        let chart = Chart {
            title: format!("{}: {what}", w.name),
            x: Ask { label: "longer than".into(), kind: Kind::Decades, unit: Unit::Nanoseconds },
            y: Ask { label: format!("share of {of}"), kind: Kind::Decades, unit: Unit::Share },
            lines: lines(view, &who, |a| tail(a).map_or(&[], |t| &t.curve)),
            marks: limit.map(|ns| (ns, "deadline".to_owned())).into_iter().collect(),
            by_x: true,
            ..Chart::default()
        };
        let file = format!("latency-{}-{}", file_name(&w.name), file_name(call));
        placed(Part::Latency, work, ("tail", call), &file, (chart, points))
    });
    drawn.collect()
}

pub(super) fn curves(view: &View<'_>, work: WorkloadIndex, points: usize) -> Vec<Placed> {
    let w = &view.report.workloads[work];
    let names = curve_names(view, work);
    let ask = |label: Option<&String>, log: bool, fallback: &str| {
        let label = label.filter(|l| !l.is_empty()).map_or(fallback, String::as_str);
        let unit = match label {
            "bytes" => Unit::Bytes,
            "seconds" | "s" => Unit::Seconds,
            "nanoseconds" => Unit::Nanoseconds,
            _ => Unit::Number,
        };
        let kind = match (log, unit) {
            (false, _) => Kind::Even,
            (true, Unit::Nanoseconds) => Kind::Decades,
            (true, _) => Kind::Doublings,
        };
        Ask { label: label.to_owned(), kind, unit }
    };
    let who = view.shown_and_floor();
    // Of a replay: what was live stands behind what was resident, and what was recorded beside it.
    let replayed = w.replayed.as_ref();
    let live = w.cells.iter().flat_map(|c| &c.series).find(|s| s.name == LIVE);
    let drawn = names.iter().filter(|name| replayed.is_none() || **name != LIVE);
    let drawn = drawn.filter_map(|name| {
        let behind = replayed.filter(|_| *name == RESIDENT);
        let series =
            |a: SubjectIndex| view.report.cell(work, a)?.series.iter().find(|s| s.name == *name);
        let title = if names.len() == 1 && (name.is_empty() || *name == w.name) {
            w.name.clone()
        } else {
            format!("{}: {name}", w.name)
        };
        let curve = w.curve_of(name);
        let chart = Chart {
            title,
            x: ask(curve.map(|c| &c.x), curve.is_some_and(|c| c.x_log), "x"),
            y: ask(curve.map(|c| &c.y), curve.is_some_and(|c| c.y_log), "y"),
            lines: lines(view, &who, |a| series(a).map_or(&[], |s| &s.points))
                .into_iter()
                .chain(behind.map(|replayed| recorded(view, replayed)))
                .collect(),
            area: behind.and(live).map(|live| (&live.points[..], "grey: live")),
            // Where requests are refused the others' curves end or fall.
            marks: if series_is_of(w, name, REFUSED) { refusals(view, work) } else { Vec::new() },
            is_wide: behind.is_some() || is_long(w, name),
            ..Chart::default()
        };
        let file = format!("curve-{}-{}", file_name(&w.name), file_name(name));
        let part = if name.ends_with(BY_SIZE) { Part::Latency } else { Part::Curves };
        placed(part, work, ("series", name), &file, (chart, points))
    });
    drawn.collect()
}

/// Points of a curve that has the page's width to itself.
const LONG: usize = 100;

fn is_long(work: &Work, name: &str) -> bool {
    let series = work.cells.iter().flat_map(|cell| &cell.series);
    series.filter(|series| series.name == name).any(|series| series.points.len() > LONG)
}

/// Whether a curve has the same x as the one of what was refused, if there is one.
fn series_is_of(work: &Work, name: &str, refused: &str) -> bool {
    let curve = |name: &str| work.curves.get(name).or(work.curve.as_ref()).map(|curve| &curve.x);
    name != refused && curve(name) == curve(refused)
}

/// Marks nearer to each other than this part of the axis are one.
const NEAR: f64 = 0.02;

/// From which x on each allocator refuses requests.
fn refusals(view: &View<'_>, work: WorkloadIndex) -> Vec<(f64, String)> {
    let refused = |a: SubjectIndex| {
        let series = view.report.cell(work, a)?.series.iter().find(|s| s.name == REFUSED)?;
        Some((series.points.first()?.0, series.points.last()?.0, view.name(a)))
    };
    let mut firsts: Vec<_> = view.shown.iter().filter_map(|&a| refused(a)).collect();
    firsts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let near = NEAR * firsts.iter().map(|first| first.1).fold(0.0, f64::max);
    let mut all: Vec<(f64, Vec<&str>)> = Vec::new();
    for (x, _, name) in firsts {
        match all.last_mut() {
            Some(mark) if x - mark.0 <= near => mark.1.push(name),
            _ => all.push((x, vec![name])),
        }
    }
    let said = |names: &[&str]| match names {
        [one] => format!("{one} refuses"),
        names => format!("{} refuse", names.join(", ")),
    };
    all.into_iter().map(|(x, names)| (x, said(&names))).collect()
}

/// What the recorded program itself had; it is nobody's column, and has the place behind the last one.
fn recorded<'a>(view: &View<'_>, replayed: &'a Replayed) -> Line<'a> {
    let style = Style::of(view.report.allocators.len(), StylePart::Floor);
    Line { name: "recorded", style, points: &replayed.recorded_points }
}

#[cfg(test)]
mod tests {
    use bench::testing::series;

    use super::*;

    #[test]
    fn where_requests_are_refused_stands_over_the_curves() {
        let mut report = bench::testing::rounds(&["sweep"], 2, |_, _| 0.001);
        let pair = series("pair", &[(0.0, 5.0), (64.0, 6.0), (4096.0, 7.0)]);
        let sized = series("longest free by size", &[(16.0, 9.0), (64.0, 700.0)]);
        let work = &mut report.workloads[0];
        work.cells[0].series = vec![pair.clone(), sized];
        work.cells[2].series = vec![pair, series("refused", &[(3072.0, 40.0), (4096.0, 100.0)])];
        let by_size = bench::definition::Curve {
            x: "bytes".to_owned(),
            y: "nanoseconds".to_owned(),
            x_log: true,
            y_log: true,
            ..Default::default()
        };
        work.curves.insert("longest free by size".to_owned(), by_size);
        let name = report.allocators[2].name.clone();
        let placed = curves(&View::of(&report), WorkloadIndex(0), 100);
        let of = |curve: &str| placed.iter().find(|p| p.data.1 == curve).unwrap();
        let said = format!("<title>{name} refuses</title>");
        assert!(of("pair").plot.svg.contains(&said), "{}", of("pair").plot.svg);
        // Not over itself, nor over what has another x.
        assert!(!of("refused").plot.svg.contains(&said));
        assert!(!of("longest free by size").plot.svg.contains(&said));
        assert!(
            of("longest free by size").part == Part::Latency && of("pair").part == Part::Curves
        );
    }

    #[test]
    fn a_deadline_is_in_the_picture() {
        let mut report = bench::testing::rounds(&["game"], 2, |_, _| 0.001);
        let tail = |limit_ns| bench::result::Tail {
            call: "callback".to_owned(),
            calls: 9,
            p50_ns: 10.0,
            max_ns: 20.0,
            limit_ns,
            curve: vec![(10.0, 0.5), (20.0, 0.0)],
            ..Default::default()
        };
        report.workloads[0].cells[0].tails = vec![tail(Some(5e6))];
        let drawn =
            |report: &_| latency(&View::of(report), WorkloadIndex(0), 100)[0].plot.svg.clone();
        let svg = drawn(&report);
        // The axis reaches to it.
        assert!(svg.contains("<title>deadline</title>") && svg.contains(",5e6,decades"), "{svg}");
        report.workloads[0].cells[0].tails = vec![tail(None)];
        assert!(!drawn(&report).contains("deadline"));
    }

    /// The null allocator is drawn as it is, also where a real one is faster.
    #[test]
    fn a_slow_null_allocator_is_one_more_line() {
        let mut report = bench::testing::rounds(&["sweep"], 2, |_, _| 0.001);
        for (cell, height) in report.workloads[0].cells.iter_mut().zip([3.0, 3.0, 9.0, 1.0]) {
            let points = vec![(1.0, height), (2.0, height / 2.0)];
            cell.series = vec![series("a", &points)];
        }
        let placed = curves(&View::of(&report), WorkloadIndex(0), 100);
        let [curve] = &placed[..] else { panic!("{placed:?}") };
        assert!(curve.plot.svg.contains("null") && !curve.plot.svg.contains("NaN"));
    }
}
