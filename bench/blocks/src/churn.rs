//! Live blocks in slots, replaced by a stream of operations that was made before anything is timed.
use core::alloc::Layout;
use core::ptr::NonNull;
use core::time::Duration;
use std::time::Instant;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;
use testkit::rng::Rng;

/// Replace the block in a slot by one of this size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Op {
    slot: u32,
    size: u32,
}

/// Sizes from `low` to `high`, any as likely, in `slots` slots.
pub(crate) fn stream(seed: u64, ops: usize, slots: usize, (low, high): (usize, usize)) -> Vec<Op> {
    let mut rng = Rng::new(seed);
    let narrow = |n: usize| u32::try_from(n).expect("slots and sizes are small");
    (0..ops)
        .map(|_| Op { slot: narrow(rng.below(slots)), size: narrow(rng.between(low, high)) })
        .collect()
}

/// A new allocator on this memory, which outlives it and is nobody else's meanwhile.
pub(crate) fn on<A: BlockAllocator + AddMemory>(make: fn() -> A, memory: &Memory) -> A {
    let mut heap = make();
    // SAFETY: as said above.
    let added = unsafe { heap.add_memory(memory.start(), memory.len()) };
    added.expect("the memory is large");
    heap
}

fn layout(size: u32) -> Layout {
    // SAFETY: a power of two, and a size far below the limit.
    unsafe { Layout::from_size_align_unchecked(size as usize, 8) }
}

#[derive(Debug)]
pub(crate) struct Churn<A> {
    heap: A,
    slots: Vec<(Option<NonNull<u8>>, u32)>,
}

impl<A: BlockAllocator + AddMemory> Churn<A> {
    pub(crate) fn new(make: fn() -> A, memory: &Memory, slots: usize, first: &[Op]) -> Self {
        let mut churn = Churn { heap: on(make, memory), slots: vec![(None, 0); slots] };
        for (slot, op) in (0..).zip(&first[..slots]) {
            churn.fill(Op { slot, ..*op });
        }
        churn
    }

    #[inline(always)]
    fn free(&mut self, slot: u32) {
        if let (Some(block), size) = self.slots[slot as usize] {
            // SAFETY: live, and of this layout.
            unsafe { self.heap.deallocate(block, layout(size)) };
        }
    }

    #[inline(always)]
    fn fill(&mut self, Op { slot, size }: Op) {
        let block = self.heap.allocate(layout(size));
        assert!(block.is_some(), "the memory is too small");
        self.slots[slot as usize] = (block, size);
    }

    pub(crate) fn drain(mut self) {
        for slot in 0..self.slots.len() {
            self.free(u32::try_from(slot).expect("slots are few"));
        }
        core::hint::black_box(self.heap);
    }

    /// Runs the stream, or as much of it as there is time for; nanoseconds for each operation.
    pub(crate) fn mean(&mut self, ops: &[Op], most: Duration) -> f64 {
        let start = Instant::now();
        let mut done = 0;
        for chunk in ops.chunks(500) {
            for &op in chunk {
                self.free(op.slot);
                self.fill(op);
            }
            done += chunk.len();
            if start.elapsed() > most {
                break;
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / done as f64
    }

    /// Nanoseconds of every single free and allocation, sorted, less what reading the clock takes.
    pub(crate) fn each(&mut self, ops: &[Op], most: Duration) -> Vec<f64> {
        let start = Instant::now();
        let clock = (0..10_000).map(|_| start.elapsed().abs_diff(start.elapsed())).min();
        let mut all = Vec::with_capacity(2 * ops.len());
        for &op in ops {
            let first = start.elapsed();
            self.free(op.slot);
            let second = start.elapsed();
            self.fill(op);
            all.extend([second - first, start.elapsed() - second]);
            if second > most {
                break;
            }
        }
        all.sort_unstable();
        let clock = clock.unwrap_or_default();
        all.into_iter().map(|time| time.saturating_sub(clock).as_secs_f64() * 1e9).collect()
    }
}
