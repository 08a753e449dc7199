//! The sites that hold most at a moment, a line each.

use show::number::{bytes, count, percent};
use symbols::fitted;

use super::ink::{Ink, Line};
use crate::pictures::Pictures;

/// Letters of the figures in front of a site.
const FIGURES: usize = 33;
/// Of a site at least so many are shown.
const LEAST: usize = 16;

/// What the lines are of.
pub(crate) fn title(pictures: &Pictures) -> &'static str {
    if pictures.sites.is_sampled() {
        "Live by site, estimated from a sample"
    } else {
        "Live by site"
    }
}

/// Bytes, share, blocks, site: as in the page.
pub(crate) fn rows(pictures: &Pictures, at: usize) -> Vec<[String; 4]> {
    let most = &pictures.frames[at].sites;
    let all = most.all;
    let row = |bytes_held: u64, blocks: f64, name: &str| {
        let share = bytes_held as f64 / all.bytes.max(1) as f64;
        [bytes(bytes_held as f64), percent(share), count(blocks.round()), name.to_owned()]
    };
    let mut rows: Vec<[String; 4]> = Vec::new();
    let (mut rest, mut blocks) = (all.bytes, all.blocks());
    for (site, held) in &most.sites {
        rows.push(row(held.bytes, held.blocks(), pictures.sites.name(*site)));
        rest = rest.saturating_sub(held.bytes);
        blocks -= held.blocks();
    }
    if rest > 0 {
        rows.push(row(rest, blocks, "others"));
    }
    rows
}

pub(crate) fn sites(pictures: &Pictures, at: usize, width: usize) -> Vec<Line> {
    let line = |[bytes, share, blocks, name]: [&str; 4]| {
        format!(
            "{bytes:>10} {share:>8} {blocks:>11}  {}",
            fitted(name, width.saturating_sub(FIGURES).max(LEAST))
        )
    };
    let head = line(["bytes", "share", "blocks", "allocated in"]);
    let mut lines = vec![Line::of(&head, Ink::Mute)];
    let rows = rows(pictures, at);
    lines.extend(
        rows.iter().map(|row| Line::of(&line(row.each_ref().map(String::as_str)), Ink::Plain)),
    );
    lines
}
