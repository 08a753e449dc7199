//! `fill`: how much of a memory is payload when the first request is refused.
use core::alloc::Layout;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;
use testkit::rng::Rng;

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown};
use crate::work::memory;
use heapwright_blocks::subjects::{self, NAMES, Visit};

const POOL: usize = 4 << 20;

/// Sizes and alignment, and the column's name.
pub(crate) const KINDS: [(usize, usize, usize, &str); 4] = [
    (1, 256, 16, "1_256_at_16"),
    (1, 256, 8, "1_256_at_8"),
    (16, 4_096, 16, "16_4096_at_16"),
    (16, 4_096, 8, "16_4096_at_8"),
];

struct Round<'a> {
    round: usize,
    memory: &'a Memory,
    samples: &'a mut Samples,
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        for (low, high, align, key) in KINDS {
            let mut heap = make();
            // SAFETY: the heap is gone before anybody else gets the memory.
            let added = unsafe { heap.add_memory(self.memory.start(), self.memory.len()) };
            added.expect("the memory is large");
            let mut rng = Rng::new(100 + self.round as u64);
            let mut payload = 0;
            loop {
                let size = rng.between(low, high);
                let layout = Layout::from_size_align(size, align).expect("a power of two");
                if heap.allocate(layout).is_none() {
                    break;
                }
                payload += size;
            }
            let share = 100.0 * payload as f64 / self.memory.len() as f64;
            self.samples.put(self.round, "fill", name, key, share);
        }
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let memory = memory(POOL);
    // Nothing is timed: a few seeds are enough.
    for round in 0..plan.rounds.min(5) {
        subjects::each(round, &mut Round { round, memory: &memory, samples });
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let mut table = markdown(&[
        "",
        "1 to 256 bytes, aligned to 16",
        "aligned to 8",
        "16 to 4,096 bytes, aligned to 16",
        "aligned to 8",
    ]);
    for name in NAMES {
        let mut row = vec![name.to_owned()];
        row.extend(KINDS.map(|(_, _, _, key)| figure(samples.median("fill", name, key), 1)));
        table.add_row(row);
    }
    format!(
        "### How full a memory gets\n\nPayload in per cent of 4 MiB when the first request is refused, any \
         size as likely. Control blocks outside the memory are not counted.\n\n{table}\n"
    )
}
