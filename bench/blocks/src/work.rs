//! Streams of operations, and slots that hold the live blocks.
use core::alloc::Layout;
use core::ptr::NonNull;
use core::time::Duration;
use std::time::Instant;

use base::BlockAllocator;
use testkit::block::Memory;
use testkit::rng::Rng;

/// The alignment of everything that is timed.
pub(crate) const ALIGN: usize = 8;

/// Replace the block in a slot by one of this size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Op {
    slot: u32,
    size: u32,
}

/// Sizes from `low` to `high`, any as likely, in `slots` slots.
pub(crate) fn stream(seed: u64, ops: usize, slots: usize, low: usize, high: usize) -> Vec<Op> {
    let mut rng = Rng::new(seed);
    let narrow = |n: usize| u32::try_from(n).expect("slots and sizes are small");
    (0..ops)
        .map(|_| Op { slot: narrow(rng.below(slots)), size: narrow(rng.between(low, high)) })
        .collect()
}

/// Memory whose pages are there.
pub(crate) fn memory(len: usize) -> Memory {
    Memory::new(len, 0)
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    block: Option<NonNull<u8>>,
    size: u32,
}

/// An allocator with memory, and blocks in slots.
#[derive(Debug)]
pub(crate) struct Churn<'m, A> {
    heap: A,
    slots: Vec<Slot>,
    /// Requests that were refused.
    pub(crate) refused: usize,
    memory: core::marker::PhantomData<&'m Memory>,
}

fn layout(size: u32) -> Layout {
    // SAFETY: a power of two, and a size far below the limit.
    unsafe { Layout::from_size_align_unchecked(size as usize, ALIGN) }
}

impl<'m, A: BlockAllocator + base::AddMemory> Churn<'m, A> {
    /// On this memory, with a first block in each slot.
    pub(crate) fn new(make: fn() -> A, memory: &'m Memory, slots: usize, first: &[Op]) -> Self {
        let mut heap = make();
        // SAFETY: nobody else uses the memory while it is borrowed.
        let added = unsafe { heap.add_memory(memory.start(), memory.len()) };
        added.expect("the memory is large");
        let slots = vec![Slot { block: None, size: 0 }; slots];
        let mut churn = Churn { heap, slots, refused: 0, memory: core::marker::PhantomData };
        for (i, op) in (0u32..).zip(first.iter().take(churn.slots.len())) {
            churn.replace(Op { slot: i, size: op.size });
        }
        churn
    }

    /// The allocator.
    pub(crate) fn heap(&mut self) -> &mut A {
        &mut self.heap
    }

    #[inline(always)]
    fn free(&mut self, slot: u32) {
        let Slot { block, size } = self.slots[slot as usize];
        if let Some(block) = block {
            // SAFETY: live, and of this layout.
            unsafe { self.heap.deallocate(block, layout(size)) };
        }
    }

    #[inline(always)]
    fn fill(&mut self, op: Op) {
        let block = self.heap.allocate(layout(op.size));
        self.refused += usize::from(block.is_none());
        self.slots[op.slot as usize] = Slot { block, size: op.size };
    }

    #[inline(always)]
    fn replace(&mut self, op: Op) {
        self.free(op.slot);
        self.fill(op);
    }

    /// Frees every block.
    pub(crate) fn drain(&mut self) {
        for slot in 0..self.slots.len() {
            let Slot { block, size } = self.slots[slot];
            self.slots[slot].block = None;
            if let Some(block) = block {
                // SAFETY: live until now, and of this layout.
                unsafe { self.heap.deallocate(block, layout(size)) };
            }
        }
    }

    /// Runs the stream, or as much of it as there is time for; nanoseconds for each operation.
    pub(crate) fn mean(&mut self, ops: &[Op], most: Duration) -> f64 {
        let start = Instant::now();
        let mut done = 0;
        for chunk in ops.chunks(500) {
            for &op in chunk {
                self.replace(op);
            }
            done += chunk.len();
            if start.elapsed() > most {
                break;
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / done as f64
    }

    /// Ticks of every single free and every allocation.
    pub(crate) fn each(&mut self, ops: &[Op], most: Duration) -> Vec<u64> {
        let start = Instant::now();
        let mut all = Vec::with_capacity(2 * ops.len());
        for chunk in ops.chunks(500) {
            for &op in chunk {
                let first = crate::clock::ticks();
                self.free(op.slot);
                let second = crate::clock::ticks();
                self.fill(op);
                let third = crate::clock::ticks();
                all.push(second - first);
                all.push(third - second);
            }
            if start.elapsed() > most {
                break;
            }
        }
        all.sort_unstable();
        all
    }
}
