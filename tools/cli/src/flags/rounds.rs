//! How long, how often and how carefully is measured: the flags that `bench` and `replay` share.

use core::hash::BuildHasher as _;
use core::time::Duration;
use std::hash::RandomState;

use bench::prepare::{self, Guard};
use bench::session::Options;
use clap::Args;
use jiff::SignedDuration;

use crate::{allocators, exit};

/// What a workload gets when no time is given.
const EACH: Duration = Duration::from_secs(15);

const LEAST: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct RoundFlags {
    /// End after about this time, such as 90s or 3m [default: 15 s for each workload, at least 1m; none with --rounds]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) time: Option<Duration>,

    /// Measure exactly N rounds [default: until the intervals are within 1 %, at least 10, at most 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rounds: Option<u32>,

    /// First rounds to throw away; memory over time is looked at in the first of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1000), hide_short_help = true)]
    pub(crate) warmup: u32,

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
    prepare: bool,

    /// Decides the random order; the default is fresh each time, and is printed
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) seed: Option<u64>,

    /// A run that takes longer is killed and counts as failed [default: a fiftieth of --time, at least 10 times what the
    /// baseline takes, not counting time in which it waits for a processor; the baseline has none. For a program of yours:
    /// twice --time]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Let the program's output through to standard error, instead of discarding it
    #[arg(long, hide_short_help = true)]
    show_output: bool,
}

impl RoundFlags {
    /// The time that was asked for, or what is usual for `workloads` workloads.
    pub(super) fn budget(&self, workloads: usize) -> Option<Duration> {
        let workloads = u32::try_from(workloads).unwrap_or(u32::MAX);
        match (self.time, self.rounds) {
            (None, None) => Some(EACH.saturating_mul(workloads).max(LEAST)),
            (time, _) => time,
        }
    }

    pub(crate) fn pins(&self) -> bool {
        !self.no_pin
    }

    pub(crate) fn prepare(&self) -> anyhow::Result<Option<Guard>> {
        if !self.prepare {
            return Ok(None);
        }
        let guard = prepare::start(&allocators::this_executable()?)?;
        for setting in &guard.settings {
            if let Some(problem) = &setting.problem {
                exit::warn(&format!("not prepared: {}: {problem}", setting.what));
            }
        }
        Ok(Some(guard))
    }

    pub(crate) fn options(&self, workloads: usize) -> Options {
        Options {
            warmup: self.warmup,
            warm: !self.cold,
            tails: !self.no_tails,
            rounds: self.rounds,
            budget: self.budget(workloads),
            // Small enough to be typed again.
            seed: self.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % 100_000),
            ignore_failure: false,
            show_output: self.show_output,
            timeout: self.timeout,
            any_malloc: false,
        }
    }
}

/// Reads `90`, `90s`, `1m30s`, `500ms`, `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
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
