//! `cargo xtask split`: what the peak memory of workloads is made of.
//!
//! Each workload runs on heapwright with its usual settings, without huge pages, and without huge pages and with nothing
//! kept. What a setting takes away is that part; what the program asked for is live; the rest is the waste of size classes,
//! slabs in part free, what threads keep in magazines, and descriptors: less than nothing where a program does not touch all
//! that it asks for. All workloads take some ten minutes.

use std::path::{Path, PathBuf};

use bench::result::{Cell, Report};
use clap::Args;

use crate::{command, figures};

/// What the peak memory of workloads is made of, in MiB
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Workloads or sets of them, as of `heapwright bench`
    #[arg(default_values = ["texts", "community", "ours"])]
    workloads: Vec<String>,
    /// How long the workloads are
    #[arg(long, default_value = "0.1")]
    scale: String,
    /// Another library in heapwright's place
    #[arg(long, value_name = "PATH", env = "HEAPWRIGHT_SO")]
    lib: Option<PathBuf>,
    /// The command to measure with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

/// The settings, each of which takes one part more away.
const SETTINGS: [&[&str]; 3] =
    [&[], &["--set", "hugepages=off"], &["--set", "hugepages=off,keep=0"]];

/// The chore; it has no bounds to fail.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let mut reports = Vec::new();
    for setting in SETTINGS {
        eprintln!("split: {}", setting.last().unwrap_or(&"the usual settings"));
        reports.push(measure(options, &heapwright, setting)?);
    }
    let header = ["MiB", "glibc", "heapwright", "live", "huge pages", "kept", "rest"];
    let mut table = figures::table(&header);
    for (number, work) in reports[0].workloads.iter().enumerate() {
        let cells: Vec<&Cell> = reports
            .iter()
            .filter_map(|report| report.workloads.get(number)?.cells.first())
            .collect();
        let glibc = work.cells.get(1).and_then(peak);
        let parts = parts(&cells).map(|parts| parts.map(Some)).unwrap_or_default();
        let figures = [&[glibc], &parts[..]].concat();
        let figures = figures.iter().map(|bytes| {
            bytes.map_or_else(
                || "–".to_owned(),
                |bytes| format!("{:.1}", bytes / f64::from(1 << 20)),
            )
        });
        table.add_row(core::iter::once(work.name.clone()).chain(figures));
    }
    println!("{table}");
    Ok(true)
}

/// The peak, what of it is live, and what huge pages, kept memory and the rest are of it. `None`: a run has no peak, or
/// does not say what was live.
fn parts(cells: &[&Cell]) -> Option<[f64; 5]> {
    let [usual, small_pages, nothing_kept] = cells else { return None };
    let (whole, small, least) = (peak(usual)?, peak(small_pages)?, peak(nothing_kept)?);
    let live = whole / usual.rss_per_live?;
    Some([whole, live, whole - small, small - least, least - live])
}

fn peak(cell: &Cell) -> Option<f64> {
    Some(cell.peak_rss?.median)
}

fn measure(options: &Options, heapwright: &Path, setting: &[&str]) -> Result<Report, String> {
    let subject = match &options.lib {
        Some(library) => format!("heapwright={},glibc", library.display()),
        None => "heapwright,glibc".to_owned(),
    };
    let words = ["--no-tails", "--rounds", "3", "--scale", &options.scale, "-a", &subject];
    let words = words.iter().chain(setting).map(ToString::to_string);
    command::bench(heapwright, &words.chain(options.workloads.iter().cloned()).collect::<Vec<_>>())
}
