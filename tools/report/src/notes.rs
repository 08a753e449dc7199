//! What a reader should know beside the figures, in the same words for the terminal, Markdown and the page: a word that
//! says what kind of note it is, and a sentence.

use bench::claim::MARKS;
use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{AGREEMENT, Count, Entry, Report, Work};
use bench::session::{Role, SubjectIndex};
use bench::stats::{ENOUGH_PAIRS, median};
use show::number::{bytes, count, percent, seconds};
use show::text::{list, many};

use crate::view::View;

#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) word: &'static str,
    pub(crate) text: String,
    /// What a program said at last.
    pub(crate) quoted: Vec<String>,
}

fn note(word: &'static str, text: String) -> Note {
    Note { word, text, quoted: Vec::new() }
}

pub(crate) fn legend(view: &View<'_>) -> Vec<Note> {
    if view.report.counted.is_some() {
        return counted(view);
    }
    let base = view.name(view.baseline);
    let times = if !view.is_one() && view.report.workloads.iter().any(|work| work.by_cpu) {
        "; † processor time, as the machine was too busy"
    } else {
        ""
    };
    let mut all = vec![note(
        "ratios",
        format!(
            "to {base}'s figure ± {}; less is better; * the least, and all that are not shown to have more; {MARKS}{times}",
            margin(view)
        ),
    )];
    all.extend(noise(view));
    all.extend(by_time(view));
    all
}

/// What the names stand for that are labels.
pub(crate) fn names(view: &View<'_>) -> Option<Note> {
    let entries = view.shown.iter().map(|&a| &view.report.allocators[a]);
    let is = |entry: &Entry| {
        let base = entry.base.as_ref()?;
        // Without a label the name is what was asked for, all of it.
        let says_all = entry.name.strip_prefix(base).is_some_and(|rest| rest.starts_with(':'))
            && !entry.name.ends_with('…');
        entry.is().filter(|_| !says_all).map(|is| format!("{} is {is}", entry.name))
    };
    let all: Vec<String> = entries.filter_map(is).collect();
    (!all.is_empty()).then(|| note("names", all.join("; ")))
}

/// What the recorded process took, and how far its replay is from that.
pub(crate) fn recorded(report: &Report, work: &Work) -> Option<String> {
    let replayed = work.replayed.as_ref()?;
    let own = bytes(replayed.own_mapped as f64);
    let Some(peak) = replayed.recorded_peak else {
        let why = match replayed.own_mapped {
            _ if replayed.begins_late => {
                "the program had blocks before the recording began, which are not in it".to_owned()
            }
            0 => "the recording does not know the process's memory".to_owned(),
            _ => {
                format!("the program mapped {own} itself, beside which malloc's memory is not seen")
            }
        };
        return Some(format!("recorded: {why}; how far the replay is from it is not known"));
    };
    let entry = report.allocators.iter().find(|entry| Some(&entry.name) == replayed.on.as_ref());
    let on = entry.map_or_else(
        || "an allocator that does not take part".to_owned(),
        |entry| entry.is().unwrap_or_else(|| entry.name.clone()),
    );
    let mut text = format!("recorded {} above the start on {on}", bytes(peak as f64));
    if replayed.own_mapped > 0 {
        text += &format!(", without what the program mapped itself ({own} at most)");
    }
    if let Some(error) = replayed.error {
        let more = if error < 0.0 { "less" } else { "more" };
        text += &format!("; the replay takes {} {more}: its own error", percent(error.abs()));
    }
    Some(text)
}

/// Allocators that give free memory back when it was free for a while.
const BY_TIME: [&str; 2] = ["jemalloc", "mimalloc"];

/// Pauses that are a smaller part of the recorded time change little.
const PAUSED_PART: f64 = 0.1;

/// What a replay that leaves out the program's pauses does not show of what is given back by time.
pub(crate) fn by_time(view: &View<'_>) -> Option<Note> {
    let works = view.report.workloads.iter();
    let replayed = works.filter_map(|work| work.replayed.as_ref()).find(|r| r.order != "timed")?;
    let (paused, all) = (replayed.paused_seconds, replayed.recorded_seconds);
    let is_by_time = |a: &&SubjectIndex| {
        let entry = &view.report.allocators[**a];
        let base = entry.base.as_ref().unwrap_or(&entry.name);
        BY_TIME.iter().any(|name| base.starts_with(name))
    };
    let names = view.shown.iter().filter(is_by_time).map(|a| view.name(*a).to_owned());
    let names: Vec<String> = names.collect();
    let has_pauses = paused > PAUSED_PART * all;
    if names.is_empty() && !has_pauses {
        return None;
    }
    let mut text = match has_pauses {
        true => format!(
            "the program made no call for {} of its {}, which this order leaves out: --order timed keeps the pauses, and \
             shows what is given back by time",
            seconds(paused),
            seconds(all)
        ),
        false => "--order timed keeps the program's pauses, and shows what is given back by time"
            .to_owned(),
    };
    if !names.is_empty() {
        text = format!(
            "{} may give free memory back after a while, so less may have been held in the program; {text}",
            list(&names)
        );
    }
    Some(note("time", text))
}

/// What makes the figures less sure, or is missing from them.
pub(crate) fn doubts(view: &View<'_>) -> Vec<Note> {
    let report = view.report;
    let mut all = Vec::new();
    all.extend(left_out(&report.left_out, report.workloads.len()).map(|text| note("note", text)));
    all.extend(few(view));
    all.extend(early(view));
    all.extend(unseen(view));
    all.extend(starved(view));
    for &a in &view.shown {
        let name = view.name(a);
        all.extend(refused(view, a.0, name));
        all.extend(other_work(view, a.0, name));
        all.extend(report.workloads.iter().filter_map(|work| failed(work, a.0, name)));
    }
    all
}

/// What the time had no place for: without it the means are of fewer workloads than were asked for.
pub fn left_out(names: &[String], measured: usize) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "{} of {} workloads are left out, so that the rest fits into the time: {}",
            names.len(),
            names.len() + measured,
            names.join(", ")
        )
    })
}

pub(crate) fn noise(view: &View<'_>) -> Option<Note> {
    let base = view.name(view.baseline);
    let floors: Vec<f64> = view.report.workloads.iter().filter_map(|w| w.noise_floor).collect();
    let middle = percent(median(&floors)?);
    let how_much = if floors.len() == 1 {
        format!("±{middle}")
    } else {
        let most = percent(floors.iter().copied().fold(0.0, f64::max));
        format!("±{middle} in the middle workload, ±{most} at most")
    };
    let text =
        format!("{base} against itself: {how_much}; a smaller difference in time means nothing");
    Some(note("noise", text))
}

/// What the baseline's two counts differ by, and where those of one program do.
fn counted(view: &View<'_>) -> Vec<Note> {
    let report = view.report;
    let is_control = |a: &SubjectIndex| report.allocators[*a].role == Role::Control;
    let Some(control) = report.subject_indices().find(is_control) else { return Vec::new() };
    let far = |metric: Metric| {
        let ratios = report.workload_indices().filter_map(|w| report.ratio(w, control, metric));
        let far = ratios.map(|ratio| (ratio.estimate - 1.0).abs()).reduce(f64::max)?;
        Some(format!("{metric} {:.2} %", 100.0 * far))
    };
    let fars: Vec<String> = Metric::COUNTED.into_iter().filter_map(far).collect();
    if fars.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "{} against itself, at most: {}; what differs by {} % may be the same",
        view.name(view.baseline),
        fars.join(", "),
        100.0 * AGREEMENT,
    );
    [note("noise", text)].into_iter().chain(varying(view)).collect()
}

/// Whose counts differ between two runs of the same.
fn varying(view: &View<'_>) -> Option<Note> {
    let report = view.report;
    let of = |who: SubjectIndex| {
        let cells = report.workload_indices().filter_map(move |work| report.cell(work, who));
        let all: Vec<&Count> = cells.flat_map(|cell| cell.counted.values()).collect();
        let varied = all.iter().filter(|count| count.varies()).count();
        (varied > 0).then(|| format!("{} {varied} of {}", view.name(who), all.len()))
    };
    let who: Vec<String> = view.shown.iter().filter_map(|&who| of(who)).collect();
    let text = || {
        format!(
            "counts with ± differ by so much between two runs of the same, as mallocs do that go by the clock or by random numbers; of {}",
            who.join(", ")
        )
    };
    (!who.is_empty()).then(|| note("varies", text()))
}

fn pairs(view: &View<'_>) -> impl Iterator<Item = usize> {
    let pairs = |w: &Work| w.cells.iter().filter_map(|c| c.time?.ratio).map(|r| r.pairs).min();
    view.report.workloads.iter().filter(|w| !w.alone).filter_map(pairs)
}

/// What ± is: from few rounds not yet an interval.
fn margin(view: &View<'_>) -> String {
    let is_few = |n: usize| n < ENOUGH_PAIRS;
    if pairs(view).all(is_few) {
        "range of the rounds".to_owned()
    } else if pairs(view).any(is_few) {
        format!("95 % interval, or the range of fewer than {ENOUGH_PAIRS} rounds")
    } else {
        "95 % interval".to_owned()
    }
}

fn few(view: &View<'_>) -> Option<Note> {
    let least = pairs(view).min()?;
    if least >= ENOUGH_PAIRS {
        return None;
    }
    let (all, few) = (pairs(view).count(), pairs(view).filter(|n| *n < ENOUGH_PAIRS).count());
    let whose = if all == 1 { String::new() } else { format!("in {few} of {all} workloads ") };
    let text = match least {
        0 | 1 => format!(
            "{whose}one round says nothing of how times vary, so nothing can be told ({ENOUGH_PAIRS} would do)"
        ),
        least => format!(
            "{whose}{least} rounds are too few to tell anything ({ENOUGH_PAIRS} would do): ± is the range seen"
        ),
    };
    Some(note("note", text))
}

/// Where a measurement ended because its intervals were narrow: one that ends on a lucky round is not as sure as it
/// looks.
fn early(view: &View<'_>) -> Option<Note> {
    let works = &view.report.workloads;
    let early = works.iter().filter(|w| w.precise).count();
    (early > 0).then(|| {
        let whose =
            if works.len() == 1 { "it".to_owned() } else { format!("{early} of {} workloads", works.len()) };
        let text = format!(
            "{whose} ended as soon as the intervals were narrow, so these are somewhat too narrow; --rounds N is decided \
             before"
        );
        note("note", text)
    })
}

/// Peaks that the fork hides.
fn unseen(view: &View<'_>) -> Option<Note> {
    let floor = view.report.runs.iter().map(|r| r.figures.peak_rss_floor_bytes).max()?;
    let least = view.report.runs.iter().map(|r| r.figures.peak_rss_bytes).min()?;
    let text = || format!("peak RSS below {} cannot be measured", bytes(floor as f64));
    (least <= floor).then(|| note("note", text()))
}

fn starved(view: &View<'_>) -> Option<Note> {
    let cells = || view.report.workloads.iter().flat_map(|w| &w.cells);
    let flagged: usize = cells().map(|c| c.flagged).sum();
    let counted: usize = cells().map(|c| c.runs).sum();
    (flagged > 0).then(|| {
        let text = format!(
            "{flagged} of {} did not get their processors for long enough (starved), and do not count",
            many(flagged + counted, "run")
        );
        note("flagged", text)
    })
}

fn refused(view: &View<'_>, at: usize, name: &str) -> Option<Note> {
    let works = view.report.workloads.iter().filter(|w| w.cells[at].refused > 0);
    let works: Vec<String> =
        works.map(|w| format!("{} {}", w.name, count(w.cells[at].refused as f64))).collect();
    let text = || format!("{name} (its times are of less work): {}", works.join(", "));
    (!works.is_empty()).then(|| note("refused", text()))
}

fn other_work(view: &View<'_>, at: usize, name: &str) -> Option<Note> {
    let share = |work: &Work| {
        let cell = &work.cells[at];
        let share = cell.other_work.filter(|_| cell.refused == 0)?;
        Some(format!("{} {}", work.name, percent(share)))
    };
    let works: Vec<String> = view.report.workloads.iter().filter_map(share).collect();
    let text = || format!("{name} (not compared) did of the baseline's work: {}", works.join(", "));
    (!works.is_empty()).then(|| note("work", text()))
}

fn failed(work: &Work, at: usize, name: &str) -> Option<Note> {
    let failure = work.cells[at].failure.as_ref()?;
    let when = match failure.round {
        0 => "before the first round".to_owned(),
        round => format!("round {round}"),
    };
    let what = if work.group == Group::Own { String::new() } else { format!("{} on ", work.name) };
    let text = format!("{what}{name}, {when}: {}", failure.how.words());
    let quoted = last_lines(&failure.stderr, 3).map(|line| format!("| {line}")).collect();
    Some(Note { quoted, ..note("failed", text) })
}

pub fn last_lines(text: &str, n: usize) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(n);
    lines.into_iter().skip(from)
}
