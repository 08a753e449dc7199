//! The tables of `docs/performance.md`, between two lines that mark them.

use std::path::Path;

use bench::machine::Machine;
use comfy_table::Table;

use super::Taken;
use super::agree::Compared;
use crate::benchmarks::front;
use crate::figures;
use crate::files;
use crate::judge::{self, Line};

pub(crate) const PAGE: &str = "docs/performance.md";

const NONE: &str = "–";

/// The peaks with their errors, an allocator a row; then what is said of each program.
pub(crate) fn tables(all: &[Compared]) -> String {
    format!("{}\n\n{}", peaks(all), orders(all))
}

fn peaks(all: &[Compared]) -> Table {
    let programs = all.iter().map(|one| one.program.as_str());
    let header = core::iter::once("peak in MiB").chain(programs);
    let mut table = figures::table(header);
    let names = all.first().map_or(&[][..], |one| &one.rows[..]).iter().map(|row| &row.0);
    for (place, name) in names.enumerate() {
        let cell = |one: &Compared| {
            let error = one.errors().nth(place).flatten();
            match (one.rows.get(place).and_then(|row| row.1), error) {
                (Some(real), Some(error)) => {
                    format!("{:.1} ({:+.1} %)", mib(&real), 100.0 * error)
                }
                (Some(real), None) => format!("{:.1} ({NONE})", mib(&real)),
                (None, _) => NONE.to_owned(),
            }
        };
        table.add_row(core::iter::once(name.clone()).chain(all.iter().map(cell)));
    }
    table
}

fn mib(taken: &Taken) -> f64 {
    taken.memory / f64::from(1 << 20)
}

fn orders(all: &[Compared]) -> Table {
    let mut table = figures::table([
        "",
        "recorded on",
        "calls",
        "largest error",
        "order by memory",
        "order by time",
    ]);
    for one in all {
        let largest = one.errors().flatten().map(f64::abs).reduce(f64::max);
        let order = |of| match one.order(of) {
            (_, 0) => "none is apart".to_owned(),
            (right, told) => format!("{right} of {told}"),
        };
        #[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
        let calls = one.events as f64 / 1e6;
        table.add_row([
            one.program.clone(),
            one.recorded.clone(),
            format!("{calls:.1} million"),
            largest.map_or(NONE.to_owned(), |error| format!("{:.1} %", 100.0 * error)),
            order(|taken| taken.memory),
            order(|taken| taken.time),
        ]);
    }
    table
}

pub(crate) fn section(all: &[Compared], lines: &[Line], rounds: u8) -> String {
    let machine = Machine::describe();
    let when = all.first().and_then(|one| one.replayed.get(..10)).unwrap_or(NONE);
    let about = front::wrapped(&format!(
        "Measured {when} on {} × {}: {rounds} real runs of each, in turns; the middle one counts. In brackets is how far the \
         replay is from it.",
        machine.cores, machine.cpu
    ));
    format!("{about}\n\n{}\n\n{}", tables(all), judge::table(lines))
}

pub(crate) fn write(top: &Path, text: &str) -> Result<(), String> {
    let path = top.join(PAGE);
    let new = figures::replaced(&path, "fidelity", text)?;
    files::write(&path, new)
}

#[cfg(test)]
mod tests {
    use super::super::agree::tests::example;
    use super::*;

    #[test]
    fn a_cell_has_the_real_peak_and_the_replays_error() {
        let mut one = example();
        one.rows[0].1 = Some(Taken { memory: f64::from(10 << 20), time: 1.0 });
        one.rows[0].2 = Some(Taken { memory: f64::from(9 << 20), time: 1.0 });
        let text = tables(&[one]);
        for part in ["10.0 (-10.0 %)", "0.0 (–)", " glibc |", "0.0 million"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_page_has_the_lines() {
        let page = crate::peers::root().join(PAGE);
        assert!(figures::replaced(&page, "fidelity", "").is_ok());
    }
}
