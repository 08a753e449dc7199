//! What differs between two measurements beside what was to be compared.

use crate::definition::Group;
use crate::result::{Entry, Report, VERSION, Work};
use crate::session::{Role, Stop};
use crate::stats::ENOUGH_PAIRS;

/// Stolen time above this share of the processors disturbs a measurement.
const HIGH_STEAL: f64 = 0.02;

pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Whether times of the two come from the same kind of machine.
pub(super) fn same_machine(old: &Report, new: &Report) -> bool {
    let (a, b) = (&old.machine, &new.machine);
    (&a.cpu, &a.arch, a.cores, a.memory_bytes, &a.huge_pages)
        == (&b.cpu, &b.arch, b.cores, b.memory_bytes, &b.huge_pages)
}

/// The baseline of both, if it is the same allocator in the same version.
pub(super) fn common_baseline(old: &Report, new: &Report) -> Option<String> {
    let of = |report: &Report| -> Option<Entry> {
        report.allocators.iter().find(|e| e.role == Role::Baseline).cloned()
    };
    let (before, after) = (of(old)?, of(new)?);
    // glibc has no file of its own to name: its version is the machine's.
    let version = |report: &Report, entry: &Entry| match &entry.library {
        None => entry.version.clone().or(report.machine.glibc.clone()),
        Some(_) => entry.version.clone(),
    };
    let versions = (version(old, &before)?, version(new, &after)?);
    let is_same = before.name == after.name && before.is() == after.is();
    (is_same && versions.0 == versions.1).then_some(after.name)
}

/// What the reader should know about the two.
pub(super) fn warnings(old: &Report, new: &Report, baseline: Option<&str>) -> Vec<String> {
    let mut said = Vec::new();
    let mut differs =
        |what: &str, before: &dyn core::fmt::Display, after: &dyn core::fmt::Display| {
            let (before, after) = (before.to_string(), after.to_string());
            if before != after {
                said.push(format!("{what}: {before} in old, {after} in new"));
            }
        };
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let (a, b) = (&old.machine, &new.machine);
    differs("another processor", &a.cpu, &b.cpu);
    differs("another architecture", &a.arch, &b.arch);
    differs("processors", &a.cores, &b.cores);
    differs("MiB of memory", &(a.memory_bytes >> 20), &(b.memory_bytes >> 20));
    differs("kernel", &a.kernel, &b.kernel);
    differs("huge pages", &word(&a.huge_pages), &word(&b.huge_pages));
    differs("glibc", &word(&a.glibc), &word(&b.glibc));
    differs("governor", &word(&a.governor), &word(&b.governor));
    differs("scale (only time a call is compared)", &old.scale, &new.scale);
    differs("seed (other random choices, and so other work)", &old.seed, &new.seed);
    differs("memory warmed before each run", &old.warm, &new.warm);
    differs("pinned to processors", &old.pinned, &new.pinned);
    differs(
        "heapwright that measured (its workloads may differ)",
        &old.heapwright,
        &new.heapwright,
    );
    differs("counted by", &word(&old.counted), &word(&new.counted));
    differs("set by --prepare", &prepared(old), &prepared(new));
    for after in new.allocators.iter().filter(|entry| entry.role != Role::Control) {
        let Some(before) = old.allocators.iter().find(|e| e.name == after.name) else { continue };
        let is = |entry: &Entry| entry.is().unwrap_or_else(|| "without settings".to_owned());
        differs(&format!("{} is not the same", after.name), &is(before), &is(after));
    }
    if baseline.is_none() && old.counted.is_none() {
        said.push(
            "the two have no baseline in common that is known to be unchanged: times are compared as they are, and \
             a machine that was slower on one of the days looks like a slower allocator"
                .to_owned(),
        );
    }
    for (name, report) in [("old", old), ("new", new)] {
        if report.stop == Stop::Interrupted {
            said.push(format!("{name} was interrupted"));
        }
        if report.steal > HIGH_STEAL {
            // A share; a file may say anything.
            let per_cent = 100.0 * report.steal.min(1.0);
            said.push(format!("a hypervisor took {per_cent:.1} % of the processors in {name}"));
        }
        if report.version > VERSION {
            let version = report.version;
            said.push(format!("{name} was written by a later heapwright (version {version})"));
        }
        let few = |w: &&Work| w.rounds > 0 && (w.rounds as usize) < ENOUGH_PAIRS;
        match report.workloads.iter().filter(few).count() {
            0 => {}
            n => said.push(format!(
                "{n} of {} workloads in {name} have fewer than {ENOUGH_PAIRS} rounds: there ± is the range seen, not 95 %",
                report.workloads.len()
            )),
        }
    }
    said
}

fn prepared(report: &Report) -> String {
    let mut set: Vec<String> = report
        .prepared
        .iter()
        .filter_map(|p| Some(format!("{} {}", p.what, p.after.as_ref()?)))
        .collect();
    set.sort();
    if set.is_empty() { "nothing".to_owned() } else { set.join(", ") }
}

/// Why a workload of the same name is other work. The seed is the whole result's; so is the scale, but for what a definition
/// makes longer: where `same_scale` holds, each workload's own is compared.
pub(super) fn other_work(old: &Work, new: &Work, same_scale: bool) -> Option<String> {
    let is_length = |word: &str| word.starts_with("scale=");
    let words = |work: &Work| -> String {
        let words: Vec<&str> = work
            .command
            .iter()
            .skip(usize::from(work.group != Group::Own))
            .map(String::as_str)
            .filter(|w| !w.starts_with("seed=") && (same_scale || !is_length(w)))
            // Real programs get paths of temporary files; the words that are numbers are their length.
            .filter(|w| work.group != Group::Real || (same_scale && w.parse::<f64>().is_ok()))
            .collect();
        words.join(" ")
    };
    if old.group != new.group {
        return None;
    }
    let (before, after) = (words(old), words(new));
    (before != after).then(|| format!("other work, '{before}' in old and '{after}' in new"))
}
