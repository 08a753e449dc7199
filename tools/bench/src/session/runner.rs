//! The loop: which run comes next, and what becomes of it.

use core::mem;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::thread;
use std::time::Instant;

use super::pace::{Pace, noise};
use super::{
    Failure, How, Observer, Options, Pass, Role, Run, Session, Step, Stop, Subject, SubjectIndex,
    WorkloadIndex,
};
use crate::launch::{Error, Exit, Figures, Job, Launcher, Outcome, Ran};
use crate::metrics::Metrics;
use crate::rng::Rng;
use crate::workload::Workload;
use crate::{machine, warm};

/// How often memory is looked at in the pass for it.
const SAMPLE: Duration = Duration::from_millis(5);

/// The share of a run's processors that others may take before it does not count, beside the grain of the counters.
const OTHERS: f64 = 0.05;

/// The grain of the kernel's processor times, twice.
const GRAIN_NS: f64 = 20e6;

/// Without a limit and a budget, a run may take its expected time times this, and half a minute more.
const LIMIT_FACTOR: u32 = 50;

/// With a budget, a run may take ten times its expected time, or the budget divided by this if that is more.
const BUDGET_SHARE: u32 = 50;

/// Measures every workload under every subject.
///
/// # Errors
///
/// heapwright itself could not do its part before any time was measured. What the programs do is in the session, and so is
/// an error that ended it later.
pub fn run(
    launcher: &Launcher,
    workloads: Vec<Workload>,
    subjects: Vec<Subject>,
    options: &Options,
    observer: &mut dyn Observer,
    interrupted: &AtomicBool,
) -> Result<Session, Error> {
    let names = u32::try_from(subjects.len()).unwrap_or(1);
    let expected = workloads.iter().map(|w| Duration::from_secs_f64(w.seconds.max(0.0)) * names);
    let pace = Pace::new(options.budget, expected.collect());
    let rng = Rng::new(options.seed);
    let session = Session::new(workloads, subjects);
    let mut runner = Runner { launcher, options, observer, interrupted, pace, rng, session };
    match runner.all_passes() {
        Ok(ControlFlow::Continue(())) => {}
        Ok(ControlFlow::Break(())) => runner.session.stops.fill(Stop::Interrupted),
        // The user's signal, as `pkill` sends it, reaches the helper first.
        Err(_) if interrupted.load(Ordering::Relaxed) => {
            runner.session.stops.fill(Stop::Interrupted);
        }
        // An hour of runs is not lost because one helper was killed.
        Err(error) if runner.session.has_times() => {
            runner.session.stops.fill(Stop::Interrupted);
            runner.session.broken = Some(error.to_string());
        }
        Err(error) => return Err(error),
    }
    runner.session.elapsed = runner.pace.elapsed();
    Ok(runner.session)
}

struct Runner<'a> {
    launcher: &'a Launcher,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    interrupted: &'a AtomicBool,
    pace: Pace,
    rng: Rng,
    session: Session,
}

/// Which run is next.
#[derive(Clone, Copy)]
struct Turn {
    workload: WorkloadIndex,
    subject: SubjectIndex,
    pass: Pass,
    round: u32,
    /// Its place in the order of the round.
    place: usize,
}

/// Goes on, or was interrupted.
type Going = Result<ControlFlow<()>, Error>;

impl Runner<'_> {
    fn all_passes(&mut self) -> Going {
        for turn in 0..self.options.warmup {
            let pass = if turn == 0 { Pass::Memory } else { Pass::Time };
            for workload in self.shuffled(self.session.workload_indices()) {
                if self.round(workload, pass, 0)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        let with_tail = |w: &WorkloadIndex| self.session.workloads[*w].tail;
        let timed_calls: Vec<WorkloadIndex> =
            self.session.workload_indices().filter(with_tail).collect();
        if self.options.tails && self.pace.has_time_for(2, &timed_calls) {
            for workload in self.shuffled(timed_calls) {
                if self.round(workload, Pass::Tail, 0)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.timed_rounds()
    }

    fn timed_rounds(&mut self) -> Going {
        let mut going: Vec<WorkloadIndex> = self.session.workload_indices().collect();
        // Those that have run since they were asked whether it is enough: of the others nothing new is known.
        let mut ran = going.clone();
        while !going.is_empty() {
            for workload in mem::take(&mut ran) {
                if let Some(stop) = self.pace.should_stop(&self.session, self.options, workload) {
                    self.session.stops[workload] = stop;
                    going.retain(|w| *w != workload);
                }
            }
            for workload in self.shuffled(self.pace.next(&self.session, self.options, &going)) {
                // The others' rounds of this turn took time.
                if self.pace.is_over(&self.session, self.options, workload) {
                    self.session.stops[workload] = Stop::Budget;
                    going.retain(|w| *w != workload);
                    continue;
                }
                self.session.rounds[workload] += 1;
                let round = self.session.rounds[workload];
                if self.round(workload, Pass::Time, round)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                ran.push(workload);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Every subject once, in random order.
    fn round(&mut self, workload: WorkloadIndex, pass: Pass, round: u32) -> Going {
        let began = Instant::now();
        let noise = noise(&self.session, workload, self.options.seed);
        let takes_part = |s: &SubjectIndex| self.takes_part(workload, *s, pass);
        let subjects: Vec<SubjectIndex> =
            self.session.subject_indices().filter(takes_part).collect();
        for (place, subject) in self.shuffled(subjects).into_iter().enumerate() {
            let step = Step {
                pass,
                round,
                workload: &self.session.workloads[workload].name,
                subject: &self.session.subjects[subject].name,
                share: self.pace.share(&self.session, self.options),
                noise,
            };
            self.observer.running(&step);
            let turn = Turn { workload, subject, pass, round, place };
            if self.once(turn)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if pass != Pass::Tail {
            self.pace.took(workload, pass, began.elapsed());
        }
        Ok(ControlFlow::Continue(()))
    }

    fn takes_part(&self, workload: WorkloadIndex, subject: SubjectIndex, pass: Pass) -> bool {
        let (w, s) = (&self.session.workloads[workload], &self.session.subjects[subject]);
        // Single calls of the control say nothing new; of the null allocator, nothing at all.
        let of_use = pass != Pass::Tail || matches!(s.role, Role::Baseline | Role::Contender);
        of_use && self.session.failures[workload][subject].is_none() && w.skips(s).is_none()
    }

    /// One run.
    fn once(&mut self, turn: Turn) -> Going {
        let Turn { workload, subject, pass, round, .. } = turn;
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(ControlFlow::Break(()));
        }
        self.warm(workload)?;
        let (w, s) = (&self.session.workloads[workload], &self.session.subjects[subject]);
        let argv = w.arguments(&s.allocator, pass);
        let environment = w.variables(s);
        let job = Job {
            file: &w.file,
            argv: &argv,
            environment: &environment,
            show_output: self.options.show_output,
            timeout: self.options.timeout.or_else(|| self.time_limit(workload)),
            cpus: &w.cpus,
            sample: (pass == Pass::Memory).then_some(SAMPLE),
            capture: !self.options.show_output,
        };
        let outcome = self.launcher.run(&job, self.interrupted)?;
        match judge(outcome, self.options.ignore_failure) {
            Judged::Good(ran) => self.keep(*ran, turn),
            Judged::Bad(how, stderr) => {
                let failure = Failure { how, round, stderr };
                self.observer.failed(&w.name, &s.name, &failure);
                self.session.failures[workload][subject] = Some(failure);
            }
            Judged::Interrupted => return Ok(ControlFlow::Break(())),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn keep(&mut self, ran: Ran, turn: Turn) {
        let Turn { workload, subject, pass, round, place } = turn;
        let metrics = Metrics::parse(&ran.printed);
        let starved =
            pass == Pass::Time && is_starved(&self.session.workloads[workload], &ran.figures);
        self.session.runs.push(Run {
            workload,
            allocator: subject,
            round,
            pass,
            place,
            starved,
            ops: metrics.ops,
            ns: metrics.ns,
            refused: metrics.refused,
            figures: ran.figures,
        });
        let details = &mut self.session.details[workload][subject];
        match pass {
            Pass::Memory => {
                details.began_ns = ran.began_ns;
                details.samples = ran.samples;
                details.memory = Some(metrics);
            }
            Pass::Tail => details.tail = Some(metrics),
            Pass::Time if round > 0 => {
                details.time.push(Metrics { live: Vec::new(), histogram: Vec::new(), ..metrics });
            }
            Pass::Time => {}
        }
    }

    fn warm(&self, workload: WorkloadIndex) -> Result<(), Error> {
        if !self.options.warm {
            return Ok(());
        }
        let runs = self.session.runs.iter().filter(|r| r.workload == workload);
        let peak = runs.map(|r| r.figures.peak_rss_bytes).max();
        let peak = peak.unwrap_or(self.session.workloads[workload].warm_bytes);
        match warm::amount(peak, machine::available()) {
            Some(bytes) => self.launcher.warm(bytes),
            None => Ok(()),
        }
    }

    /// How long a run may take when the user set no limit: an allocator that needs an hour for what others do in a second has
    /// failed. `None` for the user's own command.
    fn time_limit(&self, workload: WorkloadIndex) -> Option<Duration> {
        let seconds = self.session.workloads[workload].seconds;
        let seen = self.session.runs.iter().filter(|r| r.workload == workload);
        // On a slow machine all take longer than expected.
        let fastest = Duration::from_nanos(seen.map(|r| r.figures.wall_ns).min().unwrap_or(0));
        (seconds > 0.0)
            .then(|| time_limit(Duration::from_secs_f64(seconds).max(fastest), self.options.budget))
    }

    fn shuffled<T>(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut items: Vec<T> = items.into_iter().collect();
        self.rng.shuffle(&mut items);
        items
    }
}

/// How long a run may take that is expected to take `expected`.
fn time_limit(expected: Duration, budget: Option<Duration>) -> Duration {
    let most = expected * LIMIT_FACTOR + Duration::from_secs(30);
    let fair =
        |budget: Duration| (budget / BUDGET_SHARE).max(expected * 10).max(Duration::from_secs(5));
    budget.map_or(most, |budget| fair(budget).min(most))
}

/// Whether a run did not get the processors that it computes on.
fn is_starved(workload: &Workload, figures: &Figures) -> bool {
    if workload.threads == 0 {
        return false;
    }
    let all = || thread::available_parallelism().map_or(1, core::num::NonZero::get);
    let cpus = if workload.cpus.is_empty() { all() } else { workload.cpus.len() };
    let wall = figures.wall_ns as f64;
    let cpu = (figures.user_us + figures.system_us) as f64 * 1e3;
    let waited = workload.threads == 1 && wall - cpu > OTHERS * wall + GRAIN_NS;
    let others = figures.others_us.map_or(0.0, |us| us as f64 * 1e3);
    waited || others > OTHERS * wall * cpus as f64 + GRAIN_NS
}

enum Judged {
    Good(Box<Ran>),
    Bad(How, String),
    Interrupted,
}

fn judge(outcome: Outcome, ignore_failure: bool) -> Judged {
    match outcome {
        Outcome::Interrupted => Judged::Interrupted,
        Outcome::NotStarted(errno) => Judged::Bad(How::NotStarted(errno), String::new()),
        Outcome::TimedOut(stderr) => Judged::Bad(How::TimedOut, stderr),
        Outcome::Ran(ran) => match ran.figures.exit {
            Exit::Code(0) => Judged::Good(ran),
            Exit::Code(_) if ignore_failure => Judged::Good(ran),
            exit => Judged::Bad(How::Ended(exit), ran.said),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::figures;

    fn ran(exit: Exit) -> Outcome {
        Outcome::Ran(Box::new(Ran {
            figures: Figures { exit, ..figures(1) },
            began_ns: 0,
            said: String::new(),
            printed: String::new(),
            samples: Vec::new(),
        }))
    }

    #[test]
    fn exit_codes_can_be_ignored_but_signals_cannot() {
        let code = |ignore| judge(ran(Exit::Code(1)), ignore);
        assert!(matches!(code(false), Judged::Bad(How::Ended(Exit::Code(1)), _)));
        assert!(matches!(code(true), Judged::Good(_)));
        assert!(matches!(judge(ran(Exit::Signal(11)), true), Judged::Bad(..)));
    }

    #[test]
    fn one_run_does_not_eat_the_budget() {
        let second = Duration::from_secs(1);
        assert_eq!(time_limit(second, None), 80 * second);
        assert_eq!(time_limit(second, Some(180 * second)), 10 * second);
        assert_eq!(time_limit(second / 10, Some(180 * second)), 5 * second);
        assert_eq!(time_limit(second, Some(2_400 * second)), 48 * second);
        assert_eq!(time_limit(second, Some(36_000 * second)), 80 * second);
    }

    #[test]
    fn a_run_that_waits_for_a_processor_is_starved() {
        let mut w = Workload::own("x".into(), "/x".into(), Vec::new());
        let second = |cpu_us, others_us| Figures {
            user_us: cpu_us,
            system_us: 0,
            others_us,
            ..figures(1_000_000_000)
        };
        assert!(!is_starved(&w, &second(100_000, Some(900_000))), "it waits anyway");
        w.threads = 1;
        assert!(!is_starved(&w, &second(960_000, Some(30_000))));
        assert!(is_starved(&w, &second(900_000, None)));
        w.cpus = vec![1];
        assert!(is_starved(&w, &second(990_000, Some(100_000))));
        w.threads = 4;
        assert!(!is_starved(&w, &second(10_000, Some(20_000))), "threads may wait for each other");
    }
}
