//! A block allocator on one pool of its own, until it refuses.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc;

use base::{AddMemory, BlockAllocator, Stats};
use block::tlsf::PlacedTlsf;

use super::calls::Call;

/// A pool begins at a multiple of this, so that a buddy's figures are the same each time.
const ALIGN: usize = 1 << 20;

/// What is used of an allocator.
pub(super) trait Heap: BlockAllocator + AddMemory + Stats {}
impl<T: BlockAllocator + AddMemory + Stats> Heap for T {}

macro_rules! heaps {
    ($({ name: $name:literal, id: $id:ident, about: $about:literal, type: $type:ty, $($rest:tt)* })*) => {
        pub(super) const NAMES: &[&str] = &[$($name),*];

        fn make(name: &str) -> Option<Box<dyn Heap>> {
            match name {
                $($name => Some(Box::new(<$type>::new())),)*
                _ => None,
            }
        }
    };
}
registry::blocks!(heaps);

/// An allocator on a pool, and its blocks.
pub(super) struct Tried {
    /// Before its memory: it is dropped first.
    heap: Box<dyn Heap>,
    is_tlsf: bool,
    memory: Memory,
    /// By slot.
    blocks: Vec<Option<NonNull<u8>>>,
    scattered: usize,
    is_refused: bool,
}

impl Tried {
    /// On a pool of `bytes` bytes; what is too short for the allocator's own records is refused at once. None: there is no
    /// allocator of this name, or no memory.
    pub(super) fn new(name: &str, bytes: usize) -> Option<Self> {
        let (mut heap, memory) = (make(name)?, Memory::new(bytes)?);
        // SAFETY: the memory is this heap's alone, and lives as long.
        let added = unsafe { heap.add_memory(memory.start.as_ptr(), bytes) };
        let (is_tlsf, is_refused) = (name == "tlsf", added.is_err());
        Some(Self { heap, is_tlsf, memory, blocks: Vec::new(), scattered: 0, is_refused })
    }

    pub(super) fn bytes(&self) -> usize {
        self.memory.bytes
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// The most bytes in blocks, and the most free ones beside the largest free block.
    pub(super) fn figures(&self) -> (usize, usize) {
        (self.heap.stats().peak, self.scattered)
    }

    /// Bytes of the allocator itself, which in C stand in front of the pool.
    pub(super) fn records(&self) -> usize {
        match self.is_tlsf {
            true => PlacedTlsf::<4, 8, 16>::control_bytes(self.bytes()),
            false => size_of_val(&*self.heap),
        }
    }

    pub(super) fn call(&mut self, call: &Call) {
        if self.is_refused {
            return;
        }
        match *call {
            Call::Allocate { slot, layout } => {
                let block = self.heap.allocate(layout);
                self.put(slot, block);
            }
            Call::Resize { slot, old, size } => self.resize(slot, old, size),
            Call::Free { slot, layout } => {
                if let Some(block) = self.take(slot) {
                    // SAFETY: the slot's block is live and has this layout.
                    unsafe { self.heap.deallocate(block, layout) };
                }
            }
        }
        let stats = self.heap.stats();
        let free = stats.total - stats.used;
        self.scattered = self.scattered.max(free.saturating_sub(stats.largest_free));
    }

    fn resize(&mut self, slot: usize, old: Layout, size: usize) {
        let Some(block) = self.take(slot) else { return };
        // SAFETY: the slot's block is live and has this layout; the new size made one too.
        let block = unsafe { self.heap.reallocate(block, old, size) };
        self.put(slot, block);
    }

    fn take(&mut self, slot: usize) -> Option<NonNull<u8>> {
        self.blocks.get_mut(slot)?.take()
    }

    fn put(&mut self, slot: usize, block: Option<NonNull<u8>>) {
        self.is_refused = block.is_none();
        if self.blocks.len() <= slot {
            self.blocks.resize(slot + 1, None);
        }
        self.blocks[slot] = block;
    }
}

/// Zeroed memory that is touched only where it is used, which it is not if a larger alignment is asked for.
struct Memory {
    all: NonNull<u8>,
    layout: Layout,
    start: NonNull<u8>,
    bytes: usize,
}

impl Memory {
    fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.checked_add(ALIGN)?, 1).ok()?;
        // SAFETY: the layout is not empty.
        let all = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
        let pad = all.addr().get().wrapping_neg() % ALIGN;
        // SAFETY: less than `ALIGN`, which the layout has beside the bytes.
        let start = unsafe { all.add(pad) };
        Some(Self { all, layout, start, bytes })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and not freed before.
        unsafe { alloc::dealloc(self.all.as_ptr(), self.layout) };
    }
}
