//! Size slabs: the slab allocator of small kernels, a whole allocator by itself.
//!
//! ```text
//! request ≤ 2 KiB ─► class ─► partial[class] ─► slab ⇄ slab          one list for each class
//! request > 2 KiB ─► pages                       ▲ 2^k pages │ when empty
//!                      └──────────── buddy ──────┴───────────▼
//!
//! slab   ┌────────┬───┬────────┬────────┬────────┬─ … ─┬────────┐
//!        │ header │   │ object │ object │ object │     │ object │    at a multiple of its length
//!        └────────┴───┴────────┴────────┴────────┴─ … ─┴────────┘
//! ```
//!
//! - **size-slabs-Z1** a slab is in its class's list exactly when one of its objects is free.
//! - **size-slabs-Z2** a slab's free objects are those of its chain and those from `fresh` on; together with
//!   `live` ones that is all it has room for.
//! - **size-slabs-Z3** `used` is the sum of what was handed out: sizes of classes, and whole pages.
//!
//! One owner, no thread, no atomics: for kernels and firmware. The flagship's slabs, which
//! [`slab`](crate) describes, are another thing: theirs are found by a map and claimed by bits.
//! Here the layout that comes with a free says which class it is, and the slab is found by the
//! address, as the buddy system aligns it to its length. Allocating and freeing are O(1), and
//! O(orders) where a slab is taken or given back; one empty slab of each class is kept until
//! memory runs short, when the lists are walked for it. Bonwick, "The Slab Allocator", 1994.
use core::alloc::Layout;
use core::ptr::NonNull;

use crate::buddy::{Buddy, Chunk};
use base::{BlockAllocator, Owns, PageAllocator};

pub mod class;
mod inspect;
mod memory;
mod slab;

use class::{CLASSES, Class};
use slab::Slab;

/// Blocks up to 2 KiB out of slabs, larger ones as pages of `PAGE` bytes.
///
/// ```
/// use base::{AddMemory, BlockAllocator};
/// use core::alloc::Layout;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut heap = heapwright_kernel_allocators::size_slabs::SizeSlabs::<4096>::new();
/// // SAFETY: `memory` is the heap's alone and outlives it.
/// unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let layout = Layout::new::<[u64; 4]>();
/// let block = heap.allocate(layout).unwrap();
/// // SAFETY: `block` is live and of this layout.
/// unsafe { heap.deallocate(block, layout) };
/// ```
#[derive(Debug)]
pub struct SizeSlabs<const PAGE: usize = 4096> {
    partial: [Option<Slab>; CLASSES],
    pages: Buddy<PAGE>,
    used: usize,
    peak: usize,
    failures: usize,
}

// SAFETY: the slabs that it points to are its own.
unsafe impl<const PAGE: usize> Send for SizeSlabs<PAGE> {}

impl<const PAGE: usize> SizeSlabs<PAGE> {
    /// No memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { partial: [None; CLASSES], pages: Buddy::new(), used: 0, peak: 0, failures: 0 }
    }

    /// Gives the empty slabs that were kept back to the buddy system. O(listed slabs + classes ×
    /// orders).
    pub fn reclaim(&mut self) {
        for class in Class::all() {
            // One that was full may have come back in front of the one that is empty.
            let mut at = self.partial[class.index()];
            while let Some(slab) = at {
                at = slab.next();
                if slab.is_empty() {
                    self.retire(class, slab);
                }
            }
        }
    }

    #[inline]
    fn allocate_object(&mut self, class: Class) -> Option<NonNull<u8>> {
        let slab = match self.partial[class.index()] {
            Some(slab) => slab,
            None => self.new_slab(class)?,
        };
        let object = slab.pop(class.size());
        if slab.is_full(class.slab_len::<PAGE>()) {
            slab.unlink(&mut self.partial[class.index()]);
        }
        self.count(class.size());
        Some(object)
    }

    /// Takes pages for a slab; the only one of its class with free objects.
    #[cold]
    #[inline(never)]
    fn new_slab(&mut self, class: Class) -> Option<Slab> {
        let order = Buddy::<PAGE>::order_of(class.slab_len::<PAGE>());
        let chunk = self.with_reclaim(|pages| pages.take(order))?;
        let slab = Slab::create::<PAGE>(chunk, class);
        slab.link(&mut self.partial[class.index()]);
        Some(slab)
    }

    /// Gives the object back, and its slab when that is empty and not the only one.
    #[inline]
    fn free_object(&mut self, block: NonNull<u8>, class: Class) {
        debug_assert!(self.pages.owns(block.as_ptr()), "{block:p} is in no pool");
        let slab_len = class.slab_len::<PAGE>();
        let slab = Slab::of(block, slab_len);
        let list = &mut self.partial[class.index()];
        if slab.is_full(slab_len) {
            slab.link(list);
        }
        slab.push(block);
        self.used -= class.size();
        if slab.is_empty() && !slab.is_alone() {
            self.retire(class, slab);
        }
    }

    #[cold]
    #[inline(never)]
    fn retire(&mut self, class: Class, slab: Slab) {
        slab.unlink(&mut self.partial[class.index()]);
        let order = Buddy::<PAGE>::order_of(class.slab_len::<PAGE>());
        // SAFETY: no object of it is in use and no list has it; it was a chunk of this order.
        self.pages.give(unsafe { Chunk::from_raw::<PAGE>(slab.into_raw(), order) });
    }

    #[inline(never)]
    fn allocate_pages(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let count = layout.size().div_ceil(PAGE).max(1);
        let run = self.with_reclaim(|pages| pages.allocate_pages(count, layout.align()))?;
        self.count(count * PAGE);
        Some(run)
    }

    /// What `take` gives, if need be after giving back the empty slabs.
    fn with_reclaim<T>(&mut self, take: impl Fn(&mut Buddy<PAGE>) -> Option<T>) -> Option<T> {
        let taken = take(&mut self.pages).or_else(|| {
            self.reclaim();
            take(&mut self.pages)
        });
        self.failures += usize::from(taken.is_none());
        taken
    }

    #[inline]
    fn count(&mut self, bytes: usize) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

// SAFETY: an object was free in its slab, and its class's alignment is at least the layout's;
// pages are the buddy system's word.
unsafe impl<const PAGE: usize> BlockAllocator for SizeSlabs<PAGE> {
    /// O(1); O(orders) for a new slab and for pages; O(listed slabs) more when memory is short.
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        match Class::of(layout) {
            Some(class) => self.allocate_object(class),
            None => self.allocate_pages(layout),
        }
    }

    /// O(1); O(orders) where a slab goes back and for pages.
    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        if let Some(class) = Class::of(layout) {
            return self.free_object(block, class);
        }
        let count = layout.size().div_ceil(PAGE).max(1);
        self.used -= count * PAGE;
        // SAFETY: the caller gives up `count` pages.
        unsafe { self.pages.deallocate_pages(block, count) };
    }

    /// In place where class or number of pages stay the same; O(size) elsewhere.
    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise about `new_size`.
        let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let same = match (Class::of(layout), Class::of(wanted)) {
            (None, None) => layout.size().div_ceil(PAGE) == new_size.div_ceil(PAGE),
            (old, new) => old == new,
        };
        if same {
            return Some(block);
        }
        let new = self.allocate(wanted)?;
        // SAFETY: both are live, of at least the lesser size, and apart.
        unsafe { new.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
        // SAFETY: the caller gives it up.
        unsafe { self.deallocate(block, layout) };
        Some(new)
    }
}

impl<const PAGE: usize> Default for SizeSlabs<PAGE> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
