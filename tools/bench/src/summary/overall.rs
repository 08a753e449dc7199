//! Each allocator over all workloads.

use super::{counted, memory, ns_per_call, other_work};
use crate::result::Overall;
use crate::session::{Role, Session, SubjectIndex, WorkloadIndex, cpu_seconds};
use crate::stats::{Column, ENOUGH_PAIRS, OnePair, RESAMPLES_QUICK, Ratio, geometric_mean};

pub(super) fn of(session: &Session, seed: u64) -> Vec<Overall> {
    let mut all: Vec<Overall> = session.subject_indices().map(|s| one(session, s, seed)).collect();
    mark_pareto(session, &mut all);
    all
}

fn one(session: &Session, subject: SubjectIndex, seed: u64) -> Overall {
    let baseline = session.baseline();
    if session.subjects[subject].role == Role::Floor {
        return Overall::default();
    }
    // To refuse memory is quick, and so is to do less.
    let both = |w: &WorkloadIndex| {
        let is_compared = !session.workloads[*w].alone;
        is_compared
            && [subject, baseline].iter().all(|&s| {
                session.failures[*w][s].is_none()
                    && session.has_run(*w, s)
                    && session.timed(*w, s).all(|run| run.refused == 0)
                    && other_work(session, *w, s).is_none()
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
        counted: counted::means(session, &workloads, subject),
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

/// Nobody, from fewer rounds than a claim needs.
fn mark_pareto(session: &Session, all: &mut [Overall]) {
    let contestants = contestants(session, all);
    let is_few = |s: &SubjectIndex| all[s.0].time.is_some_and(|time| time.pairs < ENOUGH_PAIRS);
    if contestants.iter().any(|s| *s != session.baseline() && is_few(s)) {
        return;
    }
    Overall::mark_pareto(all, contestants.into_iter().map(|s| s.0));
}
