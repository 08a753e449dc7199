//! malloc and its family on thread-caching.
use core::ptr;

use page::System;

use super::classes::{MAX_SIZE, class_of, class_of_aligned};
use super::pages::PAGE;
use super::{MAX_SPAN, MIN_MAPPING, ThreadCaching};
use crate::fallback;
use crate::misuse::{self, Misuse};

// SAFETY: objects of spans, spans and mappings are disjoint, and come back before they are handed out again; every class of 16
// bytes and more is a multiple of 16, and every span begins with a page.
unsafe impl<S: System> base::Malloc for ThreadCaching<S> {
    #[inline]
    fn malloc(&self, size: usize) -> *mut u8 {
        let object = self.malloc_ready(size);
        if object.is_null() { self.malloc_any(size) } else { object }
    }

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

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        let address = ptr.expose_provenance();
        if address == 0 {
            return self.malloc(size);
        }
        if size > isize::MAX.cast_unsigned() {
            return ptr::null_mut();
        }
        let (held, span) = self.size_of("realloc()", address);
        if size <= held && size > held / 2 && span.is_none() && held <= MAX_SIZE {
            return ptr;
        }
        if let Some(span) = span {
            let is_large = size > MAX_SIZE && size <= MAX_SPAN;
            if is_large && self.pages.resize(span, size.div_ceil(PAGE)) {
                return ptr;
            }
        } else if held > MAX_SIZE && size >= MIN_MAPPING {
            let resize = || self.huge.resize(&self.pages.source, address, size);
            if let Some(at) = resize().or_else(|| self.make_room(resize)) {
                return ptr::with_exposed_provenance_mut(at);
            }
            if size <= held {
                return ptr;
            }
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

/// The halves of malloc and free.
impl<S: System> ThreadCaching<S> {
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
        let Some(cache) = self.cache().filter(|_| class != 0) else { return false };
        if cache.is_newest(class, address) {
            return false;
        }
        if !cache.push(class, address) {
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
                if self.cache().is_some_and(|cache| cache.is_newest(class, address)) {
                    misuse::end::<S>("free()", address, Misuse::Free);
                }
                self.free_uncached(class, address);
            }
        }
    }
}
