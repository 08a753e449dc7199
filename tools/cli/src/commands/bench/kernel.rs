//! The experiments of the texts on the kernel's allocators, by their words.
//!
//! ```text
//! kernel-sweep   the sweep over sizes, and the wide ranges that the text has beside it
//! kmem-stack     sequences of objects, which are printed, and are the same every time
//! chain          is like any other workload
//! ```

use bench::session::Options;
use bench::workload::Workload;

use crate::flags::workload::WorkloadArg;

const SWEEP: &str = "kernel-sweep";
const WIDE: &str = "kernel-wide";

/// What the words mean: the sweep by itself is the text's whole experiment.
pub(super) fn words(mut words: Vec<WorkloadArg>) -> Vec<WorkloadArg> {
    let is_whole = matches!(&words[..], [only] if only.name == SWEEP && only.parameters.is_empty());
    if is_whole {
        words.push(WorkloadArg::of(WIDE));
    }
    words
}

/// Of sequences alone one round says all.
pub(super) fn limit(options: &mut Options, workloads: &[Workload]) {
    if workloads.iter().all(|work| work.alone) {
        options.rounds = options.rounds.or(Some(1));
        options.warmup = options.warmup.min(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_by_itself_is_the_whole_experiment() {
        let of = |text: &str| -> Vec<String> {
            let parsed = text.split(' ').map(WorkloadArg::of).collect();
            words(parsed).into_iter().map(|word| word.name).collect()
        };
        assert_eq!(of("kernel-sweep"), [SWEEP, WIDE]);
        assert_eq!(of("kernel-sweep:slots=10"), [SWEEP]);
        assert_eq!(of("kernel-wide"), [WIDE]);
        assert_eq!(of("kernel-sweep larson"), [SWEEP, "larson"]);
    }
}
