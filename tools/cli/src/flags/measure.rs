//! How long and how often `bench` measures.

use core::time::Duration;

use bench::session::Options;
use clap::Args;

use super::rounds::RoundFlags;

/// The length of workloads whose instructions are counted, one by one: a run takes some fifty times as long.
const COUNTED_SCALE: f64 = 0.05;

#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasureFlags {
    #[command(flatten)]
    pub(crate) rounds: RoundFlags,

    /// Multiply the length of every workload; short ones keep more of theirs [default: as much as the time allows, at most 1]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f64>,

    /// Use region allocators of the workloads' own program, behind one lock, instead of drop-in libraries of the same name
    #[arg(long, hide_short_help = true)]
    pub(crate) region: bool,

    /// Count instead of timing: instructions, cache misses, page faults, system calls. By cachegrind and strace, of programs with one
    /// thread; the same on a busy machine [default: the set single, --scale 0.05]
    #[arg(long, conflicts_with_all = ["time", "rounds", "warmup", "cold", "no_tails", "prepare", "region", "for", "show_output"])]
    pub(crate) counted: bool,

    /// An exit code other than 0 is no failure
    #[arg(short, long, hide_short_help = true)]
    ignore_failure: bool,
}

impl MeasureFlags {
    /// The time that was asked for, or what is usual for `workloads` workloads.
    pub(crate) fn budget(&self, workloads: usize) -> Option<Duration> {
        if self.counted { None } else { self.rounds.budget(workloads) }
    }

    /// All takes about this time and lengths are multiplied by this, unless the command line says how long or how often.
    pub(crate) fn usually(&mut self, time: Duration, scale: f64) {
        if self.rounds.rounds.is_none() {
            self.rounds.time.get_or_insert(time);
        }
        if !self.counted {
            self.scale.get_or_insert(scale);
        }
    }

    /// The time that was asked for, or `usual`; none with `--rounds`.
    pub(crate) fn time_or(&self, usual: Duration) -> Option<Duration> {
        self.rounds.time.or(self.rounds.rounds.is_none().then_some(usual))
    }

    /// The time for a program of the user's own of which the least rounds take `needed`, and what to say if less was asked for.
    pub(crate) fn at_least(&self, needed: Duration) -> (Option<Duration>, Option<String>) {
        let budget = self.budget(1).map(|time| time.max(needed));
        let short = self.rounds.time.filter(|time| *time < needed).map(|time| {
            format!("--time {time:?} is too short: the least rounds take {needed:?}, and get that")
        });
        (budget, short)
    }

    /// What lengths are multiplied by, where that does not go by the time.
    pub(crate) fn scale(&self) -> Option<f64> {
        self.scale.or(self.counted.then_some(COUNTED_SCALE))
    }

    pub(crate) fn options(&self, workloads: usize) -> Options {
        let options = self.rounds.options(workloads);
        Options {
            warm: options.warm && !self.counted,
            budget: self.budget(workloads),
            seed: if self.counted { self.rounds.seed.unwrap_or(1) } else { options.seed },
            ignore_failure: self.ignore_failure,
            ..options
        }
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.001..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("it has to be a number from 0.001 to 1000".to_owned()),
    }
}
