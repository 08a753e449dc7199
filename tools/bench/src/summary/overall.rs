//! Each allocator over all workloads.

use super::{memory, ns_per_call};
use crate::result::Overall;
use crate::session::{Role, Session, SubjectIndex, WorkloadIndex, cpu_seconds};
use crate::stats::{Column, OnePair, RESAMPLES_QUICK, Ratio, geometric_mean};

/// By subject.
pub(super) fn of(session: &Session, seed: u64) -> Vec<Overall> {
    let mut all: Vec<Overall> = session.subject_indices().map(|s| one(session, s, seed)).collect();
    mark_fastest(session, &mut all);
    mark_pareto(session, &mut all);
    all
}

fn one(session: &Session, subject: SubjectIndex, seed: u64) -> Overall {
    let baseline = session.baseline();
    if session.subjects[subject].role == Role::Floor {
        return Overall::default();
    }
    // Refusing memory is quick: such a run is no run of the work.
    let both = |w: &WorkloadIndex| {
        [subject, baseline].iter().all(|&s| {
            session.failures[*w][s].is_none()
                && session.timed(*w, s).next().is_some()
                && session.timed(*w, s).all(|run| run.refused == 0)
        })
    };
    let workloads: Vec<WorkloadIndex> = session.workload_indices().filter(both).collect();
    let mean = |one, column: &dyn Fn(WorkloadIndex, SubjectIndex) -> Column| {
        if subject == baseline {
            return Some(Ratio { estimate: 1.0, low: 1.0, high: 1.0, pairs: workloads.len() });
        }
        let pairs: Vec<_> =
            workloads.iter().map(|&w| (column(w, subject), column(w, baseline))).collect();
        geometric_mean(&pairs, one, RESAMPLES_QUICK, seed)
    };
    Overall {
        workloads: workloads.len(),
        time: mean(OnePair::Unknown, &|w, s| session.column(w, s, session.seconds(w))),
        peak_rss: mean(OnePair::Exact, &|w, s| memory::column(session, w, s)),
        cpu: mean(OnePair::Unknown, &|w, s| session.column(w, s, cpu_seconds)),
        ns: mean(OnePair::Unknown, &|w, s| match session.workloads[w].unit {
            Some(_) => session.column(w, s, ns_per_call),
            None => Column::new(),
        }),
        is_fastest: false,
        is_pareto: false,
    }
}

/// Those that are compared as wholes: not the control, not the null allocator, and nobody who ended fewer workloads than
/// others.
fn contestants(session: &Session, all: &[Overall]) -> Vec<SubjectIndex> {
    let most = all.iter().map(|o| o.workloads).max().unwrap_or(0);
    let takes_part = |s: &SubjectIndex| {
        matches!(session.subjects[*s].role, Role::Baseline | Role::Contender)
            && all[s.0].workloads == most
            && most > 0
    };
    session.subject_indices().filter(takes_part).collect()
}

/// Only if every ratio compared has at least two pairs (one pair has no interval; the baseline's own, 1, needs none), and the
/// lead is more than the control's noise.
fn mark_fastest(session: &Session, all: &mut [Overall]) {
    let mut times: Vec<(SubjectIndex, Ratio)> =
        contestants(session, all).into_iter().filter_map(|s| Some((s, all[s.0].time?))).collect();
    times.sort_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate));
    let has_interval = |t: &(SubjectIndex, Ratio)| t.0 == session.baseline() || t.1.pairs > 1;
    let control = session.control();
    let noise = control.and_then(|c| all[c.0].time).map_or(0.0, |r| r.distance_from_1());
    if let [first, second, ..] = times[..]
        && times.iter().all(has_interval)
        && first.1.high < second.1.low
        && (second.1.estimate / first.1.estimate).ln() > noise.ln_1p()
    {
        all[first.0.0].is_fastest = true;
    }
}

fn mark_pareto(session: &Session, all: &mut [Overall]) {
    let points: Vec<(SubjectIndex, f64, f64)> = contestants(session, all)
        .into_iter()
        .filter_map(|s| Some((s, all[s.0].time?.estimate, all[s.0].peak_rss?.estimate)))
        .collect();
    for &(s, time, peak) in &points {
        let is_beaten = points
            .iter()
            .any(|&(o, t, p)| o != s && t <= time && p <= peak && (t, p) != (time, peak));
        all[s.0].is_pareto = !is_beaten;
    }
}
