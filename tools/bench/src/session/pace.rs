//! How much longer to measure, and what.

use core::time::Duration;
use std::time::Instant;

use super::share::{self, Candidate};
use super::{
    LEAST_ROUNDS, MOST_ROUNDS, Options, PRECISE, Pass, ROUNDS_BEFORE_PRECISE, Role, Session, Stop,
    WorkloadIndex,
};
use crate::definition::Group;
use crate::stats::{RESAMPLES_QUICK, Ratio};

/// Knows how far the measurement is, and what a round of each workload takes.
#[derive(Debug)]
pub(super) struct Pace {
    started: Instant,
    budget: Option<Duration>,
    known: Vec<Known>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    cost: Duration,
    spent: Duration,
}

impl Pace {
    pub(super) fn new(budget: Option<Duration>, expected: Vec<Duration>) -> Self {
        let known =
            expected.into_iter().map(|cost| Known { cost, spent: Duration::ZERO }).collect();
        Self { started: Instant::now(), budget, known }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn took(&mut self, workload: WorkloadIndex, pass: Pass, time: Duration) {
        self.known[workload].cost = time;
        if pass == Pass::Time {
            self.known[workload].spent += time;
        }
    }

    /// Which of `going` run a round before this is asked again. All do, but with a budget, once all have the rounds before
    /// precision counts, those that had less time than the others will have ([`share`]).
    pub(super) fn next(
        &self,
        session: &Session,
        options: &Options,
        going: &[WorkloadIndex],
    ) -> Vec<WorkloadIndex> {
        let Some(budget) = self.budget.filter(|_| options.rounds.is_none()) else {
            return going.to_vec();
        };
        if going.iter().any(|&w| session.rounds[w] < ROUNDS_BEFORE_PRECISE) {
            return going.to_vec();
        }
        let candidate = |&workload: &WorkloadIndex| {
            let Known { cost, spent } = self.known[workload];
            Candidate { workload, cost, spent }
        };
        let candidates: Vec<Candidate> = going.iter().map(candidate).collect();
        share::next(&candidates, budget.saturating_sub(self.elapsed()))
    }

    /// Whether a pass of `factor` rounds of each of `workloads` leaves time for the least rounds of all.
    pub(super) fn has_time_for(&self, factor: u32, workloads: &[WorkloadIndex]) -> bool {
        let Some(budget) = self.budget else { return true };
        let pass: Duration = workloads.iter().map(|&w| self.known[w].cost * factor).sum();
        let rest: Duration = self.known.iter().map(|k| k.cost * LEAST_ROUNDS).sum();
        self.elapsed() + pass + rest <= budget
    }

    /// Whether to end `workload` before its next round, and why.
    pub(super) fn should_stop(
        &self,
        session: &Session,
        options: &Options,
        workload: WorkloadIndex,
    ) -> Option<Stop> {
        if session.failed_everywhere(workload) {
            return Some(Stop::Failed);
        }
        let measured = session.rounds[workload];
        if options.rounds.is_some_and(|n| measured >= n) {
            return Some(Stop::Rounds);
        }
        if self.is_over(session, options, workload) {
            return Some(Stop::Budget);
        }
        if options.rounds.is_some() {
            return None;
        }
        if measured >= MOST_ROUNDS {
            return Some(Stop::Rounds);
        }
        let precise =
            measured >= ROUNDS_BEFORE_PRECISE && is_precise(session, workload, options.seed);
        precise.then_some(Stop::Precise)
    }

    /// Whether one more round would end beyond the budget; the least rounds, beyond a tenth more than it. Of the user's own program,
    /// of which nobody knows how long it takes, one is made all the same.
    pub(super) fn is_over(
        &self,
        session: &Session,
        options: &Options,
        workload: WorkloadIndex,
    ) -> bool {
        let Some(budget) = self.budget else { return false };
        let measured = session.rounds[workload];
        if measured == 0 && session.workloads[workload].group == Group::Own {
            return false;
        }
        let least = options.rounds.unwrap_or(LEAST_ROUNDS).min(LEAST_ROUNDS);
        let end = if measured >= least { budget } else { budget + budget / 10 };
        self.elapsed() + self.known[workload].cost > end
    }

    /// The share of the work that is done: by time where time decides, else by rounds.
    pub(super) fn share(&self, session: &Session, options: &Options) -> f64 {
        let by_time = self.budget.map_or(0.0, |b| self.elapsed().as_secs_f64() / b.as_secs_f64());
        let goal = options.rounds.unwrap_or(ROUNDS_BEFORE_PRECISE).max(1);
        let done: u32 = session.rounds.iter().map(|r| (*r).min(goal)).sum();
        let all = f64::from(goal) * session.rounds.len().max(1) as f64;
        let by_rounds = f64::from(done) / all;
        let share = if self.budget.is_some() { by_time } else { by_rounds };
        share.clamp(0.0, 1.0)
    }
}

fn is_precise(session: &Session, workload: WorkloadIndex, seed: u64) -> bool {
    let times = |subject| session.column(workload, subject, session.seconds(workload));
    let baseline = times(session.baseline());
    let w = &session.workloads[workload];
    session
        .subject_indices()
        .filter(|&s| s != session.baseline() && session.subjects[s].role != Role::Floor)
        .filter(|&s| {
            session.failures[workload][s].is_none() && w.skips(&session.subjects[s]).is_none()
        })
        .all(|s| {
            Ratio::paired(&times(s), &baseline, RESAMPLES_QUICK, seed)
                .is_some_and(|r| r.margin() <= PRECISE * r.estimate)
        })
}

/// Half the width of the control's interval.
pub(super) fn noise(session: &Session, workload: WorkloadIndex, seed: u64) -> Option<f64> {
    let control = session.control()?;
    let times = |subject| session.column(workload, subject, session.seconds(workload));
    let ratio = Ratio::paired(&times(control), &times(session.baseline()), RESAMPLES_QUICK, seed)?;
    (ratio.pairs > 1).then(|| ratio.margin())
}
