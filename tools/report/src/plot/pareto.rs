//! Overall time against overall memory: who is better in neither is behind somebody.

use super::{Part, Placed};
use crate::view::View;
use show::number::{Unit, ratio};
use show::svg::{Anchor, Svg, name_width};
use show::text::cut;
use show::{Axis, Kind};

pub(super) const SIZE: (f64, f64) = (400.0, 390.0);
const LEFT: f64 = 56.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 48.0;

type Area = (f64, f64, f64, f64);

fn touch(a: &Area, b: &Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// `None` unless somebody besides the baseline has both.
pub(super) fn plot(view: &View<'_>) -> Option<Placed> {
    let dots = view.overall();
    let dots: Vec<_> = dots
        .into_iter()
        .filter_map(|(a, o, time, peak)| Some((a, o, time?, peak?)))
        .filter(|(_, _, t, p)| t.estimate > 0.0 && p.estimate > 0.0)
        .filter(|(_, _, t, p)| t.estimate.is_finite() && p.estimate.is_finite())
        .collect();
    if dots.len() < 2 {
        return None;
    }
    let x = Axis::around(
        dots.iter().flat_map(|d| [d.2.low, d.2.estimate, d.2.high]),
        Kind::Decades,
        Unit::Ratio,
        (LEFT, SIZE.0 - RIGHT),
    )?
    .padded(0.12);
    let y = Axis::around(
        dots.iter().flat_map(|d| [d.3.low, d.3.estimate, d.3.high]),
        Kind::Decades,
        Unit::Ratio,
        (SIZE.1 - BOTTOM, TOP),
    )?
    .padded(0.08);
    let base = view.name(view.baseline);
    let over = if view.is_one() { "" } else { " over all workloads" };
    let title = format!("Time and memory{over}");
    let mut svg = Svg::new(SIZE.0, SIZE.1);
    svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", &title);
    let label =
        format!("peak memory relative to {} (less is better); ringed: Pareto set", cut(base, 16));
    svg.text((8.0, 36.0), Anchor::Start, 11.5, "mute", &label);
    for v in y.ticks(7) {
        svg.line((x.from, y.at(v)), (x.to, y.at(v)), if v == 1.0 { "axis" } else { "grid" });
        svg.text((x.from - 6.0, y.at(v) + 4.0), Anchor::End, 11.5, "mute", &Unit::Ratio.tick(v));
    }
    let ticks = x.ticks(7);
    for &v in &ticks {
        svg.line((x.at(v), y.to), (x.at(v), y.from), if v == 1.0 { "axis" } else { "grid" });
    }
    for v in x.labelled(&ticks, 11.5) {
        svg.text((x.at(v), y.from + 16.0), Anchor::Middle, 11.5, "mute", &Unit::Ratio.tick(v));
    }
    let below = format!("time relative to {} (less is better)", cut(base, 16));
    svg.text((f64::midpoint(x.from, x.to), y.from + 36.0), Anchor::Middle, 11.5, "mute", &below);

    let places: Vec<(f64, f64)> =
        dots.iter().map(|d| (x.at(d.2.estimate), y.at(d.3.estimate))).collect();
    let mut taken: Vec<Area> =
        places.iter().map(|(px, py)| (px - 10.0, py - 10.0, px + 10.0, py + 10.0)).collect();
    // Names are written neither over the intervals nor over the axis' numbers.
    for ((_, _, time, peak), &(px, py)) in dots.iter().zip(&places) {
        taken.push((x.at(time.low), py - 1.0, x.at(time.high), py + 1.0));
        taken.push((px - 1.0, y.at(peak.high), px + 1.0, y.at(peak.low)));
    }
    taken.extend(
        y.ticks(7).into_iter().map(|v| (x.from - 34.0, y.at(v) - 8.0, x.from, y.at(v) + 8.0)),
    );
    for ((a, overall, time, peak), &(px, py)) in dots.iter().zip(&places) {
        let style = view.style(*a);
        svg.stroke((x.at(time.low), py), (x.at(time.high), py), style, 1.2, 0.8);
        svg.stroke((px, y.at(peak.low)), (px, y.at(peak.high)), style, 1.2, 0.8);
        if overall.is_pareto {
            svg.put(format_args!(
                "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"9\" class=\"s{}\" stroke=\"{}\" stroke-width=\"1.3\"/>",
                style.colour,
                style.light()
            ));
        }
        let said = format!(
            "{}: time {}, peak memory {}, {} workloads",
            view.name(*a),
            ratio(time.estimate),
            ratio(peak.estimate),
            overall.workloads
        );
        svg.marker((px, py), style, 5.0, &said);
    }
    svg.raw("<g class=\"halo\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\" stroke-linejoin=\"round\">");
    for ((a, ..), &(px, py)) in dots.iter().zip(&places) {
        let (name, style) = (cut(view.name(*a), 20), view.style(*a));
        let (left, middle) = free_place(name_width(&name, style), px, py, &mut taken);
        let end = (px.clamp(left, left + name_width(&name, style)), middle);
        if (end.0 - px).hypot(end.1 - py) > 20.0 {
            // Which point a name is of that stands further off.
            svg.stroke((px, py), end, style, 0.8, 0.55);
        }
        svg.name((left, middle + 4.0), Anchor::Start, style, &name, view.name(*a));
    }
    svg.raw("</g>");
    let svg = svg.finish(&title, "");
    Some(Placed::new(Part::Pareto, None, "pareto".to_owned(), title, svg))
}

/// The left end and the middle height of a name of this width: the place nearest to the point, of those around it in ever
/// wider rings, where it touches nothing.
fn free_place(wide: f64, px: f64, py: f64, taken: &mut Vec<Area>) -> (f64, f64) {
    const RINGS: u32 = 40;
    const AROUND: u32 = 24;
    let area = |left: f64, middle: f64| (left, middle - 7.0, left + wide, middle + 7.0);
    let fits = |area: &Area| {
        area.0 >= LEFT + 2.0
            && area.2 <= SIZE.0 - 2.0
            && area.1 >= TOP - 12.0
            && area.3 <= SIZE.1 - BOTTOM
    };
    let places = (0..RINGS).flat_map(|ring| {
        (0..AROUND).map(move |step| {
            let (off, turn) = (f64::from(ring) * 6.0, f64::from(step) / f64::from(AROUND));
            let (sin, cos) = (turn * core::f64::consts::TAU).sin_cos();
            // From the name's end that is nearer to the point.
            let left = px + (12.0 + off) * cos - wide * (1.0 - cos) / 2.0;
            (left, py + (16.0 + off) * sin)
        })
    });
    let is_free = |&(left, middle): &(f64, f64)| {
        let area = area(left, middle);
        fits(&area) && !taken.iter().any(|t| touch(t, &area))
    };
    let (left, middle) = places.into_iter().find(is_free).unwrap_or((px + 12.0, py));
    taken.push(area(left, middle));
    (left, middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_points_at_one_place_do_not_cover_each_other() {
        let mut taken = vec![(192.0, 192.0, 208.0, 208.0)];
        for _ in 0..14 {
            free_place(90.0, 200.0, 200.0, &mut taken);
        }
        for (i, one) in taken.iter().enumerate() {
            assert!(taken[i + 1..].iter().all(|other| !touch(one, other)), "{taken:?}");
        }
    }
}
