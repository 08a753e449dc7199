//! The loop: which run comes next, and what becomes of it.

use core::mem;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::ffi::OsString;
use std::thread;
use std::time::Instant;

use fastrand::Rng;
use launch::Exit;
use launch::environment::PRELOAD;
use launch::follow::Program;

use super::pace::{Pace, noise};
use super::{
    Failure, How, Observer, Options, Pass, Role, Run, Session, Step, Stop, Subject, SubjectIndex,
    WorkloadIndex,
};
use crate::definition::Group;
use crate::measured::{Error, Figures, Job, Launcher, Outcome, Ran};
use crate::metrics::Metrics;
use crate::workload::Workload;
use crate::{machine, warm};

/// How often memory is looked at in the pass for it.
const SAMPLE: Duration = Duration::from_millis(5);

/// The share of a run's processors that others may take before it does not count, beside the grain of the counters.
const OTHERS: f64 = 0.05;

/// The grain of the kernel's processor times, twice.
const GRAIN_NS: f64 = 20e6;

/// A run may take its expected time times this, and half a minute more; with a budget, only the baseline's.
const LIMIT_FACTOR: u32 = 50;

/// With a budget, a run may take ten times its expected time, or the budget divided by this if that is more.
const BUDGET_SHARE: u32 = 50;

/// A run of the user's own program may take the budget times this, or ten times as long as the baseline's.
const OWN_SHARE: u32 = 2;

/// The share of what a run computed that has to be on the malloc that its column is named for. The rest may be a load generator,
/// or what a script starts beside the program.
const OWN_MALLOC: f64 = 0.1;

/// Measures every workload under every subject.
/// Errors: heapwright itself could not do its part before any time was measured. What the programs do is in the
/// session, and so is an error that ended it later.
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
    let rng = Rng::with_seed(options.seed);
    let session = Session::new(workloads, subjects);
    let mut runner = Runner { launcher, options, observer, interrupted, pace, rng, session };
    match runner.all_passes() {
        Ok(()) => {}
        Err(None) => runner.session.stops.fill(Stop::Interrupted),
        // The user's signal, as `pkill` sends it, reaches the helper first.
        Err(_) if interrupted.load(Ordering::Relaxed) => {
            runner.session.stops.fill(Stop::Interrupted);
        }
        // An hour of runs is not lost because one helper was killed.
        Err(Some(error)) if runner.session.has_times() => {
            runner.session.stops.fill(Stop::Interrupted);
            runner.session.broken = Some(error.to_string());
        }
        Err(Some(error)) => return Err(error),
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

#[derive(Clone, Copy)]
struct Turn {
    workload: WorkloadIndex,
    subject: SubjectIndex,
    pass: Pass,
    round: u32,
    place: usize,
}

/// An error is why no run follows: the user interrupted, or heapwright could not do its part.
type Going = Result<(), Option<Error>>;

impl Runner<'_> {
    fn all_passes(&mut self) -> Going {
        for turn in 0..self.options.warmup {
            let pass = if turn == 0 { Pass::Memory } else { Pass::Time };
            for workload in self.shuffled(self.session.workload_indices()) {
                if self.pace.is_over(&self.session, self.options, workload) {
                    continue;
                }
                self.round(workload, pass, 0)?;
            }
        }
        let with_tail = |w: &WorkloadIndex| self.session.workloads[*w].tail;
        let timed_calls: Vec<WorkloadIndex> =
            self.session.workload_indices().filter(with_tail).collect();
        if self.options.tails && self.pace.has_time_for(2, &timed_calls) {
            for workload in self.shuffled(timed_calls) {
                self.round(workload, Pass::Tail, 0)?;
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
                self.round(workload, Pass::Time, round)?;
                ran.push(workload);
            }
        }
        Ok(())
    }

    /// Every subject once, in random order.
    fn round(&mut self, workload: WorkloadIndex, pass: Pass, round: u32) -> Going {
        let began = Instant::now();
        let noise = noise(&self.session, workload, self.options.seed);
        let takes_part = |s: &SubjectIndex| self.takes_part(workload, *s, pass);
        let subjects: Vec<SubjectIndex> =
            self.session.subject_indices().filter(takes_part).collect();
        let mut order = self.shuffled(subjects);
        if pass == Pass::Memory {
            // Not timed; and the others' limits go by it, under the same load.
            order.sort_by_key(|s| *s != self.session.baseline());
            if self.session.workloads[workload].keeps_files() {
                // The second look at the baseline counts: it finds what the first run made, as everyone does.
                order.insert(0, self.session.baseline());
            }
        }
        for (place, subject) in order.into_iter().enumerate() {
            // The baseline may have failed for all.
            if !self.takes_part(workload, subject, pass) {
                continue;
            }
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
            self.once(turn)?;
        }
        if pass != Pass::Tail {
            self.pace.took(workload, pass, began.elapsed());
        }
        Ok(())
    }

    fn takes_part(&self, workload: WorkloadIndex, subject: SubjectIndex, pass: Pass) -> bool {
        let (w, s) = (&self.session.workloads[workload], &self.session.subjects[subject]);
        // Single calls of the control say nothing new; of the null allocator, nothing at all.
        let of_use = pass != Pass::Tail || matches!(s.role, Role::Baseline | Role::Contender);
        of_use && self.session.failures[workload][subject].is_none() && w.skips(s).is_none()
    }

    fn once(&mut self, turn: Turn) -> Going {
        let Turn { workload, subject, pass, round, .. } = turn;
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(None);
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
            timeout: self.options.timeout,
            limit: limit(&self.session, self.options, workload, subject),
            service: w.service.as_ref(),
            cpus: &w.cpus,
            sample: (pass == Pass::Memory).then_some(SAMPLE),
            capture: !self.options.show_output,
        };
        let outcome = self.launcher.run(&job, self.interrupted)?;
        let (how, stderr) = match judge(outcome, self.options.ignore_failure) {
            Judged::Good(ran) => match other_malloc(&ran.programs) {
                Some(said) if asked_for(s, &environment) && !self.options.any_malloc => {
                    (How::OtherMalloc, said)
                }
                _ => {
                    self.keep(*ran, turn);
                    return Ok(());
                }
            },
            Judged::Bad(How::TimedOut, stderr) if is_own(w) && self.options.timeout.is_none() => {
                (How::NotEnded, stderr)
            }
            Judged::Bad(how, stderr) => (how, stderr),
            Judged::Interrupted => return Err(None),
        };
        let failure = Failure { how, round, stderr };
        let is_vain = matches!(how, How::NotEnded | How::NotDriven | How::EndedEarly);
        if is_vain && s.role == Role::Baseline {
            // No allocator makes a server end, or its driver know it: to wait as long for each would say the same.
            self.session.failures[workload].fill(Some(failure));
        } else {
            self.observer.failed(&w.name, &s.name, &failure);
            self.session.failures[workload][subject] = Some(failure);
        }
        Ok(())
    }

    fn keep(&mut self, ran: Ran, turn: Turn) {
        let Turn { workload, subject, pass, round, place } = turn;
        let metrics = Metrics::parse(&ran.printed);
        let mut ran = ran;
        if let Some(peak) = metrics.peak_resident {
            ran.figures.peak_rss_bytes = peak;
            ran.samples.clear();
        }
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
        add(&mut details.programs, ran.programs);
        match pass {
            Pass::Memory => {
                details.began_ns = ran.began_ns;
                details.samples = ran.samples;
                details.memory = Some(metrics);
            }
            Pass::Tail => details.tail = Some(metrics),
            Pass::Time if round > 0 => {
                details.time.push(Metrics { live: Vec::new(), ..metrics });
            }
            Pass::Time | Pass::Count => {}
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

    fn shuffled<T>(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut items: Vec<T> = items.into_iter().collect();
        self.rng.shuffle(&mut items);
        items
    }
}

fn is_own(workload: &Workload) -> bool {
    workload.group == Group::Own
}

/// Whether `environment` puts a program on the allocator of `subject`.
pub(super) fn asked_for(subject: &Subject, environment: &[(OsString, OsString)]) -> bool {
    subject.allocator.in_process.is_none() && environment.iter().any(|(key, _)| key == PRELOAD)
}

/// What a run computed on if that was mostly not the malloc that it was given, in words.
pub(super) fn other_malloc(programs: &[Program]) -> Option<String> {
    let all: u64 = programs.iter().map(|p| p.cpu_us).sum();
    let on_it: u64 = programs.iter().filter(|p| p.malloc.is_none()).map(|p| p.cpu_us).sum();
    if all == 0 || on_it as f64 >= OWN_MALLOC * all as f64 {
        return None;
    }
    let others = programs.iter().filter_map(|p| Some((p, p.malloc.as_ref()?)));
    let (most, malloc) = others.max_by_key(|(p, _)| p.cpu_us)?;
    let share = 100.0 * most.cpu_us as f64 / all as f64;
    Some(format!("{} ran on {malloc} ({share:.0} % of the processor time)", most.name))
}

pub(super) fn add(all: &mut Vec<Program>, seen: Vec<Program>) {
    for one in seen {
        match all.iter_mut().find(|p| (&p.name, &p.malloc) == (&one.name, &one.malloc)) {
            Some(same) => same.cpu_us += one.cpu_us,
            None => all.push(one),
        }
    }
}

/// How long a run may take when the user set no limit: an allocator that needs an hour for what the baseline does in a second has
/// failed. The baseline itself is not held to that.
fn limit(
    session: &Session,
    options: &Options,
    workload: WorkloadIndex,
    subject: SubjectIndex,
) -> Option<Duration> {
    let w = &session.workloads[workload];
    if options.timeout.is_some() || w.service.is_some() {
        return None;
    }
    let is_base =
        |s: SubjectIndex| matches!(session.subjects[s].role, Role::Baseline | Role::Control);
    // On a slow or busy machine all take longer than expected.
    let of_base = session.runs.iter().filter(|r| r.workload == workload && is_base(r.allocator));
    let slowest = Duration::from_nanos(of_base.map(|r| r.figures.wall_ns).max().unwrap_or(0));
    if is_own(w) {
        return Some((options.budget? * OWN_SHARE).max(slowest * 10));
    }
    let expected = Duration::from_secs_f64(w.seconds).max(slowest);
    Some(time_limit(expected, options.budget.filter(|_| !is_base(subject))))
}

/// How long a run may take that is expected to take `expected`.
pub(super) fn time_limit(expected: Duration, budget: Option<Duration>) -> Duration {
    let most = expected * LIMIT_FACTOR + Duration::from_secs(30);
    let fair =
        |budget: Duration| (budget / BUDGET_SHARE).max(expected * 10).max(Duration::from_secs(5));
    budget.map_or(most, |budget| fair(budget).min(most))
}

/// Whether a run did not get the processors that it computes on.
fn is_starved(workload: &Workload, figures: &Figures) -> bool {
    if workload.threads == 0 {
        return had_to_wait(figures);
    }
    let all = || thread::available_parallelism().map_or(1, core::num::NonZero::get);
    let cpus = if workload.cpus.is_empty() { all() } else { workload.cpus.len() };
    let wall = figures.wall_ns as f64;
    let cpu = (figures.user_us + figures.system_us) as f64 * 1e3;
    let waited = workload.threads == 1 && wall - cpu > OTHERS * wall + GRAIN_NS;
    let others = figures.others_us.map_or(0.0, |us| us as f64 * 1e3);
    waited || others > OTHERS * wall * cpus as f64 + GRAIN_NS
}

/// The same of a program of which nobody knows how many threads it has: they waited for processors that others had. Its threads
/// may wait for each other while nobody else computes, and others may compute where it would not.
fn had_to_wait(figures: &Figures) -> bool {
    let Some(waited) = figures.waited_us else { return false };
    let lost = figures.others_us.map_or(waited, |others| others.min(waited)) as f64 * 1e3;
    let cpu = (figures.user_us + figures.system_us) as f64 * 1e3;
    lost > OTHERS * cpu.max(figures.wall_ns as f64) + GRAIN_NS
}

pub(super) enum Judged {
    Good(Box<Ran>),
    Bad(How, String),
    Interrupted,
}

pub(super) fn judge(outcome: Outcome, ignore_failure: bool) -> Judged {
    match outcome {
        Outcome::Interrupted => Judged::Interrupted,
        Outcome::NotStarted(errno) => Judged::Bad(How::NotStarted(errno), String::new()),
        Outcome::TimedOut(stderr) => Judged::Bad(How::TimedOut, stderr),
        Outcome::NotDriven(stderr) => Judged::Bad(How::NotDriven, stderr),
        Outcome::EndedEarly(stderr) => Judged::Bad(How::EndedEarly, stderr),
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
    use crate::testing::{self, figures};

    fn ran(exit: Exit) -> Outcome {
        Outcome::Ran(Box::new(Ran {
            figures: Figures { exit, ..figures(1) },
            began_ns: 0,
            said: String::new(),
            printed: String::new(),
            samples: Vec::new(),
            programs: Vec::new(),
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
    fn the_limit_goes_by_the_baseline_which_has_none_of_its_own() {
        // The baseline took 20 seconds under some load, of the one that is expected.
        let mut session = testing::session(&["x"], 1, |_, _| 20_000_000_000);
        (session.workloads[0].group, session.workloads[0].seconds) = (Group::Ours, 1.0);
        let second = Duration::from_secs(1);
        let mut options = Options { budget: Some(60 * second), ..testing::options() };
        let of = |session: &Session, options: &Options, subject| {
            limit(session, options, WorkloadIndex(0), SubjectIndex(subject))
        };
        let all = [0, 1, 2].map(|subject| of(&session, &options, subject));
        assert_eq!(all, [1030 * second, 1030 * second, 200 * second].map(Some));
        session.workloads[0].group = Group::Own;
        assert_eq!(of(&session, &options, 2), Some(200 * second));
        session.runs.clear();
        assert_eq!(of(&session, &options, 0), Some(120 * second), "twice the time");
        options.timeout = Some(second);
        assert_eq!(of(&session, &options, 0), None, "the user's word");
    }

    #[test]
    fn a_run_on_another_malloc_is_told_from_one_with_helpers_on_others() {
        let program = |name: &str, malloc: Option<&str>, cpu_us| Program {
            name: name.to_owned(),
            malloc: malloc.map(str::to_owned),
            cpu_us,
        };
        let (sh, server) =
            (program("sh", None, 10), program("server", Some("libjemalloc.so.2"), 990));
        let said = "server ran on libjemalloc.so.2 (99 % of the processor time)";
        assert_eq!(other_malloc(&[sh.clone(), server.clone()]).as_deref(), Some(said));
        assert_eq!(other_malloc(&[program("a", None, 110), server.clone()]), None);
        assert_eq!(
            (other_malloc(&[]), other_malloc(&[program("a", Some("glibc"), 0)])),
            (None, None)
        );
        let mut all = vec![sh.clone()];
        add(&mut all, vec![server, sh]);
        assert_eq!(all.iter().map(|p| p.cpu_us).collect::<Vec<_>>(), [20, 990]);
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
        let own = |waited_us, others_us| Figures {
            waited_us: Some(waited_us),
            ..second(600_000, Some(others_us))
        };
        assert!(is_starved(&w, &own(400_000, 1_400_000)));
        assert!(!is_starved(&w, &own(400_000, 10_000)), "its threads wait for each other");
        assert!(!is_starved(&w, &own(10_000, 900_000)), "others had another processor");
        w.threads = 1;
        assert!(!is_starved(&w, &second(960_000, Some(30_000))));
        assert!(is_starved(&w, &second(900_000, None)));
        w.cpus = vec![1];
        assert!(is_starved(&w, &second(990_000, Some(100_000))));
        w.threads = 4;
        assert!(!is_starved(&w, &second(10_000, Some(20_000))), "threads may wait for each other");
    }
}
