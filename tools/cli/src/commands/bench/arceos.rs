//! `heapwright bench arceos`: the report on ArceOS' allocators, its tests on its allocators and its figures beside.

use std::collections::BTreeSet;

use bench::session::Options;
use core::time::Duration;
use launch::allocator::Allocator;

use super::allocators::those_there;
use super::workloads::definitions;
use crate::flags::workload::WorkloadArg;

pub(super) const SET: &str = "arceos";

/// Ours beside the text's lists, which choose the same block in a tree, and beside its buddy; and the crate that the system has now.
const BESIDE: [&str; 5] = ["first-fit", "best-fit", "worst-fit", "buddy", "rlsf"];

/// A run that walks lists takes a hundred times as long as others, which by their own limit would end it.
const LIMIT: Duration = Duration::from_secs(20);

/// What all of it gets when no time is given: some runs take a hundred times what others do. A round begins that can end in a
/// tenth more, and on a busy machine takes longer than that; then too it shall end within three minutes.
pub(super) const TIME: Duration = Duration::from_secs(120);

/// Short enough for lists that are walked: the others' runs take some 50 ms.
const SCALE: f64 = 0.03;

pub(super) fn is_asked(words: &[WorkloadArg]) -> bool {
    words.iter().any(|word| word.name == SET)
}

/// Who takes part unless it is said, out of the region allocators `names`, in their order.
pub(super) fn subjects(
    mut names: Vec<&'static str>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Vec<Allocator>> {
    let of_text: BTreeSet<String> =
        definitions()?.into_iter().flat_map(|d| d.text.into_keys()).collect();
    names.retain(|name| of_text.contains(*name) || BESIDE.contains(name));
    let regions = those_there(names, warnings);
    Ok([Allocator::glibc()].into_iter().chain(regions).collect())
}

/// What lengths are multiplied by, if nothing else is said.
pub(super) fn scale(words: &[WorkloadArg]) -> Option<f64> {
    is_asked(words).then_some(SCALE)
}

/// Long runs are what is to be seen; single calls are another experiment.
pub(super) fn limit(options: &mut Options, words: &[WorkloadArg]) {
    if is_asked(words) {
        options.timeout = options.timeout.or(Some(LIMIT));
        options.tails = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_allocators_take_part_and_ours_in_their_place() {
        let all = subjects(super::super::allocators::region_names(), &mut Vec::new()).unwrap();
        let names: Vec<&str> = all.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names[0], "glibc");
        for name in ["sharded", "tlsf", "list-worst-fit", "worst-fit", "buddy", "slab"] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        assert!(!names.contains(&"half-fit"), "{names:?}");
    }
}
