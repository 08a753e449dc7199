//! The result in sentences: who is fastest and by how much, who takes least memory, and how sure that is.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::{Overall, Report};
use bench::session::{Role, Stop, SubjectIndex};
use bench::stats::{ENOUGH_PAIRS, Ratio};
use show::number::{percent, ratio, seconds};
use show::text::list;

use crate::notes;
use crate::view::{AS_EXPECTED, Row, View};

/// More memory than this is weighed against the time that it saves.
const DEAR: f64 = 1.10;

/// Time and memory weighed against each other.
#[derive(Debug, Default)]
pub struct Verdict {
    /// In one sentence; `None`: there is nothing to weigh.
    pub sentence: Option<String>,
    /// Whom it speaks for: shown to take less time and at most a tenth more memory, or less memory and no more time. Nobody,
    /// where another one's time cannot be told.
    pub pick: Option<SubjectIndex>,
}

/// The one verdict of the terminal, the page and the next command. Of a replay memory is said first: it hardly differs between
/// runs, and is what one records a program for.
pub fn verdict(report: &Report) -> Verdict {
    let verdict = weighed(report);
    let is_replay = report.workloads.iter().any(|work| work.replayed.is_some());
    let Some(memory) = least_memory(report).filter(|_| is_replay) else { return verdict };
    let sentence = match verdict.sentence {
        Some(sentence) => format!("{memory}; {sentence}"),
        None => memory,
    };
    Verdict { sentence: Some(sentence), ..verdict }
}

/// Who takes the least memory, and how much of the baseline's.
fn least_memory(report: &Report) -> Option<String> {
    let base = &report.allocators.get(report.baseline().0)?.name;
    let contenders =
        report.contestants().filter(|who| report.allocators[*who].role == Role::Contender);
    let ratios =
        contenders.filter_map(|who| Some((who, report.mean(who, Metric::Memory)?.estimate)));
    let (least, share) = ratios.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let name = &report.allocators[least].name;
    Some(match share < 1.0 {
        true => format!("{name} takes the least memory, {} of {base}'s", ratio(share)),
        false => format!("nobody takes less memory than {base} ({name} {})", ratio(share)),
    })
}

fn weighed(report: &Report) -> Verdict {
    let of = |who, metric| {
        let ratio = report.mean(who, metric)?;
        Some((ratio, Claim::of(&ratio, report.mean_noise(metric))))
    };
    let row = |who| Some((who, of(who, Metric::Time)?, of(who, Metric::Memory)?));
    let contenders =
        report.contestants().filter(|who| report.allocators[*who].role == Role::Contender);
    let mut all: Vec<_> = contenders.filter_map(row).collect();
    all.sort_by(|a, b| a.1.0.estimate.total_cmp(&b.1.0.estimate));
    let Some(&first) = all.first() else { return Verdict::default() };
    let base = &report.allocators[report.baseline()].name;
    let name =
        |one: &(SubjectIndex, (Ratio, Claim), (Ratio, Claim))| &report.allocators[one.0].name;
    let figures = |one: &(SubjectIndex, (Ratio, Claim), (Ratio, Claim))| {
        let (time, memory) = (ratio(one.1.0.estimate), ratio(one.2.0.estimate));
        format!("{} takes {time} of {base}'s time and {memory} of its memory", name(one))
    };
    let say = |text: String, pick| Verdict { sentence: Some(text), pick };
    if all.iter().any(|one| one.1.1 == Claim::Untold) {
        let text =
            format!("who is faster cannot be told yet; as far as was seen, {}", figures(&first));
        return say(text, None);
    }
    let is_dear = |memory: &(Ratio, Claim)| memory.1 == Claim::More && memory.0.estimate > DEAR;
    let faster = || all.iter().filter(|one| one.1.1 == Claim::Less);
    let smaller = || all.iter().filter(|one| one.2.1 == Claim::Less && one.1.1 != Claim::More);
    let least = smaller().min_by(|a, b| a.2.0.estimate.total_cmp(&b.2.0.estimate));
    let pick = faster().find(|one| !is_dear(&one.2)).or(least);
    match (faster().next(), pick) {
        (None, None) => say(format!("nobody is shown to be faster or smaller than {base}"), None),
        (Some(fast), None) => {
            let more = percent(fast.2.0.estimate - 1.0);
            let text = format!(
                "{}: whether that is worth {more} more memory is yours to say",
                figures(fast)
            );
            say(text, None)
        }
        (Some(fast), Some(pick)) if fast.0 != pick.0 => {
            let text = format!(
                "{}, the fastest for {} more; {}",
                figures(fast),
                percent(fast.2.0.estimate - 1.0),
                figures(pick)
            );
            say(text, Some(pick.0))
        }
        (_, Some(pick)) => {
            let others =
                if report.best_mean(Metric::Time) == [pick.0] { ": the fastest" } else { "" };
            say(format!("{}{others}", figures(pick)), Some(pick.0))
        }
    }
}

/// The result in one line of plain words.
pub(crate) fn headline(view: &View<'_>) -> String {
    let report = view.report;
    if let Some(said) = sequences(view) {
        return said;
    }
    let timed = view.ranked().iter().filter(|row| row.2.is_some()).count();
    match (report.left_out.len(), report.workloads.len()) {
        (0, _) if timed < 2 => return "There is nothing to compare".to_owned(),
        (0, _) => {}
        (out, in_time) => {
            let all = out + in_time;
            return format!("{in_time} of {all} workloads were measured: no mean over all of them");
        }
    }
    let one = |metric| match report.best_mean(metric)[..] {
        [one] => Some(one),
        _ => None,
    };
    let among = if timed < view.shown.len() {
        let all = match report.workloads.len() {
            1 => "it".to_owned(),
            all => format!("all {all} workloads"),
        };
        format!(" of the {timed} that did {all}")
    } else {
        String::new()
    };
    let name = |who| view.name(who);
    match (one(Metric::Time), one(Metric::Memory)) {
        (Some(fastest), Some(least)) if fastest == least => {
            format!("{} is the fastest{among} and needs the least memory", name(fastest))
        }
        (Some(fastest), Some(least)) => {
            let (fastest, least) = (name(fastest), name(least));
            format!("{fastest} is the fastest{among}, {least} needs the least memory")
        }
        (Some(fastest), None) => format!("{} is the fastest{among}", name(fastest)),
        (None, Some(least)) => format!(
            "No allocator is clearly the fastest; {} needs the least memory{among}",
            name(least)
        ),
        (None, None) => "No allocator is clearly the fastest".to_owned(),
    }
}

/// How many sequences are what they should be, where nothing else was looked at.
pub(crate) fn sequences(view: &View<'_>) -> Option<String> {
    let works = &view.report.workloads;
    if works.is_empty() || works.iter().any(|work| !work.alone) {
        return None;
    }
    let judged = || {
        let cells = view.shown.iter().flat_map(|a| works.iter().filter_map(|w| w.cells.get(a.0)));
        cells.flat_map(|cell| &cell.values).filter(|value| value.unit == AS_EXPECTED)
    };
    let right = judged().filter(|value| value.value > 0.5).count();
    Some(format!("{right} of {} sequences are as expected", judged().count()))
}

/// The most important one first; never empty.
pub(crate) fn sentences(view: &View<'_>) -> Vec<String> {
    let (overall, ranked) = (view.overall(), view.ranked());
    let works = &view.report.workloads;
    // It begins with a name, which stays as it is.
    let weighed = verdict(view.report).sentence.map(|text| format!("{text}."));
    let mut said = Vec::new();
    if works.iter().all(|work| work.alone) && !works.is_empty() {
        said.extend(works.iter().map(|work| sentence(&work.about)));
        said.extend(ended(view));
        return said;
    }
    if view.report.left_out.is_empty() {
        said.push(time(view, &ranked));
        said.extend(memory(view, &ranked));
        said.extend(weighed);
        said.extend(pareto(view, &overall));
        // Where ours stands, also when it is neither first nor spoken for.
        let is_said = said.iter().any(|text| text.starts_with(&format!("{HEAPWRIGHT} takes ")));
        said.extend(ours(view, &overall).filter(|_| !is_said));
    } else {
        said.push("Each workload stands by itself below.".to_owned());
    }
    said.extend(notes::noise(view).map(|note| format!("Noise: {}.", note.text)));
    said.extend(dropped(view));
    said.extend(ended(view));
    said
}

/// With a large letter at its start and a point at its end.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// Why nothing is said of who has the least: there are too few rounds, or the intervals and the noise are too wide.
fn why_untold(ratio: &Ratio) -> String {
    match ratio.pairs {
        n if n < ENOUGH_PAIRS => format!("{} of {ENOUGH_PAIRS} rounds that a claim needs", n),
        _ => "intervals or noise are too wide".to_owned(),
    }
}

/// What the difference of the first from the next is, where it is none that is shown.
fn beside(view: &View<'_>, first: &Ratio, next: (&str, &Ratio), metric: Metric) -> String {
    let ratio = first.over(next.1);
    match Claim::of(&ratio, view.report.mean_noise(metric)) {
        Claim::Level => format!("{} is level with it", next.0),
        _ => format!("whether {} has more cannot be told ({})", next.0, why_untold(&ratio)),
    }
}

fn interval(r: &Ratio) -> String {
    if r.pairs < 2 {
        return format!("{} (one round, so no interval)", ratio(r.estimate));
    }
    format!("{} ({} {} to {})", ratio(r.estimate), r.kind(), ratio(r.low), ratio(r.high))
}

fn by_how_much(estimate: f64) -> String {
    if estimate < 1.0 {
        format!("{} less", percent(1.0 - estimate))
    } else {
        format!("{} more", percent(estimate - 1.0))
    }
}

fn count(n: usize) -> String {
    if n == 1 { "one workload".to_owned() } else { format!("{n} workloads") }
}

fn time(view: &View<'_>, overall: &[Row<'_>]) -> String {
    let base = view.name(view.baseline);
    let mut timed: Vec<(SubjectIndex, &Overall, Ratio)> =
        overall.iter().filter_map(|(a, o, t, _)| t.map(|t| (*a, *o, t))).collect();
    timed.sort_by(|a, b| a.2.estimate.total_cmp(&b.2.estimate));
    let Some((first, of, r)) = timed.first() else {
        return "No time was measured that can be compared.".to_owned();
    };
    let name = view.name(*first);
    let over = if view.is_one() { String::new() } else { format!(" over {}", count(of.workloads)) };
    if timed.len() == 1 {
        return format!("Only {name} was measured: there is nothing to compare it with.");
    }
    let next = timed[1];
    if view.report.best_mean(Metric::Time) != [*first] {
        let estimate = if *first == view.baseline {
            String::new()
        } else {
            format!(" It takes {} of {base}'s time{over}.", interval(r))
        };
        let beside = beside(view, r, (view.name(next.0), &next.2), Metric::Time);
        return format!(
            "No allocator is shown to be the fastest. {name} has the least time, but {beside}.{estimate}"
        );
    }
    let next = view.name(next.0);
    if *first == view.baseline {
        let (_, _, r) = timed[1];
        return format!(
            "{name}, the baseline, is the fastest{over}. The next one, {next}, takes {} of its time, {}.",
            interval(&r),
            by_how_much(r.estimate)
        );
    }
    format!(
        "{name} is the fastest:{over} it takes {} of {base}'s time, {}.",
        interval(r),
        by_how_much(r.estimate)
    )
}

fn memory(view: &View<'_>, overall: &[Row<'_>]) -> Option<String> {
    let mut all: Vec<(SubjectIndex, Ratio)> =
        overall.iter().filter_map(|(a, _, _, p)| p.map(|p| (*a, p))).collect();
    all.sort_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate));
    let (&(first, r), &(next, other)) = (all.first()?, all.get(1)?);
    let (base, name) = (view.name(view.baseline), view.name(first));
    if first == view.baseline {
        let (next, is_clear) = (view.name(next), view.report.best_mean(Metric::Memory) == [first]);
        let follows = if is_clear {
            format!("{next} follows with {}", interval(&other))
        } else {
            beside(view, &r, (next, &other), Metric::Memory)
        };
        return Some(format!("{name}, the baseline, needs least memory at its peak; {follows}."));
    }
    let close = if view.report.best_mean(Metric::Memory) == [first] {
        String::new()
    } else {
        format!("; {}", beside(view, &r, (view.name(next), &other), Metric::Memory))
    };
    Some(format!(
        "{name} needs least memory at its peak: {} of {base}'s, {}{close}.",
        interval(&r),
        by_how_much(r.estimate)
    ))
}

fn pareto(view: &View<'_>, overall: &[Row<'_>]) -> Option<String> {
    let set: Vec<String> = overall
        .iter()
        .filter(|(_, o, ..)| o.is_pareto)
        .map(|(a, ..)| view.name(*a).to_owned())
        .collect();
    match set.len() {
        0 => None,
        1 => Some(format!("Nobody is better than {} in time or in peak memory.", list(&set))),
        _ => Some(format!(
            "Nobody is better in both time and peak memory than one of {} (the Pareto set).",
            list(&set)
        )),
    }
}

fn ours(view: &View<'_>, overall: &[Row<'_>]) -> Option<String> {
    let (a, _, time, peak) = overall.iter().find(|row| view.style(row.0).is_ours)?;
    let of = |r: &Option<Ratio>, what: &str| r.map(|r| format!("{} of {what}", interval(&r)));
    let base = view.name(view.baseline);
    let parts: Vec<String> =
        [of(time, &format!("{base}'s time")), of(peak, &format!("{base}'s peak memory"))]
            .into_iter()
            .flatten()
            .collect();
    (!parts.is_empty()).then(|| format!("{}: {}.", view.name(*a), parts.join(", ")))
}

fn dropped(view: &View<'_>) -> Option<String> {
    let mut said = Vec::new();
    for &a in &view.shown {
        let n = view.report.workload_indices().filter(|&w| view.has_failed(w, a)).count();
        if n > 0 {
            said.push(format!("{} on {n}", view.name(a)));
        }
    }
    (!said.is_empty()).then(|| {
        format!("Failures or refused allocations: {}. What happened is in the table.", list(&said))
    })
}

fn ended(view: &View<'_>) -> Option<String> {
    match view.report.stop {
        Stop::Interrupted => {
            Some("The measurement was interrupted; this is what there was.".into())
        }
        Stop::Failed => Some("The measurement ended because nothing was left to run.".into()),
        Stop::Budget => Some(format!(
            "The measurement ended with its time budget, after {}.",
            seconds(view.report.elapsed)
        )),
        Stop::Rounds | Stop::Precise => None,
    }
}

#[cfg(test)]
mod tests {
    use bench::testing;

    use super::*;

    /// What is said of allocators with these ratios of time and memory, and whom it speaks for.
    fn said(rows: &[(&str, f64, f64)], margin: f64) -> (String, Option<String>) {
        let mut report = testing::rounds(&["larson"], 9, |_, _| 0.25);
        let entry = |role, name: &str| testing::entry(name, role);
        let ratio = |estimate: f64| {
            let (low, high) = (estimate - margin, estimate + margin);
            Some(Ratio { estimate, low, high, pairs: 9 })
        };
        let mean = |time, peak| Overall {
            workloads: 1,
            time: ratio(time),
            peak_rss: ratio(peak),
            ..Overall::default()
        };
        report.allocators = vec![entry(Role::Baseline, "glibc")];
        report.overall = vec![mean(1.0, 1.0)];
        for (name, time, peak) in rows {
            report.allocators.push(entry(Role::Contender, name));
            report.overall.push(mean(*time, *peak));
        }
        let Verdict { sentence, pick } = verdict(&report);
        (sentence.unwrap_or_default(), pick.map(|a| report.allocators[a].name.clone()))
    }

    #[test]
    fn time_is_weighed_against_memory() {
        let (text, pick) = said(&[("quick", 0.78, 1.26), ("thrifty", 0.8, 1.02)], 0.005);
        assert_eq!(pick.as_deref(), Some("thrifty"), "{text}");
        assert_eq!(
            text,
            "quick takes 0.78 of glibc's time and 1.26 of its memory, the fastest for 26 % more; \
             thrifty takes 0.80 of glibc's time and 1.02 of its memory"
        );
        let (text, pick) = said(&[("quick", 0.78, 1.26)], 0.005);
        assert_eq!(pick, None);
        assert!(text.ends_with("worth 26 % more memory is yours to say"), "{text}");
        let (text, pick) = said(&[("both", 0.7, 0.9), ("slow", 1.3, 0.8)], 0.005);
        assert_eq!(pick.as_deref(), Some("both"));
        assert!(text.ends_with("of its memory: the fastest"), "{text}");
        let (_, pick) = said(&[("small", 1.0, 0.8)], 0.005);
        assert_eq!(pick.as_deref(), Some("small"));
        let (text, pick) = said(&[("slow", 1.3, 1.1)], 0.005);
        assert_eq!(
            (text.as_str(), pick),
            ("nobody is shown to be faster or smaller than glibc", None)
        );
    }

    #[test]
    fn what_cannot_be_told_is_no_verdict() {
        let (text, pick) = said(&[("quick", 0.9, 1.0)], 0.2);
        assert_eq!(pick, None);
        assert!(
            text.starts_with(
                "who is faster cannot be told yet; as far as was seen, quick takes 0.90"
            ),
            "{text}"
        );
        assert_eq!(said(&[], 0.1), (String::new(), None));
    }
}
