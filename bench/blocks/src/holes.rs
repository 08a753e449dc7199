//! `holes`: what a thousand holes cost that one does not.
//!
//! ```text
//! │used│hole│used│hole│ … │used│hole│used│ wall │ free …
//! ```
//!
//! Two kinds of pairs beside the holes: of the holes' own size, at the far end, where a list has
//! to be walked to free; and of twice that, which no hole has.
use core::alloc::Layout;
use core::ptr::NonNull;
use std::time::Instant;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown};
use crate::work::memory;
use heapwright_blocks::subjects::{self, NAMES, Visit};

const PAIRS: usize = 20_000;
const SIZE: usize = 64;

struct Round<'a> {
    round: usize,
    pairs: usize,
    memory: &'a Memory,
    samples: &'a mut Samples,
}

/// Nanoseconds for a pair of each kind beside `holes` holes.
fn beside<A: BlockAllocator + AddMemory>(
    make: fn() -> A,
    memory: &Memory,
    holes: usize,
    pairs: usize,
) -> [f64; 3] {
    let mut heap = make();
    // SAFETY: the heap is gone before anybody else gets the memory.
    let added = unsafe { heap.add_memory(memory.start(), memory.len()) };
    added.expect("the memory is large");
    let small = Layout::from_size_align(SIZE, 8).expect("a power of two");
    let large = Layout::from_size_align(2 * SIZE, 8).expect("a power of two");
    let row: Vec<NonNull<u8>> =
        (0..2 * holes + 3).map(|_| heap.allocate(small).expect("there is room")).collect();
    for i in 0..holes {
        // SAFETY: live until now.
        unsafe { heap.deallocate(row[2 * i + 1], small) };
    }
    let time = |heap: &mut A, mut block: NonNull<u8>, layout: Layout| {
        let start = Instant::now();
        for _ in 0..pairs {
            // SAFETY: live until now.
            unsafe { heap.deallocate(block, layout) };
            block = heap.allocate(layout).expect("it was there before");
        }
        start.elapsed().as_secs_f64() * 1e9 / pairs as f64
    };
    let wide = heap.allocate(large).expect("there is room");
    let larger = time(&mut heap, wide, large);
    // The last of the row, behind all holes; then one between two of them, which closes both.
    let same = time(&mut heap, row[2 * holes + 2], small);
    let between = time(&mut heap, row[2 * (holes / 2)], small);
    [same, larger, between]
}

const KEYS: [&str; 3] = ["same", "larger", "between"];

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        for holes in [1, 1_000] {
            let times = beside(make, self.memory, holes, self.pairs);
            for (key, time) in KEYS.into_iter().zip(times) {
                self.samples.put(self.round, "holes", name, format!("{key}_{holes}_ns"), time);
            }
        }
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let memory = memory(4 << 20);
    let pairs = plan.of(PAIRS);
    for round in 0..plan.rounds {
        subjects::each(round, &mut Round { round, pairs, memory: &memory, samples });
    }
}

/// The worst of a thousand holes to one, over the kinds of pairs.
pub(crate) fn growth(samples: &Samples, name: &str) -> Option<f64> {
    let ratio = |key: &&str| {
        let at = |holes: usize| samples.median("holes", name, &format!("{key}_{holes}_ns"));
        Some(at(1_000)? / at(1)?)
    };
    KEYS.iter().filter_map(ratio).reduce(f64::max)
}

pub(crate) fn show(samples: &Samples) -> String {
    let mut table = markdown(&[
        "",
        "same size, 1 hole",
        "1,000",
        "twice the size, 1",
        "1,000",
        "between two, 1",
        "1,000",
        "worst ratio",
    ]);
    for name in NAMES {
        let mut row = vec![name.to_owned()];
        for key in KEYS {
            for holes in [1, 1_000] {
                let key = format!("{key}_{holes}_ns");
                row.push(figure(samples.median("holes", name, &key), 1));
            }
        }
        row.push(figure(growth(samples, name), 2));
        table.add_row(row);
    }
    format!(
        "### One hole and a thousand\n\nHoles of 64 bytes between blocks in use; nanoseconds for a free and \
         an allocation of the same size behind all holes, of twice the size, and of a block between two \
         holes.\n\n{table}\n"
    )
}
