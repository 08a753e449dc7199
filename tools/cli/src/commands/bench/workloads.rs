//! Which workloads are run, and how long each: as the time allows.

use core::time::Duration;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::closest::closest;
use bench::definition::{Definition, Group, parse_all};
use bench::session::{LEAST_ROUNDS, Role, Subject};
use bench::stats::ENOUGH_PAIRS;
use bench::workload::{Places, Workload};
use launch::unpack::unpack;
use tempfile::TempDir;

use super::arceos;
use super::tried;
use crate::embedded::{self, DEFINITIONS, FILES};
use crate::exit::Usage;
use crate::flags::workload::WorkloadArg;

pub(super) const SETS: [(&str, &str); 9] = [
    ("standard", "a choice that fits in a few minutes; the default"),
    ("single", "standard and real ones with one thread; the default of --counted"),
    ("all", "all but the kernel's"),
    ("texts", "from five published reports on allocators"),
    ("arceos", "one report's tests on regions, with its figures beside"),
    ("community", "what allocators have been compared on for decades"),
    ("ours", "what nobody else has"),
    ("real", "programs of this machine"),
    ("kernel", "the kernel's allocators, from two of the texts; in no other set"),
];

/// Seconds that it takes to start a process, warm its memory and look after it.
const BESIDE: f64 = 0.06;

/// Shorter runs than this share of their usual length are mostly start; then rather fewer rounds, or fewer workloads.
const LEAST_SCALE: f64 = 0.2;

/// The scales that are fitted to the time. Few, so that two measurements can often be compared; what time is left over
/// becomes more rounds.
const SCALES: [f64; 10] = [1.0, 0.7, 0.5, 0.35, 0.25, 0.2, 0.14, 0.1, 0.06, 0.03];

/// Rounds that are planned where the time allows: enough for intervals of the median, and two in reserve.
const GOOD_ROUNDS: u32 = 8;

const _: () = assert!(GOOD_ROUNDS as usize >= ENOUGH_PAIRS + 2, "as is said above");

pub(super) struct Wanted<'a> {
    pub(super) names: &'a [WorkloadArg],
    pub(super) subjects: &'a [Subject],
    pub(super) scale: Option<f64>,
    /// They are counted: only those that do the same each time.
    pub(super) counted: bool,
    /// As short as the scale says, where a short one would be longer.
    pub(super) as_short: bool,
    pub(super) budget: &'a dyn Fn(usize) -> Option<Duration>,
    pub(super) rounds: Option<u32>,
    pub(super) pin: bool,
}

pub(super) struct Chosen {
    pub(super) workloads: Vec<Workload>,
    pub(super) scale: f64,
    /// The time for which that was fitted, if it was.
    pub(super) budget: Option<Duration>,
    pub(super) left_out: Vec<String>,
    /// What has to live as long as the measurement.
    pub(super) folder: Option<TempDir>,
}

impl Chosen {
    /// The user's own program, with the time that it needs at least if that is known and not given.
    pub(super) fn program(workload: Workload, budget: Option<Duration>) -> Self {
        Self { workloads: vec![workload], scale: 1.0, budget, left_out: Vec::new(), folder: None }
    }
}

type Selected = (Definition, Vec<String>);

pub(super) fn definitions() -> anyhow::Result<Vec<Definition>> {
    parse_all(DEFINITIONS.iter().copied()).context("a definition inside this executable is wrong")
}

/// The allocators of the kernel's that these words run on, if all of them are workloads that are compiled for some; and whether
/// none of them is for others.
pub(super) fn kernels(words: &[WorkloadArg]) -> anyhow::Result<Option<(Vec<&'static str>, bool)>> {
    let all = definitions()?;
    let mut meant: Vec<&Definition> = Vec::new();
    for word in words {
        let is_meant = |d: &&Definition| d.name == word.name || word.name == "kernel";
        let of_word = all.iter().filter(|d| !d.kernel.is_empty()).filter(is_meant);
        let before = meant.len();
        meant.extend(of_word);
        if meant.len() == before {
            return Ok(None);
        }
    }
    if meant.is_empty() {
        return Ok(None);
    }
    let takes = |name: &&str| meant.iter().any(|d| d.kernels().any(|row| row == *name));
    let names = registry::KERNELS.iter().map(|row| row.name).filter(takes).collect();
    Ok(Some((names, meant.iter().all(|d| d.alone))))
}

/// The names of the sets and of the workloads, which are those of their files.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let files = DEFINITIONS.iter().map(|(file, _)| file.trim_end_matches(".toml"));
    SETS.iter().map(|s| s.0).chain(files)
}

pub(super) fn chosen(wanted: &Wanted<'_>, warnings: &mut Vec<String>) -> anyhow::Result<Chosen> {
    let all = definitions()?;
    let refused = || {
        let place = env::temp_dir();
        format!("cannot make a folder in {}; TMPDIR names another one", place.display())
    };
    let folder = TempDir::with_prefix("heapwright-bench-").with_context(refused)?;
    let files = folder.path().join("files");
    fs::create_dir(&files).with_context(refused)?;
    for (name, bytes) in FILES {
        let file = files.join(name);
        fs::write(&file, bytes).with_context(|| {
            format!("cannot write {}; TMPDIR names another folder", file.display())
        })?;
    }
    // Servers that do not run as root read their files too.
    open_to_all(folder.path())?;
    let mut places = Places {
        workloads: workloads_program()?,
        files,
        temporary: folder.path().to_owned(),
        scale: wanted.scale.unwrap_or(1.0),
        seed: 1,
        pin: wanted.pin,
    };
    let is_set = wanted.names.iter().all(|w| SETS.iter().any(|(set, _)| *set == w.name));
    let default = WorkloadArg::of(if wanted.counted { "single" } else { "standard" });
    let names = if wanted.names.is_empty() { &[default] } else { wanted.names };
    let mut definitions = named(names, &all)?;
    // What is not installed: said of a set, refused by name.
    let mut missing = Vec::new();
    definitions.retain(|(d, parameters)| match runnable(d, parameters, &places, wanted.counted) {
        Ok(()) => true,
        Err(why) => {
            missing.push((d.name.clone(), why));
            false
        }
    });
    for (name, why) in missing {
        if wanted.names.iter().any(|w| w.name == name) {
            bail!(Usage(why));
        }
        warnings.push(format!("left out: {why}"));
    }
    let mut left_out = Vec::new();
    let mut budget = (wanted.budget)(definitions.len());
    if wanted.scale.is_none() {
        let standard = names.iter().any(|w| w.name == "standard");
        places.scale = fit(&mut definitions, wanted, budget, standard && is_set, &mut left_out);
    }
    if wanted.as_short {
        definitions.iter_mut().for_each(|(d, _)| d.longer = 1.0);
    }
    if let Some(time) = &mut budget {
        warnings.extend(least(&definitions, wanted, places.scale, time));
    }
    for (d, parameters) in &definitions {
        tried::with(&places.workloads, d, parameters, wanted.subjects)?;
    }
    let workloads = definitions
        .iter()
        .map(|(d, parameters)| Workload::of(d, parameters, &places).map_err(anyhow::Error::msg))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if workloads.is_empty() {
        bail!("none of these workloads can be run on this machine");
    }
    Ok(Chosen { workloads, scale: places.scale, budget, left_out, folder: Some(folder) })
}

/// Whether this machine has what a workload needs, and whether it can be counted if it is to be; else why not.
fn runnable(
    definition: &Definition,
    parameters: &[String],
    places: &Places,
    counted: bool,
) -> Result<(), String> {
    if let Some(why) = definition.uncountable().filter(|_| counted) {
        return Err(format!("{} cannot be counted: {why}", definition.name));
    }
    Workload::of(definition, parameters, places).map(drop)
}

fn workloads_program() -> anyhow::Result<PathBuf> {
    let program = embedded::program("heapwright-workloads").context("there are no workloads")?;
    Ok(unpack(program)?)
}

fn open_to_all(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot open {} to other users", folder.display()))
}

fn named(names: &[WorkloadArg], all: &[Definition]) -> anyhow::Result<Vec<Selected>> {
    let mut chosen: Vec<Selected> = Vec::new();
    for word in names {
        let members: Vec<&Definition> = match members(&word.name) {
            Some(is_member) => all.iter().filter(|d| is_member(d)).collect(),
            None => match all.iter().find(|d| d.name == word.name) {
                Some(definition) => vec![definition],
                None => bail!(Usage(unknown(&word.name, all))),
            },
        };
        for definition in members {
            let one = (definition.clone(), word.parameters.clone());
            if !chosen.contains(&one) {
                chosen.push(one);
            }
        }
    }
    chosen.sort_by_key(|(d, _)| d.order);
    Ok(chosen)
}

fn members(name: &str) -> Option<fn(&Definition) -> bool> {
    // What is compiled for the kernel's allocators says little of libraries.
    Some(match name {
        "kernel" => |d| !d.kernel.is_empty(),
        "standard" => |d| d.standard.is_some(),
        "single" => |d| d.threads == 1 && (d.standard.is_some() || d.group == Group::Real),
        "all" => |d| d.kernel.is_empty(),
        arceos::SET => |d| !d.text.is_empty(),
        "texts" => |d| d.group == Group::Texts && d.kernel.is_empty(),
        "community" => |d| d.group == Group::Community,
        "ours" => |d| d.group == Group::Ours,
        "real" => |d| d.group == Group::Real,
        _ => return None,
    })
}

fn unknown(name: &str, all: &[Definition]) -> String {
    let names = || all.iter().map(|d| d.name.as_str()).chain(SETS.iter().map(|s| s.0));
    let near = closest(name, names());
    let hint = if near.is_empty() {
        "'heapwright bench --list' shows them".to_owned()
    } else {
        format!("did you mean {}? 'heapwright bench --list' shows all", near.join(" or "))
    };
    let program = if launch::resolve::command(name.as_ref()).is_ok() {
        format!("; to measure the program {name}: heapwright bench -- {name}")
    } else {
        String::new()
    };
    format!("no workload {name}; {hint}{program}")
}

/// The largest scale at which everything fits into the time. Where that would be too short, fewer rounds are planned, and
/// then of the standard set the last ones are left out; `left_out` gets their names.
fn fit(
    definitions: &mut Vec<Selected>,
    wanted: &Wanted<'_>,
    budget: Option<Duration>,
    may_leave_out: bool,
    left_out: &mut Vec<String>,
) -> f64 {
    let Some(time) = budget else { return 1.0 };
    let cost = |definitions: &[Selected], rounds: u32, scale: f64| -> f64 {
        definitions.iter().map(|(d, _)| cost(d, wanted.subjects, rounds.into(), scale)).sum()
    };
    let available = time.as_secs_f64() * 0.97;
    let scale_at = |definitions: &[Selected], rounds| {
        SCALES.into_iter().find(|s| cost(definitions, rounds, *s) <= available)
    };
    let is_short = |scale: Option<f64>| scale.is_none_or(|s| s < LEAST_SCALE);
    let rounds = wanted.rounds.unwrap_or(GOOD_ROUNDS);
    let rounds = match wanted.rounds {
        None if is_short(scale_at(definitions, rounds)) => LEAST_ROUNDS + 1,
        _ => rounds,
    };
    let scale_of = |definitions: &[Selected]| scale_at(definitions, rounds);
    while may_leave_out && definitions.len() > 3 && is_short(scale_of(definitions)) {
        let last =
            definitions.iter().enumerate().max_by_key(|(_, (d, _))| d.standard).map(|(i, _)| i);
        let Some(last) = last else { break };
        left_out.push(definitions.remove(last).0.name);
    }
    scale_of(definitions).unwrap_or(SCALES[SCALES.len() - 1])
}

/// Where the least rounds take longer than `time` they are given what they need, which is said.
fn least(
    definitions: &[Selected],
    wanted: &Wanted<'_>,
    scale: f64,
    time: &mut Duration,
) -> Option<String> {
    let rounds = wanted.rounds.unwrap_or(LEAST_ROUNDS).min(LEAST_ROUNDS);
    let one = |(d, _): &Selected| cost(d, wanted.subjects, rounds.into(), scale);
    let needed = Duration::from_secs_f64(definitions.iter().map(one).sum::<f64>().ceil());
    let given = core::mem::replace(time, needed.max(*time));
    (needed > given).then(|| {
        format!(
            "--time {given:?} is too short: {} workloads at {scale} of their length, {rounds} rounds on each allocator, take about \
             {needed:?}, and get that; fewer workloads or allocators (-a) take less",
            definitions.len(),
        )
    })
}

/// Seconds that a workload takes in all passes.
fn cost(d: &Definition, subjects: &[Subject], rounds: f64, scale: f64) -> f64 {
    let takes_part = |s: &&Subject| match (&s.allocator.in_process, s.role) {
        (Some(_), Role::Floor) => d.unit.is_some(),
        (Some(_), _) => d.region || !d.kernel.is_empty(),
        _ => true,
    };
    let names = subjects.iter().filter(takes_part).count() as f64;
    // A run whose calls are timed takes about twice as long.
    let passes = 1.0 + rounds + if d.tail { 2.0 } else { 0.0 };
    names * passes * (d.seconds_at(scale) + BESIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_names_are_found_once() {
        let all = definitions().unwrap();
        let names = |words: &[&str]| -> Vec<String> {
            let words: Vec<WorkloadArg> = words.iter().map(|w| WorkloadArg::of(w)).collect();
            named(&words, &all).unwrap().into_iter().map(|(d, _)| d.name).collect()
        };
        assert_eq!(names(&["all"]).len() + names(&["kernel"]).len(), all.len());
        assert_eq!(names(&["bench-tiny", "bench-tiny"]), ["bench-tiny"]);
        assert!(names(&["standard"]).len() < all.len());
        let single = names(&["single"]);
        assert!(single.contains(&"perl".to_owned()) && !single.contains(&"larson".to_owned()));
        assert_eq!(names(&["bench-tiny", "bench-tiny:size=64"]).len(), 2);
    }

    fn wanted<'a>(
        subjects: &'a [Subject],
        budget: &'a dyn Fn(usize) -> Option<Duration>,
    ) -> Wanted<'a> {
        let (scale, rounds) = (None, None);
        let (counted, as_short, pin) = (false, false, false);
        Wanted { names: &[], subjects, scale, counted, as_short, budget, rounds, pin }
    }

    #[test]
    fn what_does_not_fit_is_said_and_gets_its_time() {
        let all = definitions().unwrap();
        let subjects = bench::session::line_up(vec![launch::allocator::Allocator::glibc()], true);
        let chosen: Vec<Selected> = all.into_iter().map(|d| (d, vec![])).collect();
        let wanted = wanted(&subjects, &|_| None);
        let mut time = Duration::from_secs(1);
        let said = least(&chosen, &wanted, 0.03, &mut time).unwrap();
        assert!(said.starts_with("--time 1s is too short") && time.as_secs() > 10, "{said}");
        assert_eq!(least(&chosen, &wanted, 0.03, &mut time), None);
    }

    #[test]
    fn the_time_decides_the_scale() {
        let all = definitions().unwrap();
        let subjects = bench::session::line_up(vec![launch::allocator::Allocator::glibc()], true);
        let fitted = |time: u64, standard: bool| {
            let mut chosen: Vec<Selected> =
                all.iter().filter(|d| d.standard.is_some()).map(|d| (d.clone(), vec![])).collect();
            let budget = |_| Some(Duration::from_secs(time));
            let wanted = wanted(&subjects, &budget);
            let mut left_out = Vec::new();
            let scale =
                fit(&mut chosen, &wanted, Some(Duration::from_secs(time)), standard, &mut left_out);
            (scale, chosen.len(), left_out.len())
        };
        let count = all.iter().filter(|d| d.standard.is_some()).count();
        assert_eq!(fitted(100_000, true), (1.0, count, 0));
        let (short, left, left_out) = fitted(12, true);
        assert!(short < 1.0 && left + left_out == count && left_out > 0, "{short} {left}");
        assert_eq!(fitted(1, false).1, count, "what is asked for by name stays");
    }
}
