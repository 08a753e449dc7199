//! The page's first table: what was counted, which needs no quiet machine.

use std::path::Path;

use bench::allocator::HEAPWRIGHT;
use bench::fail_if::Metric;
use bench::result::{Entry, Report};
use bench::session::WorkloadIndex;
use comfy_table::Table;

use super::front::{command, wrapped};
use super::losses;
use super::tables::{contestants, markdown, mean_row, ratios};
use crate::peers::NEWER;

/// The section, with the means of every figure and all instructions.
pub(super) fn section(report: &Report, file: &Path) -> String {
    let works: Vec<WorkloadIndex> = report.workload_indices().collect();
    let mut means: Option<Table> = None;
    for metric in Metric::COUNTED {
        let row = mean_row(report, report, metric.to_string(), metric);
        let names = ratios(report, &[], "geometric mean ÷ glibc's", metric);
        means.get_or_insert(names).add_row(row);
    }
    let instructions = ratios(report, &works, "instructions ÷ glibc's", Metric::Instructions);
    let faults = ratios(report, &works, "page faults ÷ glibc's", Metric::Faults);
    let newer: Vec<String> =
        NEWER.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut peers = markdown(["allocator", "version"].map(str::to_owned));
    for (_, entry) in contestants(report) {
        let version = entry.version.clone().unwrap_or_default();
        peers.add_row([entry.name.clone(), version]);
    }
    let text = wrapped(&format!(
        "Counted {} by {} over {} workloads with one thread, at {} of their usual length: the same on a busy machine, and nearly so on \
         another one of this architecture. ± is 0.5 %, within which two results of one version agreed in 691 of 720 figures, or how \
         far runs of the same differed: mimalloc and jemalloc go by the clock, or by random numbers. An instruction is no time: what waits for memory shows in the misses (D1: the first cache \
         for data, LL: the last one). Measured are the newest versions that registries of packages have; upstream has released \
         {}. Every figure: `{file}`.",
        report.started,
        report.counted.as_deref().unwrap_or_default(),
        report.workloads.len(),
        report.scale,
        newer.join(", "),
        file = file.display(),
    ));
    let left_out: String =
        report.warnings.iter().map(|why| format!("Not counted: {why}.\n\n")).collect();
    let failed = losses::failed(report);
    let plainly = wrapped(&plainly(report));
    let command = command(report);
    let means = means.map(|table| table.to_string()).unwrap_or_default();
    format!(
        "## Counted\n\n{text}\n\n{means}\n\n{plainly}\n\n{instructions}\n\n{faults}\n\n{peers}\n\n{failed}\n\n{left_out}The command:\n\n{command}"
    )
}

/// What the table of means says, in words.
fn plainly(report: &Report) -> String {
    let said = |metric: Metric| {
        let mean = |(at, entry): (usize, &Entry)| {
            Some((entry.name.clone(), metric.mean(report.overall.get(at)?)?.estimate))
        };
        let all: Vec<(String, f64)> = contestants(report).filter_map(mean).collect();
        let (_, ours) = all.iter().find(|(name, _)| name == HEAPWRIGHT)?;
        let fewer = all.iter().filter(|(_, mean)| mean < ours);
        let fewer: Vec<_> = fewer.map(|(name, mean)| format!("{name} ({mean:.2})")).collect();
        let fewer = if fewer.is_empty() { "nobody".to_owned() } else { show::text::list(&fewer) };
        Some((format!("{ours:.2}"), fewer))
    };
    let (Some((instructions, quicker)), Some((faults, calmer))) =
        (said(Metric::Instructions), said(Metric::Faults))
    else {
        return String::new();
    };
    format!(
        "In plain words: on heapwright these programs execute {instructions} of the instructions that they do on glibc, their own work \
         included; fewer on {quicker}. They have {faults} of its page faults; fewer on {calmer}. Where memory comes in huge \
         pages one fault brings 2 MiB instead of 4 KiB, and with it memory that may not be needed: mimalloc 2 and 3 ask for them from \
         their start on, heapwright from 8 MiB on and for small objects only."
    )
}
