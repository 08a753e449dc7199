//! `heapwright bench superslab`: the experiment of the founding text, whose superslabs made a program 5.2 % slower, with each
//! part it suspected on and off; and which of its four hypotheses are true on this machine.
//!
//! A subject is the library `superslab` with other settings; the baseline has all parts on.

use bench::allocator::Allocator;
use bench::result::{Cell, Report};
use bench::session::{Role, Subject, line_up};
use bench::stats::Ratio;

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
    cell(report, workload, what)?.time?.ratio
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
    let mt = "bench-tiny-mt";
    let ratio = |what: &str| off(report, mt, what);
    let pool = judged(
        ratio("reuse_pool=off"),
        off(report, "t-test1", "reuse_pool=off"),
        "without the pool",
    );
    let lazy = judged(
        ratio("lazy_init=off"),
        off(report, "t-test1", "lazy_init=off"),
        "with lists made ahead",
    );
    let gain = ratio("superslab=off");
    let lookup = match gain {
        Some(gain) if gain.low > 1.0 => format!(
            "not here: one packed record serves a class, with superslabs or without, and with them the program is faster \
             ({})",
            shown(gain)
        ),
        Some(gain) => format!(
            "not shown: superslabs off take {} of the time with one packed record",
            shown(gain)
        ),
        None => "not measured".to_owned(),
    };
    let alone = cell(report, mt, "superslab=off,magazine=0").zip(cell(report, mt, "magazine=0"));
    let alone = alone.and_then(|(off, on)| Some(off.time?.median / on.time?.median));
    let magazine = match (gain, alone) {
        (Some(gain), Some(alone)) if alone > gain.high => format!(
            "true: superslabs off take {} of the time, without magazines {alone:.2}: magazines hide most of what superslabs give",
            shown(gain)
        ),
        (Some(gain), Some(alone)) => format!(
            "not true: superslabs off take {} of the time with magazines, and {alone:.2} without",
            shown(gain)
        ),
        _ => "not measured".to_owned(),
    };
    [
        ("1. mappings of 2 MiB cost too much", pool),
        ("2. building free lists costs too much", lazy),
        ("3. two accesses to thread-local storage cost too much", lookup),
        ("4. the magazine is fast already, so superslabs have nothing to give", magazine),
    ]
}

fn shown(ratio: Ratio) -> String {
    format!("{:.2} ({:.2} to {:.2})", ratio.estimate, ratio.low, ratio.high)
}

/// Whether turning a part off costs time, in the text's workload or in one that makes and empties superslabs.
fn judged(tiny: Option<Ratio>, many: Option<Ratio>, how: &str) -> String {
    let (Some(tiny), Some(many)) = (tiny, many) else { return "not measured".to_owned() };
    let costs = |ratio: Ratio| ratio.low > 1.0;
    let verdict = match (costs(tiny), costs(many)) {
        (true, _) => "true",
        (false, true) => "true where superslabs come and go, not in the text's workload",
        (false, false) => "not true",
    };
    format!(
        "{verdict}: {how} bench-tiny-mt takes {} of the time, t-test1 {}",
        shown(tiny),
        shown(many)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_for_by_one_word() {
        let words =
            |text: &str| text.split(' ').map(|w| w.parse().unwrap()).collect::<Vec<WorkloadArg>>();
        assert!(is_asked(&words("superslab")));
        assert!(!is_asked(&words("superslab larson")) && !is_asked(&words("superslab:threads=4")));
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
