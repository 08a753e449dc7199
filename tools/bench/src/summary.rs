//! From a session to a result: medians, paired ratios with intervals, tails, curves, memory over time.
//!
//! Cost: a bootstrap for every cell and figure; a few seconds for forty workloads on ten allocators.

mod counted;
mod memory;
mod overall;
mod programs;
mod shape;

use std::path::{Path, PathBuf};

use launch::allocator::Allocator;

use crate::claim::Claim;
use crate::measured::Figures;
use crate::result::{
    Cell, Compared, Entry, Replayed, Report, SCHEMA, VERSION, Work, without_folders,
};
use crate::session::{
    Failure, Options, Role, Run, Session, Stop, SubjectIndex, WorkloadIndex, cpu_seconds,
};
use crate::stats::{RESAMPLES, Ratio, median};

/// The result of `session`, where `beside` says what is known beside it: when, where and by what was measured, and what was left out.
pub fn report(session: &Session, options: &Options, beside: Report) -> Report {
    let shown = |texts: &[String]| texts.iter().map(|text| without_folders(text)).collect();
    let own = [starved(session), unmeasured(session)];
    let warnings: Vec<String> =
        beside.warnings.iter().cloned().chain(own.into_iter().flatten()).collect();
    let mut report = Report {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        command_line: shown(&beside.command_line),
        seed: options.seed,
        warm: options.warm,
        stop: session.stop(),
        elapsed: session.elapsed.as_secs_f64(),
        warnings: shown(&warnings),
        allocators: session.subjects.iter().map(entry).collect(),
        workloads: session.workload_indices().map(|w| work(session, w, options.seed)).collect(),
        overall: overall::of(session, options.seed),
        runs: session.runs.clone(),
        ..beside
    };
    report.warnings.extend(programs::several(&report));
    if !report.left_out.is_empty() || unmeasured(session).is_some() {
        // What is left was not asked for as a whole, and so decides nothing.
        for overall in &mut report.overall {
            overall.is_pareto = false;
        }
    }
    report
}

/// The names of some workloads, if there are any.
fn named(session: &Session, which: impl Fn(WorkloadIndex) -> bool) -> Option<String> {
    let works = session.workload_indices().filter(|w| which(*w));
    let names: Vec<&str> = works.map(|w| session.workloads[w].name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn unmeasured(session: &Session) -> Option<String> {
    let names = named(session, |w| session.stops[w] == Stop::Budget && session.rounds[w] == 0)?;
    Some(format!("the time was over before a round of {names}, which are in no mean"))
}

fn entry(subject: &crate::session::Subject) -> Entry {
    let Allocator { name, base, .. } = &subject.allocator;
    Entry {
        name: subject.name.clone(),
        base: (base != name).then(|| base.clone()),
        settings: subject.allocator.set().iter().map(|set| without_folders(set)).collect(),
        library: subject.allocator.library().and_then(Path::file_name).map(PathBuf::from),
        version: subject.allocator.version.clone(),
        role: subject.role,
    }
}

/// A warning for workloads most of whose runs did not get their processors.
fn starved(session: &Session) -> Option<String> {
    let names = named(session, |w| session.is_by_cpu(w) && !session.workloads[w].alone)?;
    Some(format!(
        "the machine was too busy: processor time is shown instead of wall-clock time, of all runs: {names}"
    ))
}

fn work(session: &Session, workload: WorkloadIndex, seed: u64) -> Work {
    let w = &session.workloads[workload];
    let mut cells: Vec<Cell> =
        session.subject_indices().map(|s| cell(session, workload, s, seed)).collect();
    let control = session.control();
    // One pair has no interval, and so says nothing of noise.
    let noise_floor = control.and_then(|c| cells[c].time?.ratio).filter(|r| r.pairs > 1);
    let noise = control.map(|control| cells[control].clone());
    for (subject, cell) in session.subjects.iter().zip(&mut cells) {
        say_same(cell, noise.as_ref().filter(|_| subject.role == Role::Contender));
    }
    Work {
        name: w.name.clone(),
        group: w.group,
        about: w.about.clone(),
        source: w.source.clone(),
        command: w.argv.iter().map(|word| without_folders(&word.to_string_lossy())).collect(),
        threads: w.threads,
        rounds: session.rounds[workload],
        precise: session.stops[workload] == Stop::Precise,
        by_cpu: session.is_by_cpu(workload),
        by_part: w.by_part,
        replayed: w
            .replayed
            .clone()
            .map(|replayed| compared_to_recording(session, replayed, &cells)),
        alone: w.alone,
        noise_floor: noise_floor.map(|r| r.distance_from_1()),
        curve: w.curve.clone(),
        curves: w.curves.clone().into_iter().chain(shape::curves_by_size(&cells)).collect(),
        text: w.text.clone(),
        cells,
    }
}

/// With what the recorded allocator took in its replay beside what it took when it was recorded.
fn compared_to_recording(session: &Session, replayed: Replayed, cells: &[Cell]) -> Replayed {
    let baseline = session.baseline();
    let is_recorded = replayed.on.as_ref() == Some(&session.subjects[baseline].name);
    let peak = cells[baseline.0].peak_rss.filter(|_| is_recorded).map(|peak| peak.median);
    let error = peak.zip(replayed.recorded_peak).map(|(own, recorded)| own / recorded as f64 - 1.0);
    let [trace, command] = [&replayed.trace, &replayed.command].map(|text| without_folders(text));
    Replayed { error, trace, command, ..replayed }
}

/// Says of each figure whether no difference from the baseline is shown.
fn say_same(cell: &mut Cell, control: Option<&Cell>) {
    let figures: [fn(&mut Cell) -> &mut Option<Compared>; 5] =
        [|c| &mut c.time, |c| &mut c.cpu, |c| &mut c.ns, |c| &mut c.peak_rss, |c| &mut c.faults];
    let mut control = control.cloned();
    for figure in figures {
        let noise = control.as_mut().and_then(|c| *figure(c)).and_then(|c| c.ratio);
        if let Some(Compared { ratio: Some(ratio), same, .. }) = figure(cell) {
            *same = !Claim::of(ratio, noise.map(|r| r.distance_from_1())).is_difference();
        }
    }
}

fn cell(session: &Session, workload: WorkloadIndex, subject: SubjectIndex, seed: u64) -> Cell {
    let s = &session.subjects[subject];
    let baseline = session.baseline();
    let other_work = other_work(session, workload, subject);
    let is_compared = subject != baseline && s.role != Role::Floor && other_work.is_none();
    let compared = |figure: &dyn Fn(&Run) -> Option<f64>| {
        let own = session.column(workload, subject, figure);
        let values: Vec<f64> = own.iter().copied().flatten().collect();
        let ratio = is_compared
            .then(|| session.column(workload, baseline, figure))
            .and_then(|base| Ratio::paired(&own, &base, RESAMPLES, seed));
        Some(Compared { median: median(&values)?, ratio, same: false })
    };
    let figure = |of: fn(&Figures) -> f64| compared(&|run: &Run| Some(of(&run.figures)));
    let details = &session.details[workload][subject];
    let timed = || session.timed(workload, subject);
    let peak_rss = if memory::is_of_many_processes(session, workload) {
        let peak = memory::of_all(session, workload, subject);
        peak.map(|peak| Compared { ratio: peak.ratio.filter(|_| is_compared), ..peak })
    } else {
        figure(|f| f.peak_rss_bytes as f64)
    };
    let peak_live = details.memory.as_ref().and_then(|t| t.peak_live).filter(|live| *live > 0);
    let flagged =
        if session.counts_starved(workload) { 0 } else { timed().filter(|r| r.starved).count() };
    let values = shape::values(details.tail.as_ref(), &details.time);
    // Where its samples do not count, a workload prints what there is to say of its memory.
    let value = |name: &str| values.iter().find(|value| value.name == name).map(|v| v.value);
    Cell {
        runs: timed().count() - flagged,
        flagged,
        failure: session.failures[workload][subject]
            .clone()
            .map(|failure| Failure { stderr: without_folders(&failure.stderr), ..failure }),
        skipped: session.workloads[workload].skips(s).map(str::to_owned),
        refused: timed().map(|r| r.refused).max().unwrap_or(0),
        other_work,
        time: compared(&session.seconds(workload)),
        cpu: compared(&cpu_seconds),
        ns: session.workloads[workload].unit.and_then(|_| compared(&ns_per_call)),
        rss_per_live: peak_rss.zip(peak_live).map(|(peak, live)| peak.median / live as f64),
        peak_rss,
        faults: figure(|f| f.minor_faults as f64),
        counted: counted::of(session, workload, subject),
        programs: programs::of(&details.programs),
        mean_rss: shape::mean_rss(details).or(value("resident.mean")),
        end_rss: details.samples.last().map(|s| s.rss_bytes as f64).or(value("resident.end")),
        tails: shape::tails(details.tail.as_ref(), &details.time),
        rss: shape::rss(details),
        live: shape::live(details),
        series: [
            shape::series(&details.time),
            details.tail.as_ref().map(shape::by_size).unwrap_or_default(),
        ]
        .concat(),
        values,
    }
}

/// Counts of calls that differ by less come from threads that meet each other at other times.
const SAME_WORK: f64 = 0.01;

/// Whether two numbers of calls are those of the same work.
pub(crate) fn is_same_work(own: f64, base: f64) -> bool {
    (own / base - 1.0).abs() <= SAME_WORK
}

/// The share of the baseline's work that a subject did, by the calls that both counted, if that is not the same.
fn other_work(session: &Session, workload: WorkloadIndex, subject: SubjectIndex) -> Option<f64> {
    let calls = |s| {
        let calls = session.timed(workload, s).filter_map(|run| run.ops);
        median(&calls.map(|calls| calls as f64).collect::<Vec<_>>())
    };
    let (own, base) = (calls(subject)?, calls(session.baseline()).filter(|calls| *calls > 0.0)?);
    (!is_same_work(own, base)).then_some(own / base)
}

/// Of the calls that a run counted.
pub(crate) fn ns_per_call(run: &Run) -> Option<f64> {
    let (ops, ns) = (run.ops?, run.ns?);
    (ops > 0).then(|| ns as f64 / ops as f64)
}

#[cfg(test)]
mod tests;
