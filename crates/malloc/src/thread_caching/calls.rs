//! malloc and its family on thread-caching.
use core::ptr;

use page::System;

use super::classes::{MAX_SIZE, class_of, class_of_aligned};
use super::span::Span;
use super::{MAX_SPAN, MIN_MAPPING, ThreadCaching};
use crate::fallback;
use crate::misuse::{self, Misuse};

// SAFETY: objects of spans, spans and mappings are disjoint, and come back before they are handed out again; every class of 16
// bytes and more is a multiple of 16, and every span begins with a page.
unsafe impl<S: System> base::Malloc for ThreadCaching<S> {
    fallback::by_halves!();

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        fallback::calloc(count, size, |size| match size {
            0..=MAX_SIZE => (self.allocate(class_of(size)), false),
            _ => self.allocate_large(size, 1),
        })
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        match class_of_aligned(size.max(1), align) {
            Some(class) => self.allocate(class),
            None => self.allocate_large(size, align).0,
        }
    }
}

/// The halves of malloc and free.
impl<S: System> ThreadCaching<S> {
    fn resize(
        &self,
        at: usize,
        (held, size): (usize, usize),
        span: Option<&Span>,
    ) -> Option<usize> {
        match span {
            Some(span) => {
                let is_large = size > MAX_SIZE && size <= MAX_SPAN;
                (is_large && self.pages.resize(span, self.settings.pages_for(size))).then_some(at)
            }
            None if held <= MAX_SIZE => (size <= held && size > held / 2).then_some(at),
            None if size < MIN_MAPPING => None,
            None => {
                let resize = || self.huge.resize(&self.pages.source, at, size);
                let moved = resize().or_else(|| self.make_room(resize));
                moved.or((size <= held).then_some(at))
            }
        }
    }

    /// What lies ready. Null: nothing.
    #[inline(always)]
    pub(super) fn malloc_ready(&self, size: usize) -> *mut u8 {
        if size <= MAX_SIZE { self.pop(class_of(size)) } else { ptr::null_mut() }
    }

    /// What does not lie ready. Null: out of memory.
    #[inline(never)]
    pub(super) fn malloc_any(&self, size: usize) -> *mut u8 {
        if size <= MAX_SIZE {
            self.allocate_slow(class_of(size))
        } else {
            self.allocate_large(size, 1).0
        }
    }

    /// Frees to the cache. `false`: this is no object, or looks wrong, or the thread has no cache.
    #[inline(always)]
    pub(super) fn free_ready(&self, address: usize) -> bool {
        let class = self.pages.entry(address).class();
        if class == 0 {
            return false;
        }
        let Some(cache) = self.cache() else { return false };
        let Some(fits) = cache.push(class, address) else { return false };
        if !fits {
            self.free_slow(class);
        }
        true
    }

    /// Frees what [`free_ready`](Self::free_ready) refused.
    #[inline(never)]
    pub(super) fn free_any(&self, address: usize) {
        match self.pages.entry(address).class() {
            0 if address == 0 => {}
            0 => self.free_large(address),
            class => {
                if self.cache().is_some() {
                    misuse::end::<S>("free()", address, Misuse::Free);
                }
                self.free_uncached(class, address);
            }
        }
    }
}
