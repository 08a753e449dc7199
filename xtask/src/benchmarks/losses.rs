//! Where heapwright is not the best: every workload in which its time or its peak memory is beyond noise, the worst first.

use bench::allocator::HEAPWRIGHT;
use bench::result::{Cell, Compared, Report, Work};
use serde::Deserialize;

use super::tables::{contestants, markdown, ratio, within_noise};

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

/// The table, and how many figures it is of.
pub(super) fn table(report: &Report) -> Result<String, String> {
    let Some(ours) = report.allocators.iter().position(|e| e.name == HEAPWRIGHT) else {
        return Ok("heapwright took no part.".to_owned());
    };
    let causes = causes()?;
    let (mut in_time, mut in_memory) = (0, 0);
    let mut rows: Vec<(f64, [String; 4])> = Vec::new();
    for work in &report.workloads {
        let time = loss(report, work, ours, |cell| cell.time);
        let memory = loss(report, work, ours, |cell| cell.peak_rss);
        let Some(worst) = [&time, &memory].into_iter().flatten().map(|l| l.factor).reduce(f64::max)
        else {
            continue;
        };
        in_time += usize::from(time.is_some());
        in_memory += usize::from(memory.is_some());
        let known = [
            time.as_ref().and_then(|_| cause(&causes.time, &work.name)),
            memory.as_ref().and_then(|_| cause(&causes.memory, &work.name)),
        ];
        let why = known.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let row =
            [work.name.clone(), Loss::words(time.as_ref()), Loss::words(memory.as_ref()), why];
        rows.push((worst, row));
    }
    if rows.is_empty() {
        return Ok("In no workload is another allocator better beyond noise.".to_owned());
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let header = ["workload", "time", "peak memory", "why"];
    let mut table = markdown(header.map(str::to_owned));
    for (_, row) in &rows {
        table.add_row(row);
    }
    Ok(format!(
        "In {} of {} workloads some allocator is better beyond noise: in time in {in_time}, in peak memory in {in_memory}.\n\
         A factor is heapwright's figure over that of the best allocator there.\n\n{table}",
        rows.len(),
        report.workloads.len(),
    ))
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
