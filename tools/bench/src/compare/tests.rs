use super::*;
use crate::claim::Claim;
use crate::definition::Group;
use crate::result::{Compared, Count};
use crate::session::{Failure, How, WorkloadIndex};
use crate::testing;
use launch::Exit;

/// Of two workloads in `rounds` rounds; `time` says how long the runs of a subject take on average.
fn report(rounds: u32, time: impl Fn(&str, &str) -> f64) -> Report {
    testing::rounds(&["larson", "cfrac"], rounds, time)
}

fn usual(_: &str, allocator: &str) -> f64 {
    if allocator == "heapwright" { 0.8 } else { 1.0 }
}

fn line<'a>(c: &'a Comparison, workload: &str, allocator: &str, metric: Metric) -> &'a Line {
    let workload = (!workload.is_empty()).then_some(workload);
    c.lines
        .iter()
        .find(|l| {
            l.workload.as_deref() == workload && l.allocator == allocator && l.metric == metric
        })
        .unwrap()
}

#[test]
fn a_slower_machine_is_no_slower_allocator() {
    let new = report(12, |w, a| 1.1 * usual(w, a));
    let c = of(&report(12, usual), &new).unwrap();
    assert_eq!(c.baseline.as_deref(), Some("glibc"));
    let ours = line(&c, "larson", "heapwright", Metric::Time);
    assert_eq!(
        (ours.judged, ours.change, ours.other),
        (Judged::Relative, Claim::Level, Some(Claim::More))
    );
    assert!((ours.plain.estimate - 1.1).abs() < 0.001, "{ours:?}");
    assert_eq!(ours.dissent().unwrap().1, Claim::More);
    let drift = c.overall(Role::Baseline, Metric::Time).unwrap();
    assert_eq!((drift.judged, drift.change), (Judged::Plain, Claim::More));
    let memory = line(&c, "larson", "heapwright", Metric::Memory);
    assert_eq!((memory.judged, memory.change), (Judged::Plain, Claim::Level));
    assert!(c.named().iter().all(|n| n.metric == Metric::Memory || n.allocator == "heapwright"));
}

#[test]
fn a_name_that_means_another_allocator_or_setting_is_said() {
    let (old, mut new) = (report(12, usual), report(12, usual));
    let glibc = new.allocators.iter_mut().find(|e| e.role == Role::Baseline).unwrap();
    glibc.settings = vec!["MALLOC_ARENA_MAX=2".to_owned()];
    let c = of(&old, &new).unwrap();
    assert_eq!(c.baseline, None, "it is not known to be unchanged");
    let said =
        "glibc is not the same: without settings in old, glibc with MALLOC_ARENA_MAX=2 in new";
    assert!(c.warnings.iter().any(|w| w == said), "{:?}", c.warnings);
    let c = of(&new, &new.clone()).unwrap();
    assert_eq!(c.baseline.as_deref(), Some("glibc"));
    assert!(!c.warnings.iter().any(|w| w.contains("not the same")), "{:?}", c.warnings);
}

#[test]
fn a_slower_allocator_is_one() {
    let slower =
        |w: &str, a: &str| usual(w, a) * if (w, a) == ("cfrac", "heapwright") { 1.05 } else { 1.0 };
    let c = of(&report(12, usual), &report(12, slower)).unwrap();
    assert_eq!(line(&c, "larson", "heapwright", Metric::Time).change, Claim::Level);
    for metric in [Metric::Time, Metric::Ns, Metric::Cpu] {
        let cfrac = line(&c, "cfrac", "heapwright", metric);
        assert_eq!(cfrac.change, Claim::More);
        let r = cfrac.ratio();
        assert!(r.low < 1.05 && 1.05 < r.high || (r.estimate - 1.05).abs() < 0.001, "{r:?}");
        assert_eq!(r.pairs, 12);
    }
    let mean = line(&c, "", "heapwright", Metric::Time).ratio();
    assert!((mean.estimate - 1.05_f64.sqrt()).abs() < 0.001, "{mean:?}");
    assert!(mean.low <= mean.estimate && mean.estimate <= mean.high);
    assert!(c.lines.iter().all(|l| l.allocator != "null"));
}

#[test]
fn on_a_busy_machine_processor_time_is_compared() {
    let mut new = report(12, usual);
    for run in &mut new.runs {
        run.starved = run.workload == WorkloadIndex(0);
        run.figures.wall_ns *= if run.starved { 3 } else { 1 };
    }
    let c = of(&report(12, usual), &new).unwrap();
    let time = |workload| line(&c, workload, "heapwright", Metric::Time);
    assert_eq!((time("larson").change, time("cfrac").change), (Claim::Level, Claim::Level));
    let ratio = time("larson").plain;
    assert!((ratio.estimate - 1.0).abs() < 0.01, "{ratio:?}");
    assert!(c.warnings.iter().any(|w| w.ends_with("processor time is compared: larson")));
}

#[test]
fn the_bootstrap_covers_the_truth_and_narrows() {
    let width = |rounds| {
        let c = of(&report(rounds, usual), &report(rounds, usual)).unwrap();
        let plain = line(&c, "larson", "glibc", Metric::Time).plain;
        assert!(plain.low <= 1.0 && 1.0 <= plain.high, "{plain:?}");
        plain.high - plain.low
    };
    assert!(width(40) < width(8));
}

#[test]
fn without_a_common_baseline_times_are_compared_as_they_are() {
    let mut old = report(8, usual);
    old.allocators[0].version = Some("0.9".to_owned());
    let c = of(&old, &report(8, usual)).unwrap();
    assert_eq!(c.baseline, None);
    let ours = line(&c, "larson", "heapwright", Metric::Time);
    assert_eq!((ours.judged, ours.relative), (Judged::Plain, None));
    assert!(c.warnings.iter().any(|w| w.contains("no baseline in common")), "{:?}", c.warnings);
    assert!(c.named().iter().any(|n| n.allocator == "glibc"));
}

#[test]
fn what_differs_is_said() {
    let mut new = report(4, usual);
    new.machine.kernel = "Linux 7".to_owned();
    new.machine.cores += 2;
    new.seed = 2;
    new.workloads[1].name = "other".to_owned();
    let c = of(&report(8, usual), &new).unwrap();
    let said = c.warnings.join("\n");
    for expected in [
        "kernel: Linux 6.12.0 in old, Linux 7 in new",
        "processors: ",
        "seed",
        "fewer than 6 rounds",
    ] {
        assert!(said.contains(expected), "{expected} is missing in {said}");
    }
    assert_eq!(c.new.workloads_only_here, ["other"]);
    assert_eq!(c.old.workloads_only_here, ["cfrac"]);
    let memory = line(&c, "larson", "heapwright", Metric::Memory);
    assert_eq!(memory.judged, Judged::Relative, "other machines");
    let same = of(&report(8, usual), &report(8, usual)).unwrap();
    assert_eq!(same.warnings, Vec::<String>::new());
}

#[test]
fn another_scale_leaves_nanoseconds() {
    let mut new = report(8, usual);
    new.scale = 0.1;
    let c = of(&report(8, usual), &new).unwrap();
    assert!(c.lines.iter().all(|l| l.metric == Metric::Ns) && !c.lines.is_empty());
    for run in &mut new.runs {
        run.ns = None;
    }
    let why = of(&report(8, usual), &new).unwrap_err().to_string();
    assert!(why.contains("different scales, 1 and 0.1"), "{why}");
}

#[test]
fn other_work_failures_and_refusals_are_not_compared() {
    let mut new = report(8, usual);
    new.workloads[0].command.insert(2, "threads=8".to_owned());
    new.workloads[1].cells[2].refused = 3;
    let c = of(&report(8, usual), &new).unwrap();
    let said = c.not_compared.join("\n");
    assert!(
        said.contains(
            "larson: other work, 'larson scale=1' in old and 'larson threads=8 scale=1' in new"
        ),
        "{said}"
    );
    assert!(
        said.contains("cfrac on heapwright: allocations were refused, 0 in old and 3 in new"),
        "{said}"
    );
    let ours = c.lines.iter().filter(|l| l.allocator == "heapwright");
    assert!(ours.clone().count() > 0 && ours.clone().all(|l| l.metric == Metric::Memory));
    assert!(c.lines.iter().all(|l| l.workload.as_deref() != Some("larson")));
}

#[test]
fn other_numbers_of_calls_are_other_work() {
    let mut new = report(8, usual);
    for run in new.runs.iter_mut().filter(|run| run.allocator.0 == 2) {
        run.ops = run.ops.map(|calls| calls / 50);
    }
    let c = of(&report(8, usual), &new).unwrap();
    let said = "cfrac on heapwright: other work, 1000000 calls in old and 20000 in new";
    assert!(c.not_compared.iter().any(|line| line == said), "{:?}", c.not_compared);
    let ours = c.lines.iter().filter(|line| line.allocator == "heapwright");
    assert!(ours.clone().count() > 0 && ours.clone().all(|line| line.metric == Metric::Ns));
}

#[test]
fn time_of_the_measured_part_is_not_compared_with_that_of_the_whole() {
    let mut old = report(8, usual);
    for run in &mut old.runs {
        run.figures.wall_ns *= 3;
        run.figures.user_us *= 3;
    }
    let mut new = report(8, usual);
    new.workloads[0].group = Group::Texts;
    new.workloads[0].by_part = true;
    old.workloads[0].group = Group::Texts;
    let c = of(&old, &new).unwrap();
    let time = line(&c, "larson", "heapwright", Metric::Time).plain;
    assert!((time.estimate - 1.0).abs() < 0.05, "{time:?}");
}

#[test]
fn fewer_rounds_than_a_claim_needs_tell_nothing() {
    let slower = |w: &str, a: &str| usual(w, a) * if a == "heapwright" { 1.5 } else { 1.0 };
    let change = |rounds| {
        let c = of(&report(rounds, usual), &report(rounds, slower)).unwrap();
        line(&c, "larson", "heapwright", Metric::Time).change
    };
    assert_eq!(
        [1, 2, 3, 5, 6].map(change),
        [Claim::Untold, Claim::Untold, Claim::Untold, Claim::Untold, Claim::More]
    );
}

#[test]
fn who_got_longer_at_the_same_scale_is_other_work() {
    let mut new = report(8, usual);
    new.workloads[0].command.push("scale=0.25".to_owned());
    let mut old = report(8, usual);
    old.workloads[0].command.push("scale=0.125".to_owned());
    let said = of(&old, &new).unwrap().not_compared.join("\n");
    assert!(said.contains("scale=0.125' in old and"), "{said}");
    for (report, length) in [(&mut old, "12"), (&mut new, "24")] {
        report.workloads[0].group = Group::Real;
        report.workloads[0].command = ["sh", "/t/1", length].map(str::to_owned).to_vec();
    }
    let said = of(&old, &new).unwrap().not_compared.join("\n");
    assert!(said.contains("other work, '12' in old and '24' in new"), "{said}");
}

#[test]
fn files_that_are_no_results() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("result.json");
    let said = |text: &str| {
        fs::write(&file, text).unwrap();
        load(dir.path()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(said("<html>").contains("is no JSON"));
    assert!(said("{}").contains("has no \"schema\""));
    assert!(said("{\"schema\": \"other\"}").contains("has the schema \"other\""));
    assert!(said("{\"schema\": \"heapwright-bench\", \"version\": 1}").contains("has version 1"));
    assert!(said("{\"schema\": \"heapwright-bench\", \"version\": 2}").contains("missing field"));
    assert!(matches!(load(&dir.path().join("none")), Err(Error::Read(..))));
    fs::write(&file, serde_json::to_string(&report(3, usual)).unwrap()).unwrap();
    assert_eq!(load(&file).unwrap().runs.len(), 32);
}

#[test]
fn rounds_before_a_failure_are_not_compared() {
    let old = report(12, usual);
    let mut new = report(12, usual);
    let at = new.allocators.iter().position(|entry| entry.name == "heapwright").unwrap();
    for work in &mut new.workloads {
        work.cells[at].failure =
            Some(Failure { how: How::Ended(Exit::Signal(11)), round: 7, stderr: String::new() });
    }
    let c = of(&old, &new).unwrap();
    assert!(c.lines.iter().all(|line| line.allocator != "heapwright"), "{:?}", c.lines);
    let rule = crate::fail_if::parse("geomean.memory>1.05").unwrap();
    let verdict = rule.check(&c.named(), c.names().1.contains(&"heapwright"));
    assert!(verdict.is_failure(), "glibc does not stand for it");
}

#[test]
fn counts_are_compared_by_how_far_two_of_one_version_differ() {
    let counted = |factor: f64| {
        let mut report = report(3, usual);
        report.runs.clear();
        report.counted = Some("a tool".to_owned());
        for cell in report.workloads.iter_mut().flat_map(|work| &mut work.cells) {
            let median = 1e6 * factor;
            let compared = Compared { median, ratio: None, same: false };
            let count = Count { compared, least: median, most: median };
            cell.counted.insert(Metric::Instructions, count);
        }
        report
    };
    let changes = |factor: f64| {
        let comparison = of(&counted(1.0), &counted(factor)).unwrap();
        assert!(comparison.is_counted(), "no time, no memory");
        let holds = |rule: &str| {
            let rule = crate::fail_if::parse(rule).unwrap();
            rule.check(&comparison.named(), true).is_failure()
        };
        (comparison.lines[0].change, holds("max.instructions>1"), holds("geomean.instructions>1"))
    };
    assert_eq!(changes(1.004), (Claim::Level, false, false));
    assert_eq!(changes(1.006), (Claim::More, true, true));
    assert_eq!(changes(0.9), (Claim::Less, false, false));
}
