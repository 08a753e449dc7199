//! Where heapwright is not the best: every workload in which its time or its peak memory is shown to be more, the worst first; and in
//! how many nothing can be told.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::Report;
use bench::session::{SubjectIndex, WorkloadIndex};
use serde::Deserialize;

use super::front::wrapped;
use super::tables::{contestants, markdown};

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

/// Our figure beside the best of the others'.
struct Standing<'a> {
    claim: Claim,
    factor: f64,
    to: &'a str,
}

impl Standing<'_> {
    fn words(loss: Option<&Self>) -> String {
        loss.map_or_else(String::new, |loss| format!("{:.2} × {}", loss.factor, loss.to))
    }
}

/// A workload in which another allocator is better.
struct Row<'a> {
    workload: &'a str,
    time: Option<Standing<'a>>,
    memory: Option<Standing<'a>>,
}

impl Row<'_> {
    /// The larger of the two factors.
    fn worst(&self) -> f64 {
        [&self.time, &self.memory].into_iter().flatten().map(|l| l.factor).fold(0.0, f64::max)
    }
}

/// Where we stand in each workload; nowhere if heapwright took no part.
fn standings(report: &Report, metric: Metric) -> Vec<(WorkloadIndex, Standing<'_>)> {
    let Some(ours) = report.allocators.iter().position(|e| e.name == HEAPWRIGHT) else {
        return Vec::new();
    };
    let standing = |work| {
        let mine = report.ratio(work, SubjectIndex(ours), metric)?;
        let others = contestants(report).filter(|(at, _)| *at != ours);
        let (best, theirs) = others
            .filter_map(|(at, entry)| Some((entry, report.ratio(work, SubjectIndex(at), metric)?)))
            .min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
        let ratio = mine.over(&theirs);
        let claim = Claim::of(&ratio, report.noise(work, metric));
        Some((work, Standing { claim, factor: ratio.estimate, to: best.name.as_str() }))
    };
    report.workload_indices().filter_map(standing).collect()
}

fn count(standings: &[(WorkloadIndex, Standing<'_>)], claim: Claim) -> usize {
    standings.iter().filter(|(_, standing)| standing.claim == claim).count()
}

/// Takes out where we stand in a workload, if another allocator is better there.
fn lost<'a>(
    all: &mut Vec<(WorkloadIndex, Standing<'a>)>,
    work: WorkloadIndex,
) -> Option<Standing<'a>> {
    let at = all.iter().position(|(w, s)| *w == work && s.claim == Claim::More)?;
    Some(all.swap_remove(at).1)
}

/// Every workload in which another allocator is better, the worst first.
fn rows(report: &Report) -> Vec<Row<'_>> {
    let [mut times, mut memories] = [Metric::Time, Metric::Memory].map(|m| standings(report, m));
    let mut rows = Vec::new();
    for work in report.workload_indices() {
        let (time, memory) = (lost(&mut times, work), lost(&mut memories, work));
        if time.is_some() || memory.is_some() {
            rows.push(Row { workload: &report.workloads[work.0].name, time, memory });
        }
    }
    rows.sort_by(|a, b| b.worst().total_cmp(&a.worst()));
    rows
}

/// The table, and how many figures it is of. The causes stand below it by their numbers, as many workloads share one.
pub(super) fn table(report: &Report) -> Result<String, String> {
    let (causes, rows) = (causes()?, rows(report));
    let [time, memory] = [Metric::Time, Metric::Memory]
        .map(|metric| count(&standings(report, metric), Claim::Untold));
    let untold = format!("It cannot be told of time in {time}, and of peak memory in {memory}.");
    if rows.is_empty() {
        return Ok(format!("In no workload is another allocator shown to be better. {untold}"));
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
            Standing::words(time.as_ref()),
            Standing::words(memory.as_ref()),
            why.join(", "),
        ]);
    }
    let list: Vec<String> =
        named.iter().enumerate().map(|(at, cause)| format!("{}. {cause}", at + 1)).collect();
    Ok(format!(
        "In {} of {} workloads some allocator is shown to be better: in time in {}, in peak memory in {}.\n{untold}\n\
         A factor is heapwright's figure over that of the best allocator there; the numbers say why, below the table.\n\n\
         {table}\n\n{}",
        rows.len(),
        report.workloads.len(),
        rows.iter().filter(|row| row.time.is_some()).count(),
        rows.iter().filter(|row| row.memory.is_some()).count(),
        list.join("\n"),
    ))
}

/// Which runs failed, and the last line that they said: the means of those allocators are over the other workloads.
pub(super) fn failed(report: &Report) -> String {
    let mut missing: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for work in &report.workloads {
        for (at, entry) in contestants(report) {
            let cell = work.cells.get(at).filter(|cell| !cell.counts());
            let Some(cell) = cell else { continue };
            let said = cell.failure.as_ref().and_then(|why| why.stderr.trim().lines().last());
            let who = (entry.name.as_str(), said.unwrap_or_default());
            let place = missing.iter().position(|(name, said, _)| (*name, *said) == who);
            let place = place.unwrap_or_else(|| {
                missing.push((who.0, who.1, Vec::new()));
                missing.len() - 1
            });
            missing[place].2.push(format!("`{}`", work.name));
        }
    }
    if missing.is_empty() {
        return "No run failed.".to_owned();
    }
    let one = |(name, said, works): &(&str, &str, Vec<String>)| {
        let said = if said.is_empty() { String::new() } else { format!(" (`{said}`)") };
        format!("{name} in {}{said}", show::text::list(works))
    };
    let all: Vec<String> = missing.iter().map(one).collect();
    wrapped(&format!("Failed, and left out of their means: {}.", all.join("; ")))
}

fn cause<'a>(causes: &'a [Cause], workload: &str) -> Option<&'a str> {
    let of = causes.iter().find(|cause| cause.workloads.iter().any(|name| name == workload))?;
    Some(&of.cause)
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
