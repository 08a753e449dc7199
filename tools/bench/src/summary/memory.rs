//! The peak of memory: of one process as the kernel counts it, or of several together as sampled.
//!
//! The kernel knows the peak of each process exactly, and of a tree of processes nothing: there the highest of the samples
//! of one run counts. Which of the two a workload has is decided once, for all allocators.

use crate::result::Compared;
use crate::session::{Session, SubjectIndex, WorkloadIndex};
use crate::stats::{Column, Ratio, median};

/// Whether sampled runs show that several processes had memory at once, on most allocators.
pub(super) fn is_of_many_processes(session: &Session, workload: WorkloadIndex) -> bool {
    let share = |s: SubjectIndex| {
        let largest = largest_process(session, workload, s).into_iter().flatten();
        let largest = median(&largest.collect::<Vec<_>>())?;
        Some(sampled(session, workload, s)? / largest)
    };
    let shares: Vec<f64> = session.subject_indices().filter_map(share).collect();
    median(&shares).is_some_and(|share| share > 1.1)
}

/// The peaks of the rounds; of several processes the only one there is.
pub(super) fn column(session: &Session, workload: WorkloadIndex, subject: SubjectIndex) -> Column {
    if is_of_many_processes(session, workload) {
        vec![sampled(session, workload, subject)]
    } else {
        largest_process(session, workload, subject)
    }
}

/// The peak of all processes beside the baseline's. It is one run's, so it has no interval.
pub(super) fn of_all(
    session: &Session,
    workload: WorkloadIndex,
    subject: SubjectIndex,
) -> Option<Compared> {
    let own = sampled(session, workload, subject)?;
    let ratio = (subject != session.baseline())
        .then(|| sampled(session, workload, session.baseline()))
        .flatten()
        .map(|base| Ratio { estimate: own / base, low: own / base, high: own / base, pairs: 1 });
    Some(Compared { median: own, ratio, same: false })
}

fn largest_process(session: &Session, workload: WorkloadIndex, subject: SubjectIndex) -> Column {
    session.column(workload, subject, |run| Some(run.figures.peak_rss_bytes as f64))
}

/// The most that all processes of the sampled run had together.
fn sampled(session: &Session, workload: WorkloadIndex, subject: SubjectIndex) -> Option<f64> {
    let samples = &session.details[workload][subject].samples;
    samples.iter().map(|s| s.rss_bytes as f64).reduce(f64::max)
}
