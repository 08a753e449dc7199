//! What people look at of a result: lines in a terminal, Markdown, plots and one offline page.
//!
//! ```text
//! Report ── view (who is shown, what a cell says) ──┬── tables ─────┬── terminal: lines, Markdown
//!                                                   ├── notes ──────┤
//!                                                   ├── verdict ────┤
//!                                                   └── plot: SVG ──┴── sections ── page, with the result as JSON inside
//! ```
//!
//! Everything is made from the [`Report`] alone, nothing is measured or read. Whatever is absent from a result is said
//! in words or left out; no result makes it panic.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod embed;
mod notes;
mod page;
mod plot;
mod sections;
mod tables;
mod terminal;
mod verdict;
mod view;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bench::result::Report;
use bench::whole;

pub use notes::{last_lines, left_out};
pub use page::{html, tables};
pub use plot::front;
pub use plot::{Plot, plots};
pub use terminal::{markdown, text};
pub use verdict::{Verdict, verdict};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be written, or its folder not be made.
    #[error("cannot write {0}")]
    Write(PathBuf, #[source] io::Error),
}

/// Writes `report.html` and `plots/*.svg` into `folder`, which exists; what is there is replaced.
///
/// Returns the files written, the page first. Cost: what [`html`] and [`plots`] cost.
/// Errors: a file cannot be written: nothing of it is left, and an older one stays as it was. Those written before stay
/// too.
pub fn write(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut written = Vec::new();
    let mut put = |path: PathBuf, content: &[u8]| {
        whole::write(&path, content).map_err(|e| Error::Write(path.clone(), e))?;
        written.push(path);
        Ok(())
    };
    put(folder.join("report.html"), html(report).as_bytes())?;
    let plots = plots(report);
    let place = folder.join("plots");
    if !plots.is_empty() {
        fs::create_dir_all(&place).map_err(|e| Error::Write(place.clone(), e))?;
    }
    for plot in plots {
        put(place.join(format!("{}.svg", plot.name)), plot.svg.as_bytes())?;
    }
    Ok(written)
}
