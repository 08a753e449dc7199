//! A replay's verdict in words.

use bench::stats::Ratio;
use show::number::{NONE, bytes, nanoseconds, number, percent, with_margin};
use show::text::list;
use show::{Column, Table};

use crate::verdict::{Row, Verdict};

/// The sentences above the table.
pub(super) fn sentences(verdict: &Verdict) -> Vec<String> {
    let on = &verdict.on;
    let when = if verdict.at_end { "at the end" } else { "at the peak" };
    let mut said = Vec::new();
    if let Some(share) = verdict.allocator_time {
        let share = percent(share);
        said.push(format!(
            "Replayed on {on}, its calls of malloc take {share} of the time that it ran."
        ));
    }
    if let Some(error) = verdict.error {
        let more = if error < 0.0 { "less" } else { "more" };
        let error = percent(error.abs());
        said.push(format!(
            "That replay takes {error} {more} memory {when} than was recorded, which is the error of all of it."
        ));
    }
    let Some(advice) = &verdict.advice else {
        said.push(format!(
            "Nothing that was replayed is shown to take less memory {when} than {on} in no more time."
        ));
        return said;
    };
    if let Some(row) = verdict.rows.iter().find(|row| row.name == advice.name) {
        let is = row.is.as_deref().unwrap_or(&row.name);
        let without = match &advice.without[..] {
            [] => String::new(),
            names => format!(" without {}", list(names)),
        };
        said.push(format!(
            "Run it on {is}{without}: {}, and {}.",
            change(row.memory, &format!("memory {when}")),
            change(row.time, "time in its calls"),
        ));
    }
    if !advice.is_beyond_error {
        said.push("That is no more than the error, so try it on the program itself.".to_owned());
    }
    said
}

/// `37 % less memory (35 to 39)`; without the interval where it says no more.
fn change(ratio: Option<Ratio>, what: &str) -> String {
    let Some(ratio) = ratio else { return format!("no figure for {what}") };
    let (by, near, far) = (1.0 - ratio.estimate, 1.0 - ratio.high, 1.0 - ratio.low);
    let more = if by < 0.0 { "more" } else { "less" };
    let (near, far) = if by < 0.0 { (-far, -near) } else { (near, far) };
    let [near, far] = [near, far].map(|v| format!("{:.0}", v * 100.0));
    let interval = if near == far { String::new() } else { format!(" ({near} to {far})") };
    format!("{} {more} {what}{interval}", percent(by.abs()))
}

/// All that were replayed.
pub(super) fn table(verdict: &Verdict) -> Table {
    let which = if verdict.at_end { "at the end" } else { "peak" };
    let heads = ["replayed on", "time", "memory", which, "99.9 % of calls", "front"];
    let mut table = Table::new(heads.map(Column::from));
    for row in &verdict.rows {
        let figures = |row: &Row| {
            [
                row.name.clone(),
                margin(row.time),
                match row.memory {
                    Some(ratio) if verdict.at_end => number(ratio.estimate),
                    ratio => margin(ratio),
                },
                if verdict.at_end { row.end } else { row.peak }.map_or(NONE.to_owned(), bytes),
                row.tail_ns.map_or(NONE.to_owned(), nanoseconds),
                if row.is_on_front { "*".to_owned() } else { String::new() },
            ]
        };
        table.row(figures(row));
    }
    table
}

fn margin(ratio: Option<Ratio>) -> String {
    let half = |ratio: Ratio| (ratio.high - ratio.low) / 2.0;
    match ratio {
        None => NONE.to_owned(),
        Some(ratio) if ratio.pairs == usize::MAX => "1".to_owned(),
        Some(ratio) => with_margin(ratio.estimate, (ratio.pairs > 1).then(|| half(ratio))),
    }
}
