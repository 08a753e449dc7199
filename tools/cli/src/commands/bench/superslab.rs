//! `heapwright bench superslab`: the experiment of the founding text, whose superslabs made a program 5.2 % slower, with each
//! part it suspected on and off; and which of its four hypotheses are true on this machine.
//!
//! A subject is the library `superslab` with other settings; the baseline has all parts on.

use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::{Cell, Report};
use bench::session::{Role, Subject, line_up};
use bench::stats::{ENOUGH_PAIRS, Ratio};
use launch::allocator::Allocator;

use crate::allocators;
use crate::flags::allocator::AllocatorArg;
use crate::flags::workload::WorkloadArg;

/// The word for it, and the design.
const NAME: &str = "superslab";
/// The baseline: nothing is set.
const ALL_ON: &str = "all on";
/// What is set in each other subject; it is its name too.
const VARIANTS: [&str; 6] = [
    "superslab=off",
    "magazine=0",
    "superslab=off,magazine=0",
    "lazy_init=off",
    "reuse_pool=off",
    "remote_queue=off",
];
/// The text's workload in one and in four threads; objects that other threads free; and blocks of many sizes that come and go.
const WORKLOADS: [&str; 4] = ["bench-tiny", "bench-tiny-mt", "xmalloc", "t-test1"];

/// Whether it is asked for: it is the only word.
pub(super) fn is_asked(workloads: &[WorkloadArg]) -> bool {
    matches!(workloads, [only] if only.name == NAME && only.parameters.is_empty())
}

/// What it runs.
pub(super) fn workloads() -> Vec<WorkloadArg> {
    let word = |name: &&str| WorkloadArg { name: (*name).to_owned(), parameters: Vec::new() };
    WORKLOADS.iter().map(word).collect()
}

/// The library with all parts on, and with each off.
pub(super) fn subjects() -> anyhow::Result<Vec<Subject>> {
    let library = allocators::find(&AllocatorArg::Name(NAME.to_owned()))?;
    let called = |name: &str| Allocator { name: name.to_owned(), ..library.clone() };
    let all = core::iter::once(ALL_ON).chain(VARIANTS).map(called).collect();
    Ok(line_up(all, true))
}

/// The settings of a subject, as the variable `HEAPWRIGHT` has them.
pub(super) fn settings(subject: &Subject) -> Option<&str> {
    let is_variant = subject.role == Role::Contender;
    is_variant.then(|| VARIANTS.into_iter().find(|name| *name == subject.name))?
}

/// What one subject took in one workload.
fn cell<'a>(report: &'a Report, workload: &str, subject: &str) -> Option<&'a Cell> {
    let at = report.allocators.iter().position(|entry| entry.name == subject)?;
    report.workloads.iter().find(|work| work.name == workload)?.cells.get(at)
}

/// Time with something off ÷ time with all on.
fn off(report: &Report, workload: &str, what: &str) -> Option<Ratio> {
    cell(report, workload, what).filter(|cell| cell.counts())?.time?.ratio
}

/// What such a ratio shows.
fn claim(report: &Report, workload: &str, ratio: Ratio) -> Claim {
    let work = report.workload_indices().find(|w| report.workloads[w.0].name == workload);
    Claim::of(&ratio, work.and_then(|work| report.noise(work, Metric::Time)))
}

/// Million operations a second, and what the table's ratios say of each hypothesis.
pub(super) fn verdicts(report: &Report) -> String {
    let mut text = String::from("million operations a second (malloc and free each count)\n");
    let head: Vec<String> = WORKLOADS.iter().map(|name| format!("{name:>14}")).collect();
    text += &format!("  {:<26}{}\n", "", head.join(""));
    for subject in core::iter::once(ALL_ON).chain(VARIANTS) {
        let shown = |workload: &&str| {
            let ns = cell(report, workload, subject).and_then(|cell| cell.ns).map(|ns| ns.median);
            ns.map_or_else(|| format!("{:>14}", "–"), |ns| format!("{:>14.1}", 1e3 / ns))
        };
        let row: Vec<String> = WORKLOADS.iter().map(shown).collect();
        text += &format!("  {subject:<26}{}\n", row.join(""));
    }
    text += "\nthe text's four hypotheses: why its superslabs did not pay\n";
    for (hypothesis, answer) in answers(report) {
        text += &format!("  {hypothesis}\n    {answer}\n");
    }
    text
}

fn answers(report: &Report) -> [(&'static str, String); 4] {
    let ratio = |what: &str| off(report, MT, what);
    let lookup = match ratio("superslab=off").map(|gain| (gain, claim(report, MT, gain))) {
        Some((gain, Claim::More)) => format!(
            "not here: one packed record serves a class, with superslabs or without, and with them the program is faster \
             ({})",
            shown(gain)
        ),
        Some((gain, claim)) => format!(
            "{}: superslabs off take {} of the time with one packed record",
            if claim == Claim::Untold { UNTOLD } else { "not shown" },
            shown(gain)
        ),
        None => MISSING.to_owned(),
    };
    [
        (
            "1. mappings of 2 MiB cost too much",
            judged(report, "reuse_pool=off", "without the pool"),
        ),
        (
            "2. building free lists costs too much",
            judged(report, "lazy_init=off", "with lists made ahead"),
        ),
        ("3. two accesses to thread-local storage cost too much", lookup),
        ("4. the magazine is fast already, so superslabs have nothing to give", magazine(report)),
    ]
}

/// The text's workload in four threads, and one that makes and empties superslabs.
const MT: &str = "bench-tiny-mt";
const MANY: &str = "t-test1";
/// What is said where a ratio shows nothing.
const UNTOLD: &str = "cannot be told";
const MISSING: &str = "not measured";

fn shown(ratio: Ratio) -> String {
    let few = if ratio.pairs < ENOUGH_PAIRS {
        format!(", {} of {ENOUGH_PAIRS} rounds that a claim needs", ratio.pairs)
    } else {
        String::new()
    };
    format!("{:.2} ({:.2} to {:.2}{few})", ratio.estimate, ratio.low, ratio.high)
}

/// Whether turning a part off costs time, in the text's workload or in the other.
fn judged(report: &Report, what: &str, how: &str) -> String {
    let (Some(tiny), Some(many)) = (off(report, MT, what), off(report, MANY, what)) else {
        return MISSING.to_owned();
    };
    let verdict = match (claim(report, MT, tiny), claim(report, MANY, many)) {
        (Claim::More, _) => "true",
        (Claim::Untold, _) => UNTOLD,
        (_, Claim::More) => "true where superslabs come and go, not in the text's workload",
        (_, Claim::Untold) => {
            "not true in the text's workload; where superslabs come and go it cannot be told"
        }
        _ => "not true",
    };
    format!("{verdict}: {how} {MT} takes {} of the time, {MANY} {}", shown(tiny), shown(many))
}

/// Whether superslabs give more where no magazine is before them.
fn magazine(report: &Report) -> String {
    let ratio = |what: &str| off(report, MT, what);
    let all = (ratio("superslab=off"), ratio("superslab=off,magazine=0"), ratio("magazine=0"));
    let (Some(gain), Some(none), Some(bare)) = all else { return MISSING.to_owned() };
    let alone = none.over(&bare);
    let verdict = match claim(report, MT, alone.over(&gain)) {
        Claim::More => "true",
        Claim::Untold => UNTOLD,
        Claim::Less | Claim::Level => "not true",
    };
    format!(
        "{verdict}: superslabs off take {} of the time with magazines, and {} without",
        shown(gain),
        shown(alone)
    )
}

#[cfg(test)]
mod tests {
    use bench::result::{Compared, Entry};
    use bench::testing;

    use super::*;

    #[test]
    fn it_is_asked_for_by_one_word() {
        let words =
            |text: &str| text.split(' ').map(|w| w.parse().unwrap()).collect::<Vec<WorkloadArg>>();
        assert!(is_asked(&words("superslab")));
        assert!(!is_asked(&words("superslab larson")) && !is_asked(&words("superslab:threads=4")));
    }

    /// Half of everything takes twice the time, the baseline always the same.
    fn measured(pairs: usize, ratio: f64) -> Report {
        let entries: Vec<_> = [(ALL_ON, Role::Baseline), ("all on again", Role::Control)]
            .into_iter()
            .chain(VARIANTS.map(|name| (name, Role::Contender)))
            .map(|(name, role)| testing::entry(name, role))
            .collect();
        let cell = |estimate: f64| Cell {
            time: Some(Compared {
                median: 1.0,
                ratio: Some(Ratio { estimate, low: 0.98 * estimate, high: 1.02 * estimate, pairs }),
                same: false,
            }),
            ..Cell::default()
        };
        let of = |entry: &Entry| match entry.name.as_str() {
            "superslab=off,magazine=0" => cell(4.0),
            _ if entry.role == Role::Contender => cell(ratio),
            _ => cell(1.0),
        };
        let cells: Vec<Cell> = entries.iter().map(of).collect();
        let works = WORKLOADS.map(|name| testing::work(name, 9, cells.clone()));
        testing::report(entries, works.into(), Vec::new())
    }

    #[test]
    fn three_rounds_give_no_verdict() {
        let said = |pairs, ratio| answers(&measured(pairs, ratio)).map(|(_, answer)| answer);
        for answer in said(3, 1.5) {
            assert!(answer.starts_with("cannot be told: "), "{answer}");
            assert!(answer.contains("3 of 6 rounds that a claim needs"), "{answer}");
        }
        let found = said(9, 1.5);
        for (answer, begins) in found.iter().zip(["true: ", "true: ", "not here: ", "true: "]) {
            assert!(answer.starts_with(begins), "{answer}");
        }
        assert!(said(9, 1.0)[0].starts_with("not true: "), "{:?}", said(9, 1.0));
        assert!(said(9, 1.01)[2].starts_with("not shown: "), "{:?}", said(9, 1.01));
        let wide = |report: &mut Report| {
            for cell in report.workloads.iter_mut().flat_map(|work| &mut work.cells) {
                let ratio = cell.time.as_mut().and_then(|time| time.ratio.as_mut()).unwrap();
                (ratio.low, ratio.high) = (0.5 * ratio.estimate, 1.9 * ratio.estimate);
            }
        };
        let mut noisy = measured(9, 1.5);
        wide(&mut noisy);
        assert!(answers(&noisy).iter().all(|(_, answer)| answer.starts_with("cannot be told: ")));
    }

    #[test]
    fn every_variant_is_a_setting_of_the_design() {
        let row = registry::MALLOCS.iter().find(|row| row.name == NAME).unwrap();
        for key in VARIANTS
            .iter()
            .flat_map(|variant| variant.split(','))
            .map(|item| item.split('=').next().unwrap())
        {
            assert!(row.settings.contains(&key), "{key}");
        }
    }
}
