//! Growing and shrinking a block where it is.
//!
//! ```text
//! shrink   │ block used          │ next used   │     │ block │ rest free │ next used f │
//! shrink   │ block used   │ next free   │ used f │   │ block │ rest free         │ used f │
//! grow     │ block │ next free          │ used f │   │ block used │ rest free    │ used f │
//! ```
use core::alloc::Layout;
use core::ptr::NonNull;

use base::ResizeInPlace;

use super::block::{Block, MIN, block_size};
use super::{Fit, Policy};

impl<P: Policy> ResizeInPlace for Fit<P> {
    #[inline]
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        if new_size > isize::MAX as usize {
            return false;
        }
        // SAFETY: the caller's promise.
        let block = unsafe { Block::of(block) };
        let (old, size) = (block.size(), block_size(new_size));
        if size == old {
            return true;
        }
        let next = block.next();
        let room = if next.is_used() { old } else { old + next.size() };
        if size > room {
            return false;
        }
        if room > old {
            self.holes.remove_at(self.holes.find(next));
            block.set_size(room);
            block.next().set_previous_used();
        }
        if room - size >= MIN {
            let rest = block.further(size);
            block.set_size(size);
            rest.make_free(room - size);
            self.holes.insert(rest);
        }
        self.used = self.used - old + block.size();
        self.peak = self.peak.max(self.used);
        true
    }
}

impl<P: Policy> Fit<P> {
    /// The block with `new_size` bytes, in place if that can be.
    /// The caller promises: as [`BlockAllocator::reallocate`].
    pub(super) unsafe fn resize_or_move(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        if unsafe { self.resize_in_place(block, new_size) } {
            return Some(block);
        }
        // SAFETY: the caller's promise.
        unsafe { base::moved(self, block, layout, new_size) }
    }
}
