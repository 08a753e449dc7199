//! `glibc-thread`: threads that each replace random blocks of a table, small sizes far more often than large ones (what
//! glibc's bench-malloc-thread does; component OS report, `glibc_bench`).

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "glibc-thread",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("slots", 1024, "blocks of a thread"),
        fixed("smallest", 4, "bytes of the smallest block"),
        fixed("largest", 32_768, "bytes of the largest block"),
        scaled("steps", 8_000_000, "blocks that each thread replaces"),
    ],
    run,
};

/// Sizes that are drawn before time is taken.
const SIZES: usize = 8192;

fn run(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.size(name);
    let (count, slots, steps) = (get("threads"), get("slots").max(1), get("steps"));
    let sizes = sizes(&mut Rng::new(arguments.seed), get("smallest"), get("largest"));
    let (_, ns) = threads::together(count, |i| {
        let mut rng = Rng::new(arguments.seed * 1000 + i as u64);
        let mut table = table(slots);
        // Each thread begins elsewhere, and takes them in order.
        let first = i * SIZES / count;
        for next in first..first.saturating_add(steps) {
            let (at, size) = (rng.below(slots), sizes[next % SIZES] as usize);
            table[at].replace(|| Block::new(size, at as u64));
        }
        free_all(&mut table);
    });
    results.work(2 * (count * steps) as u64, ns);
    let mean = sizes.iter().map(|size| *size as usize).sum::<usize>() / SIZES;
    results.peak_live(count * slots * mean);
}

/// Sizes whose density falls as 1/size: as many in each doubling.
fn sizes(rng: &mut Rng, smallest: usize, largest: usize) -> Vec<u32> {
    let low = smallest.max(1) as f64;
    let ratio = largest as f64 / low;
    let size = |_| {
        let part = (rng.next() >> 32) as f64 / 4_294_967_296.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between the smallest and the largest; `as` saturates"
        )]
        let size = (low * ratio.powf(part)) as u32;
        size
    };
    (0..SIZES).map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_doubling_has_as_many() {
        let sizes = sizes(&mut Rng::new(1), 4, 32_768);
        assert!(sizes.iter().all(|size| (4..=32_768).contains(size)));
        for doubling in 2..15 {
            let many = sizes.iter().filter(|size| size.ilog2() == doubling).count();
            assert!((530..730).contains(&many), "{doubling}: {many}");
        }
    }
}
