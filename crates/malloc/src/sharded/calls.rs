//! malloc and its family on sharded.
use object::size_class::{MAX_SIZE, class_of_aligned};
use page::System;

use super::Sharded;
use super::pages::{HEAD, Page, State};
use crate::chunks::{Chunk as _, MIN_MAPPING};
use crate::fallback;
use crate::misuse::{self, Misuse};

// SAFETY: blocks of pages, single blocks and mappings are disjoint, and come back before they are handed out again; every class
// is a multiple of 16, and every page begins at a multiple of 16 KiB.
unsafe impl<S: System> base::Malloc for Sharded<S> {
    fallback::by_halves!();

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        fallback::calloc(count, size, |size| match size {
            0..=MAX_SIZE => (self.malloc(size), false),
            _ => self.allocate_large(size, 1),
        })
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        let class = class_of_aligned(size, align).filter(|_| align <= HEAD);
        class.map_or_else(|| self.allocate_large(size, align).0, |class| self.allocate(class))
    }
}

impl<S: System> Sharded<S> {
    fn resize(
        &self,
        at: usize,
        (held, size): (usize, usize),
        page: Option<&Page>,
    ) -> Option<usize> {
        match page {
            Some(page) if page.class() != 0 => (size <= held && size > held / 2).then_some(at),
            Some(page) => page.resize_single(size).then_some(at),
            None if size < MIN_MAPPING => None,
            None => {
                let thread = self.thread();
                let make_room = || _ = thread.map(|thread| self.make_room(thread));
                let of = thread.map(|thread| &thread.segments);
                self.segments.resize_block(of, at, (held, size), make_room)
            }
        }
    }

    /// Frees a block of the calling thread, or has one of another thread's wait. `false`: it is neither, or looks wrong.
    #[inline(always)]
    pub(super) fn free_ready(&self, address: usize) -> bool {
        let Some(segment) = self.segments.of(address) else { return false };
        let (page, owner) = (segment.page_of(address), segment.owner());
        // SAFETY: a segment's owner is 0 or a record of ours.
        let Some(thread) = (unsafe { self.threads.current_if(owner) }) else {
            return self.wait_in_outbox(segment, address, owner);
        };
        address & 15 == 0 && self.free_local(thread, segment, page, address)
    }

    /// Frees what [`free_ready`](Self::free_ready) refused.
    #[inline(never)]
    pub(super) fn free_any(&self, address: usize) {
        if address == 0 {
            return;
        }
        let Some(segment) = self.segments.of(address) else {
            if !self.segments.unmap_block(address) {
                self.end_for("free()", address);
            }
            return;
        };
        // A thread without a record may have one now.
        if self.thread_to_free().is_some() && self.wait_in_outbox(segment, address, segment.owner())
        {
            return;
        }
        let page = segment.page_of(address);
        if page.is(State::None) || page.class() == 0 && page.start() != address {
            self.end_for("free()", address);
        }
        if address & 15 != 0 {
            misuse::end::<S>("free()", address, Misuse::Inside);
        }
        if self.thread().is_some_and(|thread| thread.address() == segment.owner()) {
            misuse::end::<S>("free()", address, Misuse::Free);
        }
        self.free_theirs(page, address);
    }
}
