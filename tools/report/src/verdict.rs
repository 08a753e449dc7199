//! The result in sentences: who is fastest and by how much, who takes least memory, and how sure that is.

use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::Overall;
use bench::session::{Stop, SubjectIndex};
use bench::stats::{ENOUGH_PAIRS, Ratio};

use crate::format::{list, percent, ratio, seconds};
use crate::view::{AS_EXPECTED, View, kind};

type Row<'a> = (SubjectIndex, &'a Overall, Option<Ratio>, Option<Ratio>);

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
        format!(" of the {timed} that did all {}", count(report.workloads.len()))
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
fn sequences(view: &View<'_>) -> Option<String> {
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
    let mut said = Vec::new();
    if works.iter().all(|work| work.alone) && !works.is_empty() {
        said.extend(works.iter().map(|work| sentence(&work.about)));
        said.extend(ended(view));
        return said;
    }
    if view.report.left_out.is_empty() {
        said.push(time(view, &ranked));
        said.extend(memory(view, &ranked));
        said.extend(pareto(view, &overall));
        said.extend(ours(view, &overall));
    } else {
        said.push("Each workload stands by itself below.".to_owned());
    }
    said.extend(noise(view));
    said.extend(other_work(view));
    said.extend(dropped(view));
    said.extend(ended(view));
    said
}

/// With a large letter at its start and a point at its end.
fn sentence(text: &str) -> String {
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
    format!("{} ({} {} to {})", ratio(r.estimate), kind(r), ratio(r.low), ratio(r.high))
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
    if timed.len() == 1 {
        return format!("Only {name} was measured: there is nothing to compare it with.");
    }
    let next = timed[1];
    if view.report.best_mean(Metric::Time) != [*first] {
        let estimate = if *first == view.baseline {
            String::new()
        } else {
            format!(" It takes {} of {base}'s time over {}.", interval(r), count(of.workloads))
        };
        let beside = beside(view, r, (view.name(next.0), &next.2), Metric::Time);
        return format!(
            "No allocator is shown to be the fastest. {name} has the least time, but {beside}.{estimate}"
        );
    }
    let next = view.name(next.0);
    if *first == view.baseline {
        let (_, of, r) = timed[1];
        return format!(
            "{name}, the baseline, is the fastest over {}. The next one, {next}, takes {} of its time, {}.",
            count(of.workloads),
            interval(&r),
            by_how_much(r.estimate)
        );
    }
    format!(
        "{name} is the fastest: over {} it takes {} of {base}'s time, {}.",
        count(of.workloads),
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

/// Where ours stands, also when it is neither first.
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

fn noise(view: &View<'_>) -> Option<String> {
    let mut floors: Vec<(f64, &str)> = view
        .report
        .workloads
        .iter()
        .filter_map(|w| Some((w.noise_floor.filter(|n| n.is_finite())?, w.name.as_str())))
        .collect();
    floors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (most, middle) = (floors.last()?, floors.get(floors.len() / 2)?);
    let base = view.name(view.baseline);
    Some(format!(
        "Noise floor: {base} against itself differs by {} on the middle workload and by {} at most ({}); smaller differences \
         mean nothing.",
        percent(middle.0),
        percent(most.0),
        most.1
    ))
}

/// Who did not the same work.
fn other_work(view: &View<'_>) -> Option<String> {
    let mut said = Vec::new();
    for &a in &view.shown {
        for (w, work) in view.report.workload_indices().zip(&view.report.workloads) {
            let share = view.cell(w, a).filter(|cell| cell.refused == 0).and_then(|c| c.other_work);
            said.extend(share.map(|share| {
                format!("{} did {} of the work of {}", view.name(a), percent(share), work.name)
            }));
        }
    }
    (!said.is_empty()).then(|| format!("Shown and not compared: {}.", list(&said)))
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
