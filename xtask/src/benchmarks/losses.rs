//! Where heapwright is not the best: every workload in which its time or its peak memory is beyond noise, the worst first.

use bench::allocator::HEAPWRIGHT;
use bench::result::{Cell, Compared, Report, Work};
use serde::Deserialize;

use super::front::wrapped;
use super::tables::{contestants, counts, markdown, ratio, within_noise};

/// Why a figure of some workloads falls short, as far as it is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Causes {
    time: Vec<Cause>,
    memory: Vec<Cause>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cause {
    cause: String,
    workloads: Vec<String>,
}

fn causes() -> Result<Causes, String> {
    toml::from_str(include_str!("causes.toml")).map_err(|e| format!("causes.toml: {e}"))
}

/// By how much, to whom.
struct Loss<'a> {
    factor: f64,
    to: &'a str,
}

impl Loss<'_> {
    fn words(loss: Option<&Self>) -> String {
        loss.map_or_else(String::new, |loss| format!("{:.2} × {}", loss.factor, loss.to))
    }
}

/// A workload in which somebody is better.
struct Row<'a> {
    workload: &'a str,
    time: Option<Loss<'a>>,
    memory: Option<Loss<'a>>,
}

impl Row<'_> {
    /// The larger of the two factors.
    fn worst(&self) -> f64 {
        [&self.time, &self.memory].into_iter().flatten().map(|l| l.factor).fold(0.0, f64::max)
    }
}

/// Every workload in which somebody is better, the worst first; empty too where heapwright took no part.
fn rows(report: &Report) -> Vec<Row<'_>> {
    let ours = report.allocators.iter().position(|e| e.name == HEAPWRIGHT);
    let row = |work: &'_ Work, ours| {
        let time = loss(report, work, ours, |cell| cell.time);
        let memory = loss(report, work, ours, |cell| cell.peak_rss);
        (time, memory)
    };
    let mut rows: Vec<Row<'_>> = report
        .workloads
        .iter()
        .filter_map(|work| match row(work, ours?) {
            (None, None) => None,
            (time, memory) => Some(Row { workload: &work.name, time, memory }),
        })
        .collect();
    rows.sort_by(|a, b| b.worst().total_cmp(&a.worst()));
    rows
}

/// The table, and how many figures it is of. The causes stand below it by their numbers, as many workloads share one.
pub(super) fn table(report: &Report) -> Result<String, String> {
    let (causes, rows) = (causes()?, rows(report));
    if rows.is_empty() {
        return Ok("In no workload is another allocator better beyond noise.".to_owned());
    }
    let mut named: Vec<&str> = Vec::new();
    let header = ["workload", "time", "peak memory", "why"];
    let mut table = markdown(header.map(str::to_owned));
    for Row { workload, time, memory } in &rows {
        let of_time = time.as_ref().and_then(|_| cause(&causes.time, workload));
        let of_memory = memory.as_ref().and_then(|_| cause(&causes.memory, workload));
        let mut why: Vec<String> = Vec::new();
        for cause in of_time.into_iter().chain(of_memory) {
            let at = named.iter().position(|one| *one == cause).unwrap_or_else(|| {
                named.push(cause);
                named.len() - 1
            });
            why.push((at + 1).to_string());
        }
        table.add_row([
            (*workload).to_owned(),
            Loss::words(time.as_ref()),
            Loss::words(memory.as_ref()),
            why.join(", "),
        ]);
    }
    let list: Vec<String> =
        named.iter().enumerate().map(|(at, cause)| format!("{}. {cause}", at + 1)).collect();
    Ok(format!(
        "In {} of {} workloads some allocator is better beyond noise: in time in {}, in peak memory in {}.\n\
         A factor is heapwright's figure over that of the best allocator there; the numbers say why, below the table.\n\n\
         {table}\n\n{}",
        rows.len(),
        report.workloads.len(),
        rows.iter().filter(|row| row.time.is_some()).count(),
        rows.iter().filter(|row| row.memory.is_some()).count(),
        list.join("\n"),
    ))
}

/// The same in two sentences for the front page, and whose means leave a workload out.
pub(super) fn sentences(report: &Report) -> String {
    let rows = rows(report);
    let times: Vec<(&str, &Loss<'_>)> =
        rows.iter().filter_map(|row| Some((row.workload, row.time.as_ref()?))).collect();
    let worst = times.iter().max_by(|a, b| a.1.factor.total_cmp(&b.1.factor));
    let (count, all) = (times.len(), report.workloads.len());
    let over = times.iter().filter(|(_, loss)| loss.factor > 1.15).count();
    let noise = super::bounds::middle_noise(report)
        .map_or_else(String::new, |noise| format!(" (median {:.1} %)", 100.0 * noise));
    let mut text = match worst {
        None => format!("Nobody is faster beyond noise{noise} in any of the {all} workloads."),
        Some((name, loss)) => format!(
            "Somebody is faster beyond noise{noise} in {count} of the {all} workloads, by more than 15 % in {over}; `{name}` takes \
             {:.2} of {}'s time ([why](docs/benchmarks.md#where-heapwright-loses)).",
            loss.factor, loss.to
        ),
    };
    let missing: Vec<String> = report
        .workloads
        .iter()
        .flat_map(|work| {
            let lacks = |at: usize| work.cells.get(at).is_none_or(|cell| !counts(cell));
            contestants(report)
                .filter(move |(at, _)| lacks(*at))
                .map(|(_, entry)| format!("{} `{}`", entry.name, work.name))
        })
        .collect();
    if !missing.is_empty() {
        text.push_str(&format!(" Failed, and left out of that mean: {}.", missing.join(", ")));
    }
    text.push_str(
        " Every program, the machine, the command: [docs/benchmarks.md](docs/benchmarks.md).",
    );
    wrapped(&text)
}

fn cause<'a>(causes: &'a [Cause], workload: &str) -> Option<&'a str> {
    let of = causes.iter().find(|cause| cause.workloads.iter().any(|name| name == workload))?;
    Some(&of.cause)
}

/// `None` unless somebody is better than ours by more than both intervals, which takes two runs at least.
fn loss<'a>(
    report: &'a Report,
    work: &Work,
    ours: usize,
    figure: fn(&Cell) -> Option<Compared>,
) -> Option<Loss<'a>> {
    let mine = ratio(report, work, ours, figure).filter(|ratio| ratio.pairs > 1)?;
    let others = contestants(report).filter(|(at, _)| *at != ours);
    let (best, theirs) = others
        .filter_map(|(at, entry)| Some((entry, ratio(report, work, at, figure)?)))
        .min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
    let is_lost = theirs.estimate > 0.0 && theirs.pairs > 1 && !within_noise(&mine, &theirs);
    is_lost.then(|| Loss { factor: mine.estimate / theirs.estimate, to: &best.name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_name_workloads_that_there_are() {
        let all = causes().unwrap();
        for cause in all.time.iter().chain(&all.memory) {
            for name in &cause.workloads {
                let file = crate::peers::root().join(format!("bench/definitions/{name}.toml"));
                assert!(file.is_file(), "{name}: {}", cause.cause);
            }
        }
    }
}
