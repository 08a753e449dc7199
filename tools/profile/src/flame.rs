//! The functions as a picture: each a bar as wide as what it and all that it calls cost, under the one that calls it.

use std::collections::HashMap;

use show::svg::Svg;
use show::text::{cut, escape};

use crate::cost::Cost;
use crate::tree::Tree;

const WIDTH: f64 = 1160.0;
const ROW: f64 = 18.0;
/// Bars are no narrower.
const LEAST: f64 = 0.7;
/// A character of 11 pixels is about so wide.
const CHARACTER: f64 = 6.4;
/// Rows that a picture has at most.
const DEEPEST: usize = 120;
/// Soft colours on which dark words can be read; one for a module.
pub(crate) const COLOURS: [&str; 8] =
    ["#f6c89f", "#b9d9f2", "#cfe3a8", "#f3c1d6", "#e9dd97", "#c9c6ee", "#a9dccb", "#d8d3cb"];

struct Bar {
    node: usize,
    x: f64,
    width: f64,
    row: usize,
}

pub fn svg(tree: &Tree, cost: Cost) -> String {
    let (bars, colours) = (bars(tree, cost), colours(tree));
    let rows = bars.iter().map(|bar| bar.row).max().unwrap_or(0) + 1;
    let mut svg = Svg::new(WIDTH, rows as f64 * ROW);
    let all = tree.nodes[0].total.of(cost).bytes;
    for bar in &bars {
        let (name, bytes) = (&tree.label(bar.node).name, tree.nodes[bar.node].total.of(cost).bytes);
        let said = format!(
            "{name}: {} {}, {}",
            show::number::bytes(bytes),
            cost.name(),
            show::number::percent(if all > 0.0 { bytes / all } else { 0.0 })
        );
        let y = bar.row as f64 * ROW;
        svg.raw(&format!(
            "<g><title>{}</title><rect x=\"{:.1}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"{:.0}\" rx=\"1\" fill=\"{}\"/>",
            escape(&said),
            bar.x,
            (bar.width - 0.5).max(0.5),
            ROW - 1.0,
            COLOURS[colours[bar.node]]
        ));
        let room = ((bar.width - 6.0) / CHARACTER).max(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few characters"
        )]
        let room = room as usize;
        if room > 2 {
            svg.raw(&format!(
                "<text x=\"{:.1}\" y=\"{:.0}\" font-size=\"11\" fill=\"#1c1c1c\">{}</text>",
                bar.x + 3.0,
                y + 13.0,
                escape(&cut(name, room))
            ));
        }
        svg.raw("</g>");
    }
    let title = format!("{} {} by call stack", show::number::bytes(all), cost.name());
    svg.finish(&title, "")
}

/// The colour of each node: its module's. The modules that allocate most have one each, all others share one.
pub(crate) fn colours(tree: &Tree) -> Vec<usize> {
    let mut modules: HashMap<&str, f64> = HashMap::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        *modules.entry(&tree.label(at).module).or_default() += node.own.of(Cost::Allocated).bytes;
    }
    modules.remove("");
    let mut modules: Vec<(&str, f64)> = modules.into_iter().collect();
    modules.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let last = COLOURS.len() - 1;
    let colour = |at: usize| {
        let module = tree.label(at).module.as_str();
        let place = modules.iter().position(|(of, _)| *of == module);
        place.map_or(last, |place| place.min(last))
    };
    (0..tree.nodes.len()).map(colour).collect()
}

fn bars(tree: &Tree, cost: Cost) -> Vec<Bar> {
    let bytes = |at: usize| tree.nodes[at].total.of(cost).bytes;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        children[node.parent].push(at);
    }
    let mut bars = vec![Bar { node: 0, x: 0.0, width: WIDTH, row: 0 }];
    let mut next = 0;
    while next < bars.len() {
        let Bar { node, mut x, width, row } = bars[next];
        next += 1;
        if row + 1 == DEEPEST || bytes(node) <= 0.0 {
            continue;
        }
        let mut below = core::mem::take(&mut children[node]);
        below.sort_by(|&a, &b| bytes(b).total_cmp(&bytes(a)).then(a.cmp(&b)));
        for child in below {
            let part = width * bytes(child) / bytes(node);
            if part < LEAST {
                break;
            }
            bars.push(Bar { node: child, x, width: part, row: row + 1 });
            x += part;
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn a_bar_is_as_wide_as_its_part() {
        let tree = Tree::of(&profile());
        let bars = bars(&tree, Cost::Live);
        let widths: Vec<(usize, f64)> = bars.iter().map(|bar| (bar.row, bar.width)).collect();
        assert_eq!(widths, [(0, WIDTH), (1, WIDTH), (2, WIDTH / 5.0)]);
        let svg = svg(&tree, Cost::Live);
        assert!(svg.contains("<title>?+0x6000: 500 B at the end, 20 %</title>"), "{svg}");
    }
}
