//! How long and how often `bench` measures.

use core::hash::BuildHasher as _;
use core::time::Duration;
use std::hash::RandomState;

use bench::session::Options;
use clap::Args;
use jiff::SignedDuration;

/// What a workload gets when no time is given.
const EACH: Duration = Duration::from_secs(15);

/// The length of workloads whose instructions are counted, one by one: a run takes some fifty times as long.
const COUNTED_SCALE: f64 = 0.05;

/// And all together.
const LEAST: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasureFlags {
    /// End after about this time, such as 90s or 3m [default: 15 s for each workload, at least 1m; none with --rounds]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// Multiply the length of every workload; short ones keep more of theirs [default: as much as the time allows, at most 1]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f64>,

    /// Measure exactly N rounds [default: until the intervals are within 1 %, at least 10, at most 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,

    /// First rounds to throw away; memory over time is looked at in the first of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1000), hide_short_help = true)]
    warmup: u32,

    /// Do not touch memory before each run. By default a process of heapwright's touches about as much as a run needs, so
    /// that no run pays for memory that a virtual machine gave back to its host
    #[arg(long, hide_short_help = true)]
    cold: bool,

    /// Do not time single calls, which takes a round of its own
    #[arg(long, hide_short_help = true)]
    no_tails: bool,

    /// Let programs run on any processor. By default each is pinned to as many as it has threads that compute
    #[arg(long, hide_short_help = true)]
    no_pin: bool,

    /// Put the machine in order and restore it afterwards, however this ends: CPU governor, turbo, SMT, ASLR; what cannot be
    /// set is said
    #[arg(long)]
    pub(crate) prepare: bool,

    /// Use region allocators of the workloads' own program, behind one lock, instead of drop-in libraries of the same name
    #[arg(long, hide_short_help = true)]
    pub(crate) region: bool,

    /// Count instead of timing: instructions and cache misses (cachegrind), page faults, system calls (strace). Of programs with one
    /// thread; the same on a busy machine [default: single-threaded workloads of standard and real, --scale 0.05]
    #[arg(long, conflicts_with_all = ["time", "rounds", "warmup", "cold", "no_tails", "prepare", "region", "for", "show_output"])]
    pub(crate) counted: bool,

    /// Decides the random order; the default is fresh each time, and is printed
    #[arg(long, value_name = "N", hide_short_help = true)]
    seed: Option<u64>,

    /// A run that takes longer is killed and counts as failed [default: a fiftieth of --time, at least 10 times what glibc
    /// takes, not counting time in which it waits for a processor; glibc has none. For a program of yours: twice --time]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// An exit code other than 0 is no failure
    #[arg(short, long, hide_short_help = true)]
    ignore_failure: bool,

    /// Let the program's output through to standard error, instead of discarding it
    #[arg(long, hide_short_help = true)]
    show_output: bool,
}

impl MeasureFlags {
    /// The time that was asked for, or what is usual for `workloads` workloads.
    pub(crate) fn budget(&self, workloads: usize) -> Option<Duration> {
        let workloads = u32::try_from(workloads).unwrap_or(u32::MAX);
        match (self.time, self.rounds) {
            _ if self.counted => None,
            (None, None) => Some(EACH.saturating_mul(workloads).max(LEAST)),
            (time, _) => time,
        }
    }

    /// The time for a program of the user's own of which the least rounds take `needed`, and what to say if less was asked for.
    pub(crate) fn at_least(&self, needed: Duration) -> (Option<Duration>, Option<String>) {
        let budget = self.budget(1).map(|time| time.max(needed));
        let short = self.time.filter(|time| *time < needed).map(|time| {
            format!("--time {time:?} is too short: the least rounds take {needed:?}, and get that")
        });
        (budget, short)
    }

    /// What lengths are multiplied by, where that does not go by the time.
    pub(crate) fn scale(&self) -> Option<f64> {
        self.scale.or(self.counted.then_some(COUNTED_SCALE))
    }

    /// First rounds that are thrown away.
    pub(crate) fn warmup(&self) -> u32 {
        self.warmup
    }

    /// The exact number of rounds, if one was asked for.
    pub(crate) fn rounds(&self) -> Option<u32> {
        self.rounds
    }

    pub(crate) fn pins(&self) -> bool {
        !self.no_pin
    }

    pub(crate) fn options(&self, workloads: usize) -> Options {
        Options {
            warmup: self.warmup,
            warm: !self.cold && !self.counted,
            tails: !self.no_tails,
            rounds: self.rounds,
            budget: self.budget(workloads),
            // Small enough to be typed again.
            seed: self.seed.unwrap_or_else(|| {
                if self.counted { 1 } else { RandomState::new().hash_one(0) % 100_000 }
            }),
            ignore_failure: self.ignore_failure,
            show_output: self.show_output,
            timeout: self.timeout,
            any_malloc: false,
        }
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.001..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("it has to be a number from 0.001 to 1000".to_owned()),
    }
}

/// Reads `90`, `90s`, `1m30s`, `500ms`, `2h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let text =
        if text.ends_with(|c: char| c.is_ascii_digit()) { &format!("{text}s") } else { text };
    let span = text.parse::<SignedDuration>().ok().filter(|_| !text.contains(char::is_whitespace));
    let duration = span.and_then(|span| Duration::try_from(span).ok()).filter(|d| !d.is_zero());
    duration.ok_or(format!("'{text}' is not a time; write it like 90s, 3m, 1m30s or 500ms"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let millis = |text| duration(text).map(|d| d.as_millis());
        assert_eq!(millis("90"), Ok(90_000));
        assert_eq!(millis("1m30s"), Ok(90_000));
        assert_eq!(millis("500ms"), Ok(500));
        assert_eq!(millis("1.5m"), Ok(90_000));
        for wrong in ["", "0", "x", "3 m", "5y", "-1s", "1..2s", "s"] {
            assert!(millis(wrong).is_err(), "{wrong:?}");
        }
    }
}
