//! What is told about a session: medians, ratios, the raw runs. As JSON (schema below), as CSV, or as values from
//! which the command draws its table.
//!
//! The JSON object has `schema` = "heapwright-bench" and `version` = 1; later versions only add fields. All times
//! are in seconds, all sizes in bytes, except in `runs`, whose names carry their unit.

use core::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use crate::launch::{Exit, Figures};
use crate::machine::Machine;
use crate::session::{Failure, How, Options, Role, Run, Session, Stop, wall_seconds};
use crate::stats::{RESAMPLES, Ratio, median};

/// A figure that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Wall-clock time.
    Wall,
    /// User and system time.
    Cpu,
    /// Peak resident set.
    Rss,
    /// Minor page faults.
    Faults,
}

impl Metric {
    /// All, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Wall, Self::Cpu, Self::Rss, Self::Faults];

    fn of(self) -> fn(&Figures) -> f64 {
        match self {
            Self::Wall => wall_seconds,
            Self::Cpu => |f| (f.user_us + f.system_us) as f64 / 1e6,
            Self::Rss => |f| f.peak_rss_bytes as f64,
            Self::Faults => |f| f.minor_faults as f64,
        }
    }
}

/// One figure of one subject: its median, and how it compares with the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compared {
    /// The median of the measured rounds.
    pub median: f64,
    /// The ratio to the baseline; the baseline itself has none.
    pub ratio: Option<Ratio>,
    /// Whether the ratio's interval includes 1.
    pub same: bool,
}

/// What is told about one subject.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The preloaded library.
    pub library: Option<PathBuf>,
    /// The allocator's version.
    pub version: Option<String>,
    /// Baseline, control or contender.
    pub role: Role,
    /// Measured runs.
    pub runs: usize,
    /// Why it dropped out.
    pub failure: Option<Failure>,
    /// Seconds.
    pub wall: Option<Compared>,
    /// Seconds.
    pub cpu: Option<Compared>,
    /// Bytes.
    pub peak_rss: Option<Compared>,
    /// Count.
    pub minor_faults: Option<Compared>,
    /// Has the best median ratio of time of all that did not fail.
    pub winner: bool,
}

impl Entry {
    /// The figure `metric`; `None` without a measured run.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<&Compared> {
        match metric {
            Metric::Wall => self.wall.as_ref(),
            Metric::Cpu => self.cpu.as_ref(),
            Metric::Rss => self.peak_rss.as_ref(),
            Metric::Faults => self.minor_faults.as_ref(),
        }
    }
}

/// Everything about one session.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Always "heapwright-bench".
    pub schema: &'static str,
    /// The version of the schema.
    pub version: u32,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Of the orders and the bootstrap.
    pub seed: u64,
    /// Rounds thrown away.
    pub warmup: u32,
    /// Whether the machine's memory was warmed before each run.
    pub warm: bool,
    /// Rounds measured.
    pub rounds: u32,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took, in seconds.
    pub elapsed: f64,
    /// The machine.
    pub machine: Machine,
    /// What may have disturbed it.
    pub warnings: Vec<String>,
    /// The name all are compared with.
    pub baseline: String,
    /// The larger end of the control's interval of time, as a distance from 1: differences below it mean nothing.
    pub noise_floor: Option<f64>,
    /// The subjects.
    pub allocators: Vec<Entry>,
    /// Every run, warm-up included.
    pub runs: Vec<Run>,
}

impl Report {
    /// Computes the figures of `session`. Cost: a bootstrap for each subject and figure, some tens of milliseconds.
    #[must_use]
    pub fn new(
        session: &Session,
        command: Vec<String>,
        options: &Options,
        machine: Machine,
        warnings: Vec<String>,
    ) -> Self {
        let baseline = session.baseline();
        let mut allocators: Vec<Entry> =
            (0..session.subjects.len()).map(|s| entry(session, s, options.seed)).collect();
        mark_winner(&mut allocators);
        let noise_floor = allocators
            .iter()
            .find(|e| e.role == Role::Control)
            .and_then(|e| e.wall?.ratio)
            .map(|r| (r.high - 1.0).abs().max((1.0 - r.low).abs()));
        Self {
            schema: "heapwright-bench",
            version: 1,
            command,
            seed: options.seed,
            warmup: options.warmup,
            warm: options.warm,
            rounds: session.rounds,
            stop: session.stop,
            elapsed: session.elapsed.as_secs_f64(),
            machine,
            warnings,
            baseline: session.subjects.get(baseline).map(|s| s.name.clone()).unwrap_or_default(),
            noise_floor,
            allocators,
            runs: session.runs.clone(),
        }
    }

    /// The report as JSON text.
    ///
    /// # Errors
    ///
    /// Never for figures that were measured; the type is `serde_json`'s.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// The raw runs as CSV, one line each, with a heading.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::from(
            "round,place,allocator,wall_ns,user_us,system_us,peak_rss_bytes,minor_faults,major_faults,\
             voluntary_switches,involuntary_switches,exit\n",
        );
        for run in &self.runs {
            let f = &run.figures;
            let name = self.allocators.get(run.subject).map_or("", |e| e.name.as_str());
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{},{}",
                run.round,
                run.place,
                csv_field(name),
                f.wall_ns,
                f.user_us,
                f.system_us,
                f.peak_rss_bytes,
                f.minor_faults,
                f.major_faults,
                f.voluntary_switches,
                f.involuntary_switches,
                match f.exit {
                    Exit::Code(code) => code,
                    Exit::Signal(signal) => 128 + signal,
                },
            );
        }
        out
    }

    /// Whether some allocator, but not all, failed.
    #[must_use]
    pub fn some_failed(&self) -> bool {
        self.allocators.iter().any(|e| e.failure.is_some())
    }
}

fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn entry(session: &Session, subject: usize, seed: u64) -> Entry {
    let s = &session.subjects[subject];
    let compared = |metric: Metric| {
        let own = session.column(subject, metric.of());
        let values: Vec<f64> = own.iter().copied().flatten().collect();
        let ratio = (s.role != Role::Baseline)
            .then(|| session.column(session.baseline(), metric.of()))
            .and_then(|base| Ratio::paired(&own, &base, RESAMPLES, seed));
        Some(Compared { median: median(&values)?, ratio, same: ratio.is_some_and(|r| r.is_same()) })
    };
    Entry {
        name: s.name.clone(),
        library: s.allocator.library.clone(),
        version: s.allocator.version.clone(),
        role: s.role,
        runs: session.runs.iter().filter(|r| r.subject == subject && r.round > 0).count(),
        failure: session.failures[subject].clone(),
        wall: compared(Metric::Wall),
        cpu: compared(Metric::Cpu),
        peak_rss: compared(Metric::Rss),
        minor_faults: compared(Metric::Faults),
        winner: false,
    }
}

/// The winner has the smallest ratio of time; the baseline takes part with its 1. The control is no contestant.
fn mark_winner(entries: &mut [Entry]) {
    let score = |e: &Entry| match (e.role, &e.failure, e.wall) {
        (Role::Control, ..) | (_, Some(_), _) | (.., None) => None,
        (Role::Baseline, ..) => Some(1.0),
        (_, _, Some(wall)) => wall.ratio.map(|r| r.estimate),
    };
    let scores: Vec<Option<f64>> = entries.iter().map(score).collect();
    let contestants = scores.iter().flatten().count();
    if let Some(best) = crate::stats::least(&scores).filter(|_| contestants > 1) {
        entries[best].winner = true;
    }
}

impl How {
    /// What happened, in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        match *self {
            Self::Ended(Exit::Code(code)) => format!("exit code {code}"),
            Self::Ended(Exit::Signal(signal)) => match signal_name(signal) {
                Some(name) => format!("crashed: {name}"),
                None => format!("killed by signal {signal}"),
            },
            Self::NotStarted(errno) => {
                format!("could not be executed: {}", std::io::Error::from_raw_os_error(errno))
            }
            Self::TimedOut => "took longer than the time limit".to_owned(),
        }
    }
}

/// The signals that end programs, by name.
#[must_use]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
