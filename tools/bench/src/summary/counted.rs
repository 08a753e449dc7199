//! From what was counted to figures of a result.

use std::collections::BTreeMap;

use crate::fail_if::Metric;
use crate::result::{Compared, Count};
use crate::session::{Role, Session, SubjectIndex, WorkloadIndex};
use crate::stats::{Ratio, median};

/// What was counted in a cell, beside the baseline's.
pub(super) fn of(
    session: &Session,
    workload: WorkloadIndex,
    subject: SubjectIndex,
) -> BTreeMap<Metric, Count> {
    let baseline = session.baseline();
    let is_compared = subject != baseline && session.subjects[subject].role != Role::Floor;
    let base = if is_compared { counts(session, workload, baseline) } else { BTreeMap::new() };
    let mut own = counts(session, workload, subject);
    for (metric, count) in &mut own {
        count.compared.ratio = base.get(metric).and_then(|base| count.over(base));
    }
    own
}

fn counts(
    session: &Session,
    workload: WorkloadIndex,
    subject: SubjectIndex,
) -> BTreeMap<Metric, Count> {
    let one = |(metric, runs): (&Metric, &Vec<f64>)| {
        let compared = Compared { median: median(runs)?, ratio: None, same: false };
        let ends = |far: fn(f64, f64) -> f64| runs.iter().copied().reduce(far);
        Some((*metric, Count { compared, least: ends(f64::min)?, most: ends(f64::max)? }))
    };
    session.counts[workload][subject].iter().filter_map(one).collect()
}

/// The geometric means of the ratios of `subject` over `workloads`, of what was counted in all of them.
pub(super) fn means(
    session: &Session,
    workloads: &[WorkloadIndex],
    subject: SubjectIndex,
) -> BTreeMap<Metric, Ratio> {
    if subject == session.baseline() {
        let itself = Ratio { pairs: workloads.len(), ..Ratio::EXACT };
        return Metric::COUNTED.map(|metric| (metric, itself)).into();
    }
    let cells: Vec<_> = workloads.iter().map(|work| of(session, *work, subject)).collect();
    let mean = |metric: Metric| {
        let ratio = |cell: &BTreeMap<Metric, Count>| cell.get(&metric)?.compared.ratio;
        let ratios: Vec<Ratio> = cells.iter().map(ratio).collect::<Option<_>>()?;
        let of = |end: fn(&Ratio) -> f64| {
            (ratios.iter().map(|ratio| end(ratio).ln()).sum::<f64>() / ratios.len() as f64).exp()
        };
        let pairs = ratios.iter().map(|ratio| ratio.pairs).min()?;
        Some((
            metric,
            Ratio { estimate: of(|r| r.estimate), low: of(|r| r.low), high: of(|r| r.high), pairs },
        ))
    };
    Metric::COUNTED.into_iter().filter_map(mean).collect()
}
