//! The page: the same pictures in one HTML file that needs nothing else, with a slider over time.
//!
//! ```text
//! Pictures ─┬─► heap: gauges as paths, one for each colour; the moments as text that the script reads
//!           ├─► curve: a chart, and the moment in it
//!           └─► heat: lifetimes, threads
//! ```
//!
//! Without a script it shows the moment that was asked for.

mod curve;
mod encode;
mod heap;
mod heat;
mod sites;
mod sizes;

use serde::Serialize;
use show::{Figure, Page, Section};

use crate::class::By;
use crate::draw::{class_name, figures, headline, sentence, site_rows};
use crate::lifetimes::LIFE_NAMES;
use crate::pictures::Pictures;

const SCRIPT: &str = include_str!("../assets/view.js");

/// What the script reads.
#[derive(Debug, Serialize)]
struct Data<'a> {
    heaps: Vec<heap::Data>,
    moments: Vec<Moment>,
    asked: usize,
    classes: Vec<Vec<&'a str>>,
    curves: Vec<curve::Data<'a>>,
    /// Rows of bytes up to; blocks by lifetime.
    lifetimes: heat::Data,
    /// Size, allocated, freed.
    sizes: Vec<(&'a str, u64, u64)>,
    pairs: heat::Data,
}

/// A moment without its cells.
#[derive(Debug, Serialize)]
struct Moment {
    seconds: f64,
    live: u64,
    blocks: u64,
    words: String,
    /// What each heap's caption says.
    sides: Vec<String>,
    /// What is live by site.
    sites: Vec<[String; 4]>,
}

/// The page alone, as text.
pub fn html(pictures: &Pictures, by: By) -> String {
    let rows = heap::rows(pictures);
    let lifetimes = lifetimes(pictures);
    let pairs = pairs(pictures);
    let by_size = pictures.lifetimes.by_size();
    let classes = pictures.colours();
    let classes = classes.map(|by| (0..8).map(|class| class_name(pictures, by, class)).collect());
    let words = |at: usize| sentence(pictures, at);
    let data = Data {
        heaps: pictures.sides().zip(&rows).map(|(side, rows)| heap::data(side, rows)).collect(),
        moments: pictures
            .frames
            .iter()
            .enumerate()
            .map(|(at, frame)| Moment {
                seconds: seconds(frame.time),
                live: frame.live,
                blocks: frame.blocks,
                words: words(at),
                sides: pictures.sides().map(|side| figures(side, at)).collect(),
                sites: if pictures.has_sites() { site_rows(pictures, at) } else { Vec::new() },
            })
            .collect(),
        asked: pictures.asked,
        classes: classes.collect(),
        curves: pictures.sides().map(curve::data).collect(),
        lifetimes: lifetimes.data(),
        sizes: by_size.iter().map(|row| (row.name.as_str(), row.allocated, row.freed)).collect(),
        pairs: pairs.data(),
    };
    let figure = |svg: String, kind: &'static str, is_wide: bool| Figure {
        svg,
        is_wide,
        kind,
        which: String::new(),
        name: String::new(),
        file: kind.to_owned(),
    };
    let mut sections = vec![
        Section {
            id: "heap",
            title: "The heap",
            about: heap::about(&rows),
            markup: heap::markup(pictures, &rows, by),
            ..Section::default()
        },
        Section {
            id: "curve",
            title: "Memory over time",
            about: curve::about(pictures),
            figures: curve::draw(pictures).map(|svg| figure(svg, "curve", true)).into_iter().collect(),
            ..Section::default()
        },
        Section {
            id: "sizes",
            title: "Sizes",
            about: "How many blocks of each size were allocated, and how many were freed.".to_owned(),
            figures: vec![
                figure(sizes::draw(&by_size, "allocations by size", |row| row.allocated), "sizes", false),
                figure(sizes::draw(&by_size, "frees by size", |row| row.freed), "sizes", false),
            ],
            ..Section::default()
        },
        Section {
            id: "lifetimes",
            title: "Size and lifetime",
            about: "Which sizes live for how long. Small long-lived blocks among large short-lived ones keep pages from being given back.".to_owned(),
            figures: vec![
                figure(lifetimes.draw("% of all blocks", 572.0, |sum| sum.blocks), "lifetimes", false),
                figure(lifetimes.draw("% of all bytes", 572.0, |sum| sum.bytes), "lifetimes", false),
            ],
            ..Section::default()
        },
        Section {
            id: "threads",
            title: "Who allocates, who frees",
            about: "What stands beside the diagonal was freed by another thread than the one that allocated it: allocators with a cache for each thread have to send it back.".to_owned(),
            figures: vec![figure(pairs.draw("% of all blocks", 1160.0, |sum| sum.blocks), "threads", true)],
            ..Section::default()
        },
        Section {
            id: "data",
            title: "Data",
            markup: "<p class=\"save\" hidden><button type=\"button\" id=\"json\">the figures of this page as JSON</button></p>".to_owned(),
            ..Section::default()
        },
    ];
    if pictures.has_sites() {
        sections.insert(1, sites::section(pictures));
    }
    show::render(&Page {
        title: format!("heapwright view, {}", pictures.title),
        kicker: pictures.title.clone(),
        headline: headline(pictures),
        said: heap::lying(pictures),
        warnings: pictures.missing.clone(),
        key: Vec::new(),
        sections,
        data: json(&data),
        script: SCRIPT,
    })
}

/// JSON in which no tag ends.
fn json(data: &Data<'_>) -> String {
    serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c")
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn lifetimes(pictures: &Pictures) -> heat::Heat {
    let rows = pictures.lifetimes.rows();
    // Columns of no use to the reader only make the others narrower.
    let used: Vec<usize> = (0..LIFE_NAMES.len())
        .filter(|column| rows.iter().any(|(_, sums)| sums[*column].blocks > 0))
        .collect();
    heat::Heat {
        across: "lived for less than".to_owned(),
        down: "size".to_owned(),
        columns: used.iter().map(|column| LIFE_NAMES[*column].to_owned()).collect(),
        sums: rows.iter().map(|(_, sums)| used.iter().map(|c| sums[*c]).collect()).collect(),
        rows: rows.into_iter().map(|(name, _)| name).collect(),
    }
}

fn pairs(pictures: &Pictures) -> heat::Heat {
    let matrix = &pictures.pairs;
    let nobody = core::iter::once("nobody".to_owned());
    heat::Heat {
        across: "freed by thread".to_owned(),
        down: "allocated by".to_owned(),
        columns: matrix.names.iter().cloned().chain(nobody).collect(),
        rows: matrix.names.clone(),
        sums: matrix.sums.clone(),
    }
}

#[cfg(test)]
mod tests;
