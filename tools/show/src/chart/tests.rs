use super::*;
use crate::style::Part;

fn drawn(lines: usize, height: impl Fn(usize, usize) -> f64) -> Drawn {
    let points: Vec<Vec<(f64, f64)>> =
        (0..lines).map(|line| (0..60).map(|i| (i as f64, height(line, i))).collect()).collect();
    let ask = |label: &str| Ask { label: label.into(), kind: Kind::Even, unit: Unit::Number };
    let part = |i: usize| if i == 0 { Part::Baseline } else { Part::Other(i - 1) };
    let line = |(i, points)| Line { name: "one", style: Style::of(i, part(i)), points };
    let chart = Chart {
        title: "a chart".to_owned(),
        x: ask("time"),
        y: ask("height"),
        lines: points.iter().map(Vec::as_slice).enumerate().map(line).collect(),
        marks: vec![(1.0, "<begin>".to_owned()), (1.5, "near".to_owned())],
        ..Chart::default()
    };
    chart.draw(100).unwrap()
}

#[test]
fn a_mark_has_its_name_where_there_is_room() {
    let drawn = drawn(1, |_, i| i as f64).svg;
    assert_eq!(drawn.matches("&lt;begin&gt;").count(), 1, "only to be pointed at: {drawn}");
    assert_eq!(drawn.matches("near").count(), 2, "{drawn}");
}

#[test]
fn many_saws_have_a_chart_each() {
    let saw = |line: usize, i: usize| ((i + line) % 4) as f64;
    let each = drawn(9, saw);
    assert!(each.is_wide);
    assert_eq!(each.svg.matches("<svg ").count(), 1 + 9);
    assert_eq!(each.svg.matches("data-x=").count(), 9, "each can be read off");
    assert!(each.svg.contains("grey: one"), "{}", each.svg);
    assert_eq!(drawn(3, saw).svg.matches("<svg ").count(), 1, "three are told apart");
    let hill = |line: usize, i: usize| (line + i.min(60 - i)) as f64;
    assert_eq!(drawn(9, hill).svg.matches("<svg ").count(), 1);
}
