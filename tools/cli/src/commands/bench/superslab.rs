//! `heapwright bench superslab`: the experiment of the report on SuperSlab, each of its four suspects changed alone.
//!
//! A verdict is that of every comparison here ([`Claim`]): beyond the noise, level, or "cannot be told".

use core::time::Duration;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::metrics::Metrics;
use bench::result::Report;
use bench::session::{Role, Subject, WorkloadIndex};
use bench::stats::Ratio;
use bench::workload::Workload;
use launch::Launch;
use launch::environment::SETTINGS;
use serde_json::Value;
use show::{Table, number, text};

use crate::exit::Usage;
use crate::flags::subject::{self, AllocatorArg};
use crate::flags::workload::WorkloadArg;

const NAME: &str = "superslab";

/// What takes part: the baseline has all parts on.
const SUBJECTS: &str = "on=superslab,off=superslab:superslab=off,unmapped=superslab:reuse_pool=off,\
     eager=superslab:lazy_init=off,two-lookups=superslab:one_lookup=off,bare=superslab:magazine=0,\
     bare-off=superslab:magazine=0:superslab=off,bare-two=superslab:magazine=0:one_lookup=off";

/// The report's loops; and with so many blocks at once that magazines do not hold them and superslabs come and go.
const ONE: &str = "bench-tiny";
const FOUR: &str = "bench-tiny-mt";
const MANY: &str = "bench-tiny-mt:blocks=400000";

/// All of it but the counting, which takes some seconds, unless another time is asked for; and how long a run is: short, as a verdict needs many rounds.
pub(super) const TIME: Duration = Duration::from_secs(120);
pub(super) const SCALE: f64 = 0.1;

const HANGS: Duration = Duration::from_secs(60);

/// What is compared: who has one thing changed, beside whom, where; and of a suspect what would then be less.
struct Question {
    about: &'static str,
    changed: &'static str,
    beside: &'static str,
    works: &'static [&'static str],
}

const fn ask(
    about: &'static str,
    [changed, beside]: [&'static str; 2],
    works: &'static [&'static str],
) -> Question {
    Question { about, changed, beside, works }
}

const QUESTIONS: [Question; 6] = [
    ask("superslabs off, magazines on", ["off", "on"], &[ONE, FOUR, MANY]),
    ask("1. mapping: an empty superslab is unmapped at once", ["unmapped", "on"], &[FOUR, MANY]),
    ask(
        "2. lists: all of a slab is linked when it begins to serve",
        ["eager", "on"],
        &[FOUR, MANY],
    ),
    ask(
        "3. thread-local look-ups: two for one, magazines on",
        ["two-lookups", "on"],
        &[FOUR, MANY],
    ),
    ask("3. the same, magazines off", ["bare-two", "bare"], &[FOUR, MANY]),
    ask("4. the magazine: superslabs off, magazines off", ["bare-off", "bare"], &[ONE, FOUR, MANY]),
];

/// Whether it is asked for: it is the only word.
pub(super) fn is_asked(workloads: &[WorkloadArg], asked: &[AllocatorArg]) -> anyhow::Result<bool> {
    let is_asked = matches!(workloads, [only] if only.name == NAME && only.parameters.is_empty());
    if is_asked && !asked.is_empty() {
        bail!(Usage(
            "bench superslab has allocators of its own; others: heapwright bench bench-tiny-mt -a NAME"
                .to_owned()
        ));
    }
    Ok(is_asked)
}

pub(super) fn workloads() -> Vec<WorkloadArg> {
    [ONE, FOUR, MANY].map(WorkloadArg::of).to_vec()
}

pub(super) fn allocators() -> anyhow::Result<Vec<AllocatorArg>> {
    subject::list(SUBJECTS).map_err(anyhow::Error::msg)
}

/// Nothing runs that no question is about.
pub(super) fn leave_out(works: &mut [Workload], subjects: &[Subject]) {
    for work in works {
        let asked: Vec<&str> = QUESTIONS
            .iter()
            .filter(|question| question.works.contains(&work.name.as_str()))
            .flat_map(|question| [question.changed, question.beside])
            .collect();
        let names = subjects.iter().map(|subject| subject.name.clone());
        work.left_out = names.filter(|name| !asked.contains(&name.as_str())).collect();
    }
}

/// What one subject did in one workload, as its library counts at its end.
pub(super) struct Counted {
    who: String,
    work: String,
    objects: f64,
    refills: f64,
    slabs: f64,
    again: f64,
}

impl Counted {
    /// From what the program prints of its operations, and the file in which the library says what it did.
    fn of(who: &str, work: &str, printed: &str, file: &str) -> Option<Self> {
        // Half of them are frees.
        let objects = Metrics::parse(printed).ops? as f64 / 2.0;
        let said: Value = serde_json::from_str(file).ok()?;
        let count = |name: &str| said["superslab"][name].as_f64();
        let (refills, slabs, again) = (count("refills")?, count("slabs")?, count("again")?);
        let (who, work) = (who.to_owned(), work.to_owned());
        Some(Self { who, work, objects, refills, slabs, again })
    }
}

/// Runs every workload once on every subject, and has the library say what it did.
pub(super) fn counted(works: &[Workload], subjects: &[Subject]) -> anyhow::Result<Vec<Counted>> {
    let takes_part = |subject: &&Subject| matches!(subject.role, Role::Baseline | Role::Contender);
    let folder = tempfile::tempdir().context("a folder for what the library counts")?;
    let file = folder.path().join("counts");
    let mut all = Vec::new();
    for work in works {
        for subject in subjects.iter().filter(takes_part) {
            if work.skips(subject).is_some() {
                continue;
            }
            let mut command = Command::new(&work.file);
            command.args(work.argv.iter().skip(1)).stdin(Stdio::null());
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.envs(work.environment.iter().chain(&subject.environment).cloned());
            let set = subject.environment.iter().find(|(name, _)| name == SETTINGS);
            let mut settings = set.map_or_else(OsString::new, |(_, value)| value.clone());
            settings.push(if settings.is_empty() { "stats=" } else { ",stats=" });
            settings.push(&file);
            command.env(SETTINGS, settings);
            let what = || format!("{} on {}", work.name, subject.name);
            let mut running = Launch::new(&mut command).limit(HANGS).spawn().with_context(what)?;
            let ended = running.wait().with_context(what)?;
            let said = fs::read_to_string(&file).unwrap_or_default();
            let counted = Counted::of(&subject.name, &work.name, &running.stdout.text(), &said);
            match counted.filter(|_| ended.is_some_and(|status| status.success())) {
                Some(counted) => all.push(counted),
                None => bail!("{} did not say what it did", what()),
            }
            // The next one's is not to be taken for its.
            _ = fs::remove_file(&file);
        }
    }
    Ok(all)
}

pub(super) fn answers(report: &Report, counted: &[Counted]) -> String {
    let width = text::width();
    let mut ratios =
        Table::new(["changed, and nothing else", "where", "ratio", "rounds", "so the change"]);
    ratios.has_text = true;
    for question in &QUESTIONS {
        for (at, work) in question.works.iter().enumerate() {
            let about = if at == 0 { question.about } else { "" };
            ratios.row(row(report, question, work, about));
        }
    }
    let mut counts =
        Table::new(["", "where", "refills per 1,000 objects", "slabs", "of them used again"]);
    for one in counted {
        let again =
            if one.slabs > 0.0 { number::percent(one.again / one.slabs) } else { "–".into() };
        counts.row([
            one.who.clone(),
            one.work.clone(),
            number::number(one.refills * 1000.0 / one.objects),
            number::count(one.slabs),
            again,
        ]);
    }
    let what = if report.counted.is_some() { "instructions" } else { "time" };
    format!(
        "\nthe report's suspects, each changed alone: {what} with the change ÷ without\n{}\n\
         what the library counted in one run\n{}",
        ratios.text(width),
        counts.text(width)
    )
}

fn row(report: &Report, question: &Question, work: &str, about: &str) -> [String; 5] {
    let index = report.workload_indices().find(|w| report.workloads[w.0].name == work);
    let found = index.and_then(|index| Some((index, ratio(report, index, question)?)));
    let Some((index, ratio)) = found else {
        return [about, work, "–", "–", "was not measured"].map(str::to_owned);
    };
    let verdict = match Claim::of(&ratio, report.noise(index, metric(report))) {
        Claim::More => "costs",
        Claim::Less => "saves",
        Claim::Level => "makes no difference",
        Claim::Untold => "cannot be told",
    };
    let shown = format!("{:.2} ({:.2} to {:.2})", ratio.estimate, ratio.low, ratio.high);
    [about, work, &shown, &ratio.pairs.to_string(), verdict].map(str::to_owned)
}

/// What is compared: time, of the processor where the machine was busy; or with `--counted` instructions, of one thread only.
fn metric(report: &Report) -> Metric {
    if report.counted.is_some() { Metric::Instructions } else { Metric::Time }
}

/// What it takes with the change ÷ without.
fn ratio(report: &Report, work: WorkloadIndex, question: &Question) -> Option<Ratio> {
    let of = |name: &str| {
        let who = report.contestants().find(|who| report.allocators[who.0].name == name)?;
        report.ratio(work, who, metric(report))
    };
    let (changed, beside) = (of(question.changed)?, of(question.beside)?);
    Some(if beside == Ratio::EXACT { changed } else { changed.over(&beside) })
}

#[cfg(test)]
mod tests {
    use bench::result::{Cell, Compared};
    use bench::testing;

    use super::*;

    #[test]
    fn it_is_asked_for_by_one_word_and_has_its_own_allocators() {
        let words = |text: &str| text.split(' ').map(WorkloadArg::of).collect::<Vec<_>>();
        assert!(is_asked(&words("superslab"), &[]).unwrap());
        assert!(!is_asked(&words("superslab larson"), &[]).unwrap());
        assert!(!is_asked(&words("superslab:x=1"), &[]).unwrap());
        assert!(!is_asked(&words("larson"), &[AllocatorArg::known("glibc")]).unwrap());
    }

    #[test]
    fn who_is_compared_takes_part() {
        let names: Vec<String> = allocators().unwrap().into_iter().map(|arg| arg.name).collect();
        for question in &QUESTIONS {
            for name in [question.changed, question.beside] {
                assert!(names.iter().any(|there| there == name), "{name}");
            }
        }
    }

    #[test]
    fn who_nothing_is_asked_of_does_not_run() {
        let mut works =
            [ONE, FOUR].map(|name| Workload::own(name.to_owned(), "/x".into(), Vec::new()));
        let subjects: Vec<Subject> = testing::session(&[ONE], 1, |_, _| 1).subjects;
        let all = ["off", "eager", "bare"].map(|name| Subject {
            name: name.to_owned(),
            role: Role::Contender,
            ..subjects[0].clone()
        });
        leave_out(&mut works, &all);
        assert_eq!(works.map(|work| work.left_out), [vec!["eager".to_owned()], vec![]]);
    }

    #[test]
    fn what_the_library_counts_is_read_as_data() {
        let said = r#"{"heapwright":1,"line":"none of it","superslab":{"refills":120,"from_depot":3,"slabs":8,"again":6}}"#;
        let counted = Counted::of("on", ONE, "ops 4000\nns 12\n", said).unwrap();
        let all = [counted.objects, counted.refills, counted.slabs, counted.again];
        assert_eq!(all.map(|one| one.to_string()), ["2000", "120", "8", "6"]);
        assert!(Counted::of("on", ONE, "", said).is_none());
        assert!(Counted::of("on", ONE, "ops 4000\n", "{}").is_none());
        assert!(Counted::of("on", ONE, "ops 4000\n", "").is_none(), "no file");
    }

    #[test]
    fn a_verdict_needs_rounds_and_an_interval_beyond_the_noise() {
        let with = |estimate: f64, margin: f64, pairs| {
            let (low, high) = (estimate - margin, estimate + margin);
            let ratio = Some(Ratio { estimate, low, high, pairs });
            Cell { time: Some(Compared { median: 1.0, ratio, same: false }), ..Cell::default() }
        };
        let baseline = || Cell {
            time: Some(Compared { median: 1.0, ratio: None, same: false }),
            ..Cell::default()
        };
        let verdict = |cell: Cell, noise: f64| {
            let entries = vec![
                testing::entry("on", Role::Baseline),
                testing::entry("on again", Role::Control),
                testing::entry("off", Role::Contender),
            ];
            let cells = vec![baseline(), with(1.0 + noise, 0.001, 9), cell];
            let report = testing::report(entries, vec![testing::work(FOUR, 9, cells)], Vec::new());
            row(&report, &QUESTIONS[0], FOUR, "")[4].clone()
        };
        assert_eq!(verdict(with(1.2, 0.05, 9), 0.01), "costs");
        assert_eq!(verdict(with(0.8, 0.05, 9), 0.01), "saves");
        assert_eq!(verdict(with(1.0, 0.02, 9), 0.01), "makes no difference");
        assert_eq!(verdict(with(1.2, 0.05, 9), 0.3), "cannot be told", "within the noise");
        assert_eq!(verdict(with(1.2, 0.05, 3), 0.01), "cannot be told", "three rounds");
        assert_eq!(verdict(with(1.2, 0.3, 9), 0.01), "cannot be told", "the interval has 1 in it");
        assert_eq!(verdict(Cell::default(), 0.01), "was not measured");
    }
}
