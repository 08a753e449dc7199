//! The order of the runs: rounds, each with every workload under every allocator, in random order.
//!
//! Whatever the machine does meanwhile then falls on all allocators alike; running one allocator's
//! rounds after another's was seen to differ by several per cent between identical commands.

use super::definition::Definition;
use super::measure::{Lab, Values};
use crate::peers::Allocator;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// The values of one run.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) round: u32,
    pub(super) workload: String,
    pub(super) allocator: String,
    pub(super) values: Values,
}

/// Every run there was.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub(super) all: Vec<Sample>,
    /// Workload and allocator to what went wrong the last time.
    pub(super) failures: BTreeMap<(String, String), String>,
}

impl Samples {
    /// One value of every round of a workload under an allocator.
    pub(super) fn values(&self, workload: &str, allocator: &str, key: &str) -> Vec<f64> {
        let of = |s: &&Sample| s.workload == workload && s.allocator == allocator;
        self.all.iter().filter(of).filter_map(|s| s.values.get(key).copied()).collect()
    }

    /// The median of those, if the workload ran and never failed.
    pub(super) fn median(&self, workload: &str, allocator: &str, key: &str) -> Option<f64> {
        if self.failures.contains_key(&(workload.to_owned(), allocator.to_owned())) {
            return None;
        }
        median(self.values(workload, allocator, key))
    }
}

/// The middle value, or the mean of the two middle ones.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Runs everything `rounds` times.
pub(super) fn run(
    lab: &Lab,
    definitions: &[Definition],
    allocators: &[Allocator],
    rounds: u32,
) -> Result<Samples, String> {
    let mut samples = Samples::default();
    let mut order = Order::seeded();
    let total = definitions.len() * allocators.len();
    let bar = ProgressBar::new(u64::from(rounds) * total as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (eta {eta}) {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for round in 1..=rounds {
        if bar.is_hidden() {
            eprintln!("round {round} of {rounds}: {total} runs");
        }
        let (together, mut alone): (Vec<_>, Vec<_>) = definitions
            .iter()
            .flat_map(|d| allocators.iter().map(move |a| (d, a)))
            .partition(|(d, _)| d.together);
        order.shuffle(&mut alone);
        for (definition, allocator) in alone {
            bar.set_message(format!("{} on {}", definition.name, allocator.name));
            lab.warm(definition)?;
            let result = lab.run(definition, allocator);
            samples.keep(round, definition, allocator, result);
            bar.inc(1);
        }
        for definition in definitions.iter().filter(|d| d.together) {
            bar.set_message(format!("{} on all", definition.name));
            lab.warm(definition)?;
            let results: Vec<_> = thread::scope(|scope| {
                let start = |a: &'_ Allocator| lab.run(definition, a);
                let runs: Vec<_> =
                    allocators.iter().map(|a| (a, scope.spawn(move || start(a)))).collect();
                runs.into_iter().map(|(a, run)| (a, run.join())).collect()
            });
            for (allocator, result) in results {
                let result =
                    result.unwrap_or_else(|_| Err("the measuring thread panicked".to_owned()));
                samples.keep(round, definition, allocator, result);
            }
            bar.inc(together.iter().filter(|(d, _)| d.name == definition.name).count() as u64);
        }
    }
    bar.finish_and_clear();
    Ok(samples)
}

impl Samples {
    fn keep(
        &mut self,
        round: u32,
        definition: &Definition,
        allocator: &Allocator,
        result: Result<Values, String>,
    ) {
        let (workload, allocator) = (definition.name.clone(), allocator.name.clone());
        match result {
            Ok(values) => self.all.push(Sample { round, workload, allocator, values }),
            Err(why) => {
                eprintln!("{workload} on {allocator}: {why}");
                self.failures.insert((workload, allocator), why);
            }
        }
    }
}

/// A random order; nothing depends on its quality.
#[derive(Debug)]
struct Order(u64);

impl Order {
    fn seeded() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::from(now.subsec_nanos()) << 20 | now.as_secs() & 0xf_ffff | 1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let below = (i + 1) as u64;
            let j = usize::try_from(self.0 % below).unwrap_or(0);
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests;
