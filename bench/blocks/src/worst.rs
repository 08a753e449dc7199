//! `worst`: the memory that adversaries wring out of each allocator, as a multiple of what is live.
use base::{AddMemory, BlockAllocator};
use block::tlsf::{Bound, required_heap};
use testkit::block::robson::{Adversary, Budget, buddy_bound, least_memory};

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown};
use heapwright_blocks::subjects::{
    self, BUDDY, BUDDY_SYSTEM, LINKED_LIST, NAMES, SLAB, TLSF, Visit,
};

const LIVE: usize = 64 << 10;
const SMALLEST: usize = 24;
const LARGEST: [usize; 3] = [120, 1_016, 8_184];
const MOST: usize = 4 << 20;
/// Random adversaries; the worst of them counts.
const SEEDS: u64 = 8;

/// Without headers.
const BARE: [&str; 4] = [BUDDY, SLAB, BUDDY_SYSTEM, LINKED_LIST];

struct Round<'a> {
    samples: &'a mut Samples,
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        // What the adversary takes a block's header to be: it aims at powers of two.
        let header = if BARE.contains(&name) { 0 } else { 8 };
        for largest in LARGEST {
            let budget = Budget { live: LIVE, largest, smallest: SMALLEST };
            let least = |adversary| {
                let least = least_memory(make, adversary, budget, header, MOST);
                least.unwrap_or(MOST) as f64 / LIVE as f64
            };
            let robson = least(Adversary::Robson);
            let random = (0..SEEDS).map(Adversary::Random).map(least).fold(0.0, f64::max);
            self.samples.put(0, "worst", name, format!("robson_{largest}"), robson);
            self.samples.put(0, "worst", name, format!("random_{largest}"), random);
        }
    }
}

pub(crate) fn measure(_: &Plan, samples: &mut Samples) {
    // Nothing is timed and nothing is random between rounds: one is enough.
    subjects::each(0, &mut Round { samples });
    for largest in LARGEST {
        for (name, bound) in [(TLSF, Bound::Tlsf), ("half-fit", Bound::HalfFit)] {
            let proved = required_heap(bound, LIVE, largest, SMALLEST) as f64 / LIVE as f64;
            samples.put(0, "worst", name, format!("proved_{largest}"), proved);
        }
        let budget = Budget { live: LIVE, largest, smallest: SMALLEST };
        let proved = buddy_bound(budget, 16) as f64 / LIVE as f64;
        samples.put(0, "worst", BUDDY, format!("proved_{largest}"), proved);
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let mut table = markdown(&[
        "",
        "to 120: Robson",
        "random",
        "proved",
        "to 1,016: Robson",
        "random",
        "proved",
        "to 8,184: Robson",
        "random",
        "proved",
    ]);
    for name in NAMES {
        let mut row = vec![name.to_owned()];
        for largest in LARGEST {
            for key in ["robson", "random", "proved"] {
                row.push(figure(samples.median("worst", name, &format!("{key}_{largest}")), 2));
            }
        }
        table.add_row(row);
    }
    format!(
        "### Under attack\n\nThe memory in which an adversary with 64 KiB of payload, in requests of 24 bytes \
         and more, is not refused, in multiples of 64 KiB: Robson's adversary, the worst of {SEEDS} random \
         ones, and what is proved to be enough for any ([below](#worst-case-memory)). 64 stands for 4 MiB \
         or more.\n\n{table}\n"
    )
}
