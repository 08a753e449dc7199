//! The result in sentences: who is fastest and by how much, who takes least memory, and how sure that is.

use bench::result::Overall;
use bench::session::{Stop, SubjectIndex};
use bench::stats::Ratio;

use crate::format::{list, percent, ratio, seconds};
use crate::view::{View, kind};

type Row<'a> = (SubjectIndex, &'a Overall, Option<Ratio>, Option<Ratio>);

/// The result in one line of plain words.
pub(crate) fn headline(view: &View<'_>) -> String {
    let overall = view.ranked();
    let by = |which: fn(&Row<'_>) -> Option<Ratio>| {
        let mut all: Vec<(SubjectIndex, Ratio)> =
            overall.iter().filter_map(|row| Some((row.0, which(row)?))).collect();
        all.sort_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate));
        all
    };
    let (time, peak) = (by(|row| row.2), by(|row| row.3));
    let Some(&(fastest, _)) = time.first().filter(|_| time.len() > 1) else {
        return "There is nothing to compare".to_owned();
    };
    let is_clear = overall.iter().any(|row| row.0 == fastest && is_clear(view, &overall, row.1));
    let leanest = match peak[..] {
        [first, second, ..] if first.1.high < second.1.low && several(view, &overall) => {
            Some(first.0)
        }
        _ => None,
    };
    let name = view.name(fastest);
    match leanest {
        Some(least) if least == fastest && is_clear => {
            format!("{name} is the fastest and needs the least memory")
        }
        Some(least) if is_clear => {
            format!("{name} is the fastest, {} needs the least memory", view.name(least))
        }
        Some(least) => {
            format!(
                "No allocator is clearly the fastest; {} needs the least memory",
                view.name(least)
            )
        }
        None if is_clear => format!("{name} is the fastest"),
        None => "No allocator is clearly the fastest".to_owned(),
    }
}

/// The most important one first; never empty.
pub(crate) fn sentences(view: &View<'_>) -> Vec<String> {
    let (overall, ranked) = (view.overall(), view.ranked());
    let mut said = vec![time(view, &ranked)];
    said.extend(memory(view, &ranked));
    said.extend(pareto(view, &overall));
    said.extend(ours(view, &overall));
    said.extend(noise(view));
    said.extend(dropped(view));
    said.extend(ended(view));
    said
}

/// Whether there are several rounds; one shows nothing. The baseline's own ratio, which is 1, has none.
fn several(view: &View<'_>, overall: &[Row<'_>]) -> bool {
    overall
        .iter()
        .filter(|row| row.0 != view.baseline)
        .filter_map(|row| row.2)
        .all(|time| time.pairs > 1)
}

/// Whether it is shown to be the fastest.
fn is_clear(view: &View<'_>, overall: &[Row<'_>], of: &Overall) -> bool {
    of.is_fastest && several(view, overall)
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
    let next = timed.get(1).map_or("", |n| view.name(n.0));
    if !is_clear(view, overall, of) {
        let estimate = if *first == view.baseline {
            String::new()
        } else {
            format!(" It takes {} of {base}'s time over {}.", interval(r), count(of.workloads))
        };
        return format!(
            "No allocator is shown to be the fastest. {name} has the least time, but its lead over {next} is within the \
             uncertainty.{estimate}"
        );
    }
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
        return Some(format!(
            "{name}, the baseline, needs least memory at its peak; {} follows with {}.",
            view.name(next),
            interval(&other)
        ));
    }
    let close = if other.low <= r.high || !several(view, overall) {
        format!("; {} is not shown to need more", view.name(next))
    } else {
        String::new()
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
