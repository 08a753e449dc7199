//! A table whose cells are darker the more is in them.

use serde::Serialize;
use show::svg::{Anchor, Svg};
use show::text::{cut, escape};

use crate::draw::share;
use crate::lifetimes::Sum;

const TOP: f64 = 66.0;
const HIGH: f64 = 22.0;
/// A column is no wider, so that few columns are not stretched.
const WIDEST: f64 = 84.0;
/// Letters of a row's name.
const NAME: usize = 19;
/// The fill of the largest cell: words on it can still be read.
const DARKEST: f64 = 0.5;

/// Sums by two names.
#[derive(Debug)]
pub(super) struct Heat {
    pub(super) across: String,
    pub(super) down: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<String>,
    pub(super) sums: Vec<Vec<Sum>>,
}

/// The same for the script.
#[derive(Debug, Serialize)]
pub(super) struct Data {
    columns: Vec<String>,
    rows: Vec<String>,
    blocks: Vec<Vec<u64>>,
    bytes: Vec<Vec<u64>>,
}

impl Heat {
    pub(super) fn data(&self) -> Data {
        let of = |what: fn(&Sum) -> u64| {
            self.sums.iter().map(|row| row.iter().map(what).collect()).collect()
        };
        Data {
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            blocks: of(|sum| sum.blocks),
            bytes: of(|sum| sum.bytes),
        }
    }

    /// Drawn by one of the two.
    pub(super) fn draw(&self, title: &str, width: f64, what: fn(&Sum) -> u64) -> String {
        let longest = self.rows.iter().chain([&self.down]).map(|name| name.chars().count()).max();
        let left_of = (longest.unwrap_or(0).min(NAME) as f64 + 2.0) * 7.2 + 8.0;
        let wide = ((width - left_of) / self.columns.len().max(1) as f64).min(WIDEST);
        let mut svg = Svg::new(width, TOP + self.rows.len() as f64 * HIGH + 8.0);
        let values = || self.sums.iter().flatten().map(what);
        let all = values().fold(0, u64::saturating_add);
        let most = values().fold(1, u64::max) as f64;
        svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", title);
        svg.text((left_of, 38.0), Anchor::Start, 11.5, "mute", &format!("{} →", self.across));
        svg.text(
            (left_of - 8.0, TOP - 8.0),
            Anchor::End,
            11.5,
            "mute",
            &format!("{} ↓", self.down),
        );
        let letters = (wide / 7.2) as usize;
        for (at, name) in self.columns.iter().enumerate() {
            let middle = left_of + (at as f64 + 0.5) * wide;
            svg.text((middle, TOP - 8.0), Anchor::Middle, 11.5, "mute", &cut(name, letters));
        }
        for (row, (name, sums)) in self.rows.iter().zip(&self.sums).enumerate() {
            let top = TOP + row as f64 * HIGH;
            svg.text((left_of - 8.0, top + 15.0), Anchor::End, 11.5, "mute", &cut(name, NAME));
            for (column, sum) in sums.iter().enumerate() {
                let value = what(sum) as f64;
                let left = left_of + column as f64 * wide;
                if value == 0.0 {
                    svg.rect((left + 1.0, top + 1.0), (wide - 2.0, HIGH - 2.0), "band");
                    continue;
                }
                // By the root: what is a hundredth can be told from nothing.
                let fill = (value / most).sqrt() * (DARKEST - 0.06) + 0.06;
                svg.put(format_args!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"f0\" fill=\"#0068ad\" fill-opacity=\"{fill:.2}\"><title>{}</title></rect>",
                    left + 1.0,
                    top + 1.0,
                    wide - 2.0,
                    HIGH - 2.0,
                    escape(&self.words(row, column, sum)),
                ));
                let share = share(what(sum), all);
                let class = if share.starts_with('<') { "mute" } else { "ink" };
                svg.text((left + wide / 2.0, top + 15.0), Anchor::Middle, 11.5, class, &share);
            }
        }
        svg.finish(title, "")
    }

    fn words(&self, row: usize, column: usize, sum: &Sum) -> String {
        format!(
            "{} {}, {} {}: {} blocks, {}",
            self.down,
            self.rows[row],
            self.across,
            self.columns[column],
            show::number::count(sum.blocks as f64),
            show::number::bytes(sum.bytes as f64)
        )
    }
}
