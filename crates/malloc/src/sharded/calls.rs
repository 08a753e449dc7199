//! malloc and its family on sharded.
use core::ptr;

use object::size_class::{MAX_SIZE, class_of_aligned};
use page::System;

use super::Sharded;
use super::pages::{HEAD, State};
use crate::chunks::{Chunk as _, MIN_MAPPING};
use crate::fallback;
use crate::misuse::{self, Misuse};

// SAFETY: blocks of pages, single blocks and mappings are disjoint, and come back before they are handed out again; every class
// is a multiple of 16, and every page begins at a multiple of 16 KiB.
unsafe impl<S: System> base::Malloc for Sharded<S> {
    #[inline]
    fn malloc(&self, size: usize) -> *mut u8 {
        let block = self.malloc_ready(size);
        if block.is_null() { self.malloc_any(size) } else { block }
    }

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

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        let address = ptr.expose_provenance();
        if address == 0 {
            return self.malloc(size);
        }
        if size > isize::MAX.cast_unsigned() {
            return ptr::null_mut();
        }
        let (held, page) = self.size_of("realloc()", address);
        match page {
            Some(page) if page.class() != 0 && size <= held && size > held / 2 => return ptr,
            Some(page) if page.class() == 0 && page.resize_single(size) => return ptr,
            None if size >= MIN_MAPPING => {
                let thread = self.thread();
                let make_room = || _ = thread.map(|thread| self.make_room(thread));
                let of = thread.map(|thread| &thread.segments);
                let moved = self.segments.resize_block(of, address, (held, size), make_room);
                if let Some(at) = moved {
                    return ptr::with_exposed_provenance_mut(at);
                }
            }
            _ => {}
        }
        // SAFETY: the caller's promise.
        unsafe { fallback::realloc_by_copy(self, ptr, held, size) }
    }

    #[inline]
    unsafe fn free(&self, ptr: *mut u8) {
        if !self.free_ready(ptr.expose_provenance()) {
            self.free_any(ptr.addr());
        }
    }

    #[inline]
    unsafe fn free_sized(&self, ptr: *mut u8, _size: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.free(ptr) };
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        if ptr.is_null() { 0 } else { self.size_of("malloc_usable_size()", ptr.addr()).0 }
    }
}

impl<S: System> Sharded<S> {
    /// Frees a block of the calling thread. `false`: it is none, or looks wrong.
    #[inline(always)]
    pub(super) fn free_ready(&self, address: usize) -> bool {
        let Some(segment) = self.segments.of(address) else { return false };
        let page = segment.page_of(address);
        // SAFETY: a segment's owner is 0 or a record of ours.
        let Some(thread) = (unsafe { self.threads.current_if(segment.owner()) }) else {
            return false;
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
        self.free_theirs(segment, page, address);
    }
}
