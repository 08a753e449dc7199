//! The page: functions as an icicle with a choice of cost, a table of sites, memory over time; one HTML file that needs nothing else.

use serde::Serialize;
use show::number::{Unit, bytes, nanoseconds, percent};
use show::style::{Part, Style};
use show::{Ask, Cell, Chart, Figure, Kind, Line, Page, Section, Table};
use trace::Estimate;

use crate::cost::Cost;
use crate::flame::{COLOURS, colours, svg};
use crate::gather::Profile;
use crate::lifetimes;
use crate::sites::sites;
use crate::text::with_margin;
use crate::tree::Tree;

const SCRIPT: &str = include_str!("../assets/profile.js");
const MARKUP: &str = include_str!("../assets/profile.html");
const ROWS: usize = 200;
/// Functions of the picture: smaller ones are left out.
const NODES: usize = 20_000;

#[derive(Debug, Serialize)]
struct Data<'a> {
    costs: Vec<&'static str>,
    colours: &'static [&'static str],
    /// Name, file, module.
    labels: Vec<(&'a str, &'a str, &'a str)>,
    nodes: Vec<Node>,
    /// Seconds, live, resident.
    curve: Vec<(f64, f64, Option<u64>)>,
    chosen: usize,
}

/// Parent, label, colour, and of each cost bytes, blocks, and between what the bytes are.
#[derive(Debug, Serialize)]
struct Node(usize, usize, usize, Vec<(f64, f64, f64, f64)>);

/// The page alone, as text, with a cost to begin with.
pub fn html(profile: &Profile, tree: &Tree, by: Cost) -> String {
    let nodes = nodes(tree, profile.interval);
    let labels = tree.labels.iter();
    let data = Data {
        costs: Cost::ALL.map(Cost::name).to_vec(),
        colours: &COLOURS,
        labels: labels.map(|l| (l.name.as_str(), l.file.as_str(), l.module.as_str())).collect(),
        nodes,
        curve: profile.curve.iter().map(|p| (p.time as f64 / 1e9, p.live, p.resident)).collect(),
        chosen: Cost::ALL.iter().position(|&cost| cost == by).unwrap_or_default(),
    };
    let icicle = Section {
        id: "stacks",
        title: "Where it comes from",
        about: "Each bar is a function, under the one that calls it, as wide as what it and all that it calls hold. A click goes into one, a click on a bar above goes back.".to_owned(),
        markup: MARKUP.replace("<!--picture-->", &svg(tree, by)),
        ..Section::default()
    };
    let table = Section {
        id: "sites",
        title: "Places",
        about: "The innermost function of a call stack that is the program's own, and its callers as far as most comes by them. Allocators and standard libraries are passed over.".to_owned(),
        tables: vec![table(profile, by)],
        ..Section::default()
    };
    let lifetimes = Section {
        id: "lifetimes",
        title: "How long blocks live",
        about: format!("Shares {}.", lifetimes::ABOUT),
        tables: vec![lifetimes::table(profile)],
        ..Section::default()
    };
    let curve = Section {
        id: "time",
        title: "Memory over time",
        about:
            "Live is what was allocated and not freed; resident is what the process had in memory."
                .to_owned(),
        figures: chart(profile)
            .map(|svg| Figure {
                svg,
                is_wide: true,
                kind: "curve",
                which: String::new(),
                name: String::new(),
                file: "curve".to_owned(),
            })
            .into_iter()
            .collect(),
        ..Section::default()
    };
    let troubles = profile.names.troubles.iter().map(ToString::to_string);
    show::render(&Page {
        title: format!("heapwright profile, {}", profile.command),
        kicker: format!("{}, process {}, on {}", profile.command, profile.pid, profile.malloc),
        headline: headline(profile, by),
        said: said(profile),
        warnings: profile.missing.iter().cloned().chain(troubles).collect(),
        sections: vec![icicle, table, lifetimes, curve],
        // JSON in which no tag ends.
        data: serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c"),
        script: SCRIPT,
        ..Page::default()
    })
}

fn headline(profile: &Profile, by: Cost) -> String {
    let all = profile.all.of(by).bytes;
    let sites = sites(profile, by);
    match sites.first().filter(|site| site.costs.of(by).bytes >= 0.5) {
        Some(site) => format!(
            "{} {}, {} of it from {}",
            bytes(all),
            by.name(),
            percent(site.costs.of(by).bytes / all.max(1.0)),
            site.name
        ),
        None => format!("Nothing is {}", by.name()),
    }
}

fn said(profile: &Profile) -> Vec<String> {
    let of = |cost: Cost| with_margin(profile.all.of(cost), profile.interval);
    let mut said = vec![format!(
        "{} live at the peak, after {}; {} at the end, after {}; {} allocated in all.",
        of(Cost::Peak),
        nanoseconds(profile.peak_time as f64),
        of(Cost::Live),
        nanoseconds(profile.duration as f64),
        of(Cost::Allocated)
    )];
    if profile.interval > 0 {
        said.push(format!(
            "A sample: a block each {}, {} in all. Each stands for its like; the true figure is within ± in 95 of 100 cases.",
            bytes(profile.interval as f64),
            show::number::count(profile.samples as f64)
        ));
    }
    said
}

fn table(profile: &Profile, by: Cost) -> Table {
    let mut columns = vec!["where".to_owned()];
    columns.extend(Cost::ALL.map(|cost| cost.name().to_owned()));
    columns.extend(["between", "with callees", "blocks"].map(str::to_owned));
    let mut table = Table::new(columns);
    table.id = "places";
    table.sortable = true;
    let cell =
        |text: String, sort: f64| Cell { text, sort: format!("{sort:.0}"), ..Cell::default() };
    for site in sites(profile, by).into_iter().take(ROWS) {
        let mut row = vec![Cell::from(site.name.clone())];
        let amount = |estimate: &Estimate| cell(bytes(estimate.bytes), estimate.bytes);
        row.extend(Cost::ALL.map(|cost| amount(site.costs.of(cost))));
        let (low, high) = site.costs.of(by).between(profile.interval);
        row.push(cell(format!("{} and {}", bytes(low), bytes(high)), low));
        row.push(amount(site.total.of(by)));
        let blocks = site.costs.of(by).blocks.round();
        row.push(cell(show::number::count(blocks), blocks));
        table.row(row);
    }
    table
}

/// The largest functions, parents before their children.
fn nodes(tree: &Tree, interval: u64) -> Vec<Node> {
    let all = tree.nodes[0].total;
    // As large as its largest share of a cost.
    let share = |at: usize| {
        let shares =
            Cost::ALL.map(|cost| tree.nodes[at].total.of(cost).bytes / all.of(cost).bytes.max(1.0));
        shares.into_iter().fold(0.0, f64::max)
    };
    let mut shares: Vec<f64> = (0..tree.nodes.len()).map(share).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let least = shares.get(NODES).copied().unwrap_or(0.0).max(1e-4);
    let colours = colours(tree);
    let mut numbers = vec![None; tree.nodes.len()];
    let mut nodes = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let parent = numbers[node.parent];
        if at > 0 && (parent.is_none() || share(at) < least) {
            continue;
        }
        numbers[at] = Some(nodes.len());
        let costs = Cost::ALL.map(|cost| {
            let of = node.total.of(cost);
            let (low, high) = of.between(interval);
            (of.bytes.round(), of.blocks.round(), low.round(), high.round())
        });
        nodes.push(Node(parent.unwrap_or(0), node.label, colours[at], costs.to_vec()));
    }
    nodes
}

fn chart(profile: &Profile) -> Option<String> {
    let seconds = |time: u64| time as f64 / 1e9;
    let points = |of: fn(&crate::gather::Point) -> Option<f64>| -> Vec<(f64, f64)> {
        profile.curve.iter().filter_map(|p| Some((seconds(p.time), of(p)?))).collect()
    };
    let live = points(|p| Some(p.live));
    let resident = points(|p| p.resident.map(|bytes| bytes as f64));
    let ask = |label: &str, unit| Ask { label: label.to_owned(), kind: Kind::Even, unit };
    let chart = Chart {
        title: "Live and resident memory".to_owned(),
        x: ask("time", Unit::Seconds),
        y: ask("memory", Unit::Bytes),
        lines: vec![
            Line { name: "resident", style: Style::of(1, Part::Baseline), points: &resident },
            Line { name: "live", style: Style::of(0, Part::Ours), points: &live },
        ],
        area: None,
        marks: Vec::new(),
        by_x: false,
        is_wide: true,
        data: String::new(),
    };
    chart.draw(700).map(|drawn| drawn.svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn the_page_is_whole_and_needs_no_other() {
        let mut profile = profile();
        profile.command = "</script><b>".to_owned();
        let page = html(&profile, &Tree::of(&profile), Cost::Peak);
        assert!(
            !page.contains("</script><b>") && !page.contains("src=") && !page.contains("https:")
        );
        let data =
            page.split("id=\"data-json\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let data: serde_json::Value = serde_json::from_str(data.unwrap()).unwrap();
        // All, main, its function, and those of the stack without known callers.
        assert_eq!(data["nodes"].as_array().unwrap().len(), 5);
        assert_eq!(data["nodes"][0][3][0][0], 3000.0);
    }
}
