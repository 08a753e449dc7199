//! Blocks of more than a class has: pages of one block, and mappings.
use core::ptr;

use base::lock::Busy;
use page::System;

use super::heap::{Heap, Thread};
use super::pages::{Page, SLICE, State};
use super::{MAX_SINGLE, Sharded, size_of_class, wait};

impl<S: System> Sharded<S> {
    /// A block of more than a class has, and whether it is zero.
    #[cold]
    #[inline(never)]
    pub(super) fn allocate_large(&self, size: usize, align: usize) -> (*mut u8, bool) {
        if size > isize::MAX.cast_unsigned() {
            return (ptr::null_mut(), false);
        }
        if size <= MAX_SINGLE && align <= SLICE {
            let slices = size.max(1).div_ceil(SLICE).max(2);
            if let Some(thread) = self.thread_or_new()
                && let Some((at, zero)) = self.single(thread, &thread.heap, size, slices)
            {
                return (ptr::with_exposed_provenance_mut(at), zero);
            }
        }
        self.allocate_mapping(size, align)
    }

    /// A page of one block: it is full, so that who frees it tells.
    pub(super) fn single(
        &self,
        thread: &Thread,
        heap: &Heap,
        size: usize,
        slices: usize,
    ) -> Option<(usize, bool)> {
        let _busy = Busy::<S>::new();
        self.free_delayed(thread, heap);
        let (_, (page, start, _), zero) = self.take_slices(thread, slices)?;
        page.open(heap.address(), 0, 0, start, size);
        page.set_state(State::Full);
        heap.full.push(page);
        page.thread_free.want(true, wait::<S>);
        Some((start, zero))
    }

    pub(super) fn allocate_mapping(&self, size: usize, align: usize) -> (*mut u8, bool) {
        let thread = self.thread();
        let make_room = || _ = thread.map(|thread| self.make_room(thread));
        let of = thread.map(|thread| &thread.segments);
        let (at, zero) = self.segments.map_block(of, (size, align), make_room).unwrap_or((0, true));
        (ptr::with_exposed_provenance_mut(at), zero)
    }

    /// Bytes of the live block at `address`, and its page if it has one.
    pub(super) fn size_of(&self, caller: &str, address: usize) -> (usize, Option<&Page>) {
        if self.segments.of(address).is_some() {
            return self.size_in_page(address).unwrap_or_else(|| self.end_for(caller, address));
        }
        match self.segments.huge().len_of(address) {
            Some(len) => (len, None),
            None => self.end_for(caller, address),
        }
    }

    /// As [`size_of`](Self::size_of), of a block that has a page. `None`: there is no such block.
    pub(super) fn size_in_page(&self, address: usize) -> Option<(usize, Option<&Page>)> {
        let page = self.segments.of(address)?.page_of(address);
        match page.class() {
            0 if page.is(State::None) || page.start() != address => None,
            0 => Some((page.single_len(), Some(page))),
            class => Some((size_of_class(class), Some(page))),
        }
    }
}
