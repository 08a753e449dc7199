//! A whole measurement: the same program under every subject, round after round, until it is known well enough.
//!
//! One round runs every subject once, in a fresh random order. The first rounds are thrown away: they fill the page
//! cache. The baseline runs twice in each round under two names; what those two differ by is noise (the A/A control).
//! A subject that fails is a result, and is not run again.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::ffi::OsString;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::allocator::{Allocator, GLIBC};
use crate::launch::{Error, Exit, Figures, Job, Launcher, Outcome};
use crate::machine;
use crate::plan::Plan;
use crate::stats::{RESAMPLES_QUICK, Ratio};
use crate::warm;

/// No measurement ends with fewer rounds because of its time budget.
pub const LEAST_ROUNDS: u32 = 3;

/// Precision is not asked about before so many rounds: an interval from fewer is luck.
pub const ROUNDS_BEFORE_PRECISE: u32 = 10;

/// More rounds than this make nothing clearer.
pub const MOST_ROUNDS: u32 = 200;

/// Precise enough: every interval of the time ratio is within so much of its estimate.
pub const PRECISE: f64 = 0.01;

/// What a subject is in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What all are compared with.
    Baseline,
    /// The baseline once more.
    Control,
    /// All others.
    Contender,
}

/// One name in the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name in tables.
    pub name: String,
    /// The allocator behind it.
    pub allocator: Allocator,
    /// Its part.
    pub role: Role,
}

/// Makes subjects of `allocators`: glibc, or else the first, is the baseline and gets its control beside it.
#[must_use]
pub fn line_up(allocators: Vec<Allocator>) -> Vec<Subject> {
    let baseline = allocators.iter().position(|a| a.name == GLIBC).unwrap_or(0);
    let mut subjects = Vec::new();
    for (i, allocator) in allocators.into_iter().enumerate() {
        let role = if i == baseline { Role::Baseline } else { Role::Contender };
        let control = (i == baseline).then(|| Subject {
            name: format!("{} again", allocator.name),
            allocator: allocator.clone(),
            role: Role::Control,
        });
        subjects.push(Subject { name: allocator.name.clone(), allocator, role });
        subjects.extend(control);
    }
    subjects
}

/// How long, how often, in which order.
#[derive(Debug, Clone)]
pub struct Options {
    /// Rounds that are thrown away.
    pub warmup: u32,
    /// Exactly so many measured rounds, time permitting; otherwise as many as precision needs.
    pub rounds: Option<u32>,
    /// Ends the measurement before a round that would go beyond it.
    pub budget: Option<Duration>,
    /// Decides the orders.
    pub seed: u64,
    /// Warms the machine's memory before each run.
    pub warm: bool,
    /// Exit codes other than 0 are no failure.
    pub ignore_failure: bool,
    /// Let the program's output through.
    pub show_output: bool,
    /// A run that takes longer has failed.
    pub timeout: Option<Duration>,
}

/// Why a subject dropped out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub how: How,
    /// In which round; the warm-up is round 0.
    pub round: u32,
    /// The end of what the program said on standard error.
    pub stderr: String,
}

/// What happened to a subject that dropped out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It ended by itself, wrongly.
    Ended(Exit),
    /// The kernel refused to execute it.
    NotStarted(i32),
    /// It took longer than the limit.
    TimedOut,
}

/// One run that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The round, from 1; the warm-up is round 0.
    pub round: u32,
    /// Its place in the order of that round.
    pub place: usize,
    /// Which subject, as an index.
    pub subject: usize,
    /// What was measured.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Why the measurement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// All rounds that were asked for are done.
    Rounds,
    /// The intervals are narrow enough.
    Precise,
    /// The time budget is used up.
    Budget,
    /// The user interrupted.
    Interrupted,
    /// Nothing is left to run: every subject failed.
    Failed,
}

/// Everything that was measured.
#[derive(Debug, Clone)]
pub struct Session {
    /// The subjects.
    pub subjects: Vec<Subject>,
    /// Why a subject dropped out, by subject.
    pub failures: Vec<Option<Failure>>,
    /// Every run, warm-up included, in the order in which they happened.
    pub runs: Vec<Run>,
    /// Measured rounds, the last one perhaps incomplete.
    pub rounds: u32,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took.
    pub elapsed: Duration,
}

/// Is told what happens, to draw a progress bar.
pub trait Observer {
    /// Before each run: `share` of the work is done, as far as one can tell.
    fn running(&mut self, round: u32, subject: &str, share: f64);
    /// When a subject drops out.
    fn failed(&mut self, subject: &str, failure: &Failure);
}

impl Session {
    fn new(subjects: Vec<Subject>) -> Self {
        Self {
            failures: vec![None; subjects.len()],
            subjects,
            runs: Vec::new(),
            rounds: 0,
            stop: Stop::Rounds,
            elapsed: Duration::ZERO,
        }
    }

    /// The place of the baseline among the subjects.
    #[must_use]
    pub fn baseline(&self) -> usize {
        self.subjects.iter().position(|s| s.role == Role::Baseline).unwrap_or(0)
    }

    /// A figure of one subject, by measured round; `None` where it has no run.
    #[must_use]
    pub fn column(&self, subject: usize, figure: fn(&Figures) -> f64) -> Vec<Option<f64>> {
        let mut column = vec![None; usize::try_from(self.rounds).unwrap_or(0)];
        for run in self.runs.iter().filter(|r| r.subject == subject && r.round > 0) {
            let place = usize::try_from(run.round - 1).unwrap_or(usize::MAX);
            if let Some(cell) = column.get_mut(place) {
                *cell = Some(figure(&run.figures));
            }
        }
        column
    }

    /// The largest peak of any run so far, in bytes.
    fn largest_peak(&self) -> u64 {
        self.runs.iter().map(|run| run.figures.peak_rss_bytes).max().unwrap_or(0)
    }

    fn is_precise(&self, seed: u64) -> bool {
        let wall = |subject| self.column(subject, wall_seconds);
        let baseline = wall(self.baseline());
        (0..self.subjects.len())
            .filter(|&s| s != self.baseline() && self.failures[s].is_none())
            .all(|s| {
                Ratio::paired(&wall(s), &baseline, RESAMPLES_QUICK, seed)
                    .is_some_and(|r| r.margin() <= PRECISE * r.estimate)
            })
    }
}

/// The figure that decides about time.
#[must_use]
pub fn wall_seconds(figures: &Figures) -> f64 {
    figures.wall_ns as f64 / 1e9
}

/// Measures `program` under every subject. `environments` holds what each subject adds to the environment.
///
/// # Errors
///
/// heapwright itself could not do its part. What the program does is in the session.
pub fn run(
    launcher: &Launcher,
    program: &Job<'_>,
    subjects: Vec<Subject>,
    environments: &[Vec<(OsString, OsString)>],
    options: &Options,
    observer: &mut dyn Observer,
    interrupted: &AtomicBool,
) -> Result<Session, Error> {
    let started = Instant::now();
    let mut plan = Plan::new(subjects.len(), options.seed);
    let mut session = Session::new(subjects);
    let mut clock = Clock { started, measuring: started, rounds_done: 0 };
    'rounds: for turn in 0.. {
        let round = (turn + 1_u32).saturating_sub(options.warmup);
        if turn == options.warmup {
            clock.measuring = Instant::now();
        }
        if let Some(stop) = clock.should_stop(&session, options, round) {
            session.stop = stop;
            break;
        }
        session.rounds = round;
        for (place, subject) in plan.round().into_iter().enumerate() {
            if session.failures[subject].is_some() {
                continue;
            }
            if interrupted.load(Ordering::Relaxed) {
                session.stop = Stop::Interrupted;
                break 'rounds;
            }
            let name = &session.subjects[subject].name;
            observer.running(round, name, clock.share(&session, options, turn, place));
            let job = Job {
                environment: &environments[subject],
                show_output: options.show_output,
                timeout: options.timeout,
                ..*program
            };
            if options.warm
                && let Some(bytes) = warm::amount(session.largest_peak(), machine::available())
            {
                launcher.warm(bytes)?;
            }
            match judge(launcher.run(&job, interrupted)?, options.ignore_failure) {
                Judged::Good(figures) => session.runs.push(Run { round, place, subject, figures }),
                Judged::Bad(how, stderr) => {
                    let failure = Failure { how, round, stderr };
                    observer.failed(name, &failure);
                    session.failures[subject] = Some(failure);
                }
                Judged::Interrupted => {
                    session.stop = Stop::Interrupted;
                    break 'rounds;
                }
            }
        }
        clock.rounds_done += 1;
    }
    session.elapsed = started.elapsed();
    Ok(session)
}

enum Judged {
    Good(Figures),
    Bad(How, String),
    Interrupted,
}

fn judge(outcome: Outcome, ignore_failure: bool) -> Judged {
    match outcome {
        Outcome::Interrupted => Judged::Interrupted,
        Outcome::NotStarted(errno) => Judged::Bad(How::NotStarted(errno), String::new()),
        Outcome::TimedOut(stderr) => Judged::Bad(How::TimedOut, stderr),
        Outcome::Ran(ran) => match ran.figures.exit {
            Exit::Code(0) => Judged::Good(ran.figures),
            Exit::Code(_) if ignore_failure => Judged::Good(ran.figures),
            exit => Judged::Bad(How::Ended(exit), ran.said),
        },
    }
}

/// Knows how far the measurement is.
struct Clock {
    started: Instant,
    measuring: Instant,
    rounds_done: u32,
}

impl Clock {
    /// Whether to end before `round`, and why.
    fn should_stop(&self, session: &Session, options: &Options, round: u32) -> Option<Stop> {
        if session.failures.iter().all(Option::is_some) {
            return Some(Stop::Failed);
        }
        let measured = round.saturating_sub(1);
        if round == 0 {
            return None;
        }
        if options.rounds.is_some_and(|n| measured >= n) {
            return Some(Stop::Rounds);
        }
        let least = options.rounds.unwrap_or(LEAST_ROUNDS).min(LEAST_ROUNDS);
        if measured >= least && self.over_budget(options, measured) {
            return Some(Stop::Budget);
        }
        if options.rounds.is_some() {
            return None;
        }
        if measured >= MOST_ROUNDS {
            return Some(Stop::Rounds);
        }
        let precise = measured >= ROUNDS_BEFORE_PRECISE && session.is_precise(options.seed);
        precise.then_some(Stop::Precise)
    }

    /// Whether one more round like those before would end beyond the budget.
    fn over_budget(&self, options: &Options, measured: u32) -> bool {
        let one = self.measuring.elapsed() / measured.max(1);
        options.budget.is_some_and(|budget| self.started.elapsed() + one > budget)
    }

    /// The share of the work that is done, by rounds or by time, whichever is further.
    fn share(&self, session: &Session, options: &Options, turn: u32, place: usize) -> f64 {
        let within = place as f64 / session.subjects.len().max(1) as f64;
        let all = options.warmup + options.rounds.unwrap_or(MOST_ROUNDS);
        let by_rounds = (f64::from(turn) + within) / f64::from(all.max(1));
        let by_time = options.budget.map_or(0.0, |budget| {
            self.started.elapsed().as_secs_f64() / budget.as_secs_f64().max(0.001)
        });
        by_rounds.max(by_time).min(1.0)
    }
}

#[cfg(test)]
mod tests;
