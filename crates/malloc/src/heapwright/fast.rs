//! The fast paths: what nearly every call of malloc and free is.
//!
//! Each is one or two comparisons and a magazine access; whatever else there is to do is in
//! [`slow`](super::slow). bench/golden holds their budgets: instructions, branches, loads,
//! stores. Nothing here may be an atomic operation or a call.
use core::hint::cold_path;

use base::sync::Ordering;
use object::size_class::{MAX_LINEAR, MAX_SIZE, class_of, linear_class_of};
use page::System;
use thread::{Tls, magazine};

use super::Flagship;

impl<S: System, T: Tls> Flagship<S, T> {
    /// As [`malloc_fast`](Self::malloc_fast) for sizes up to [`MAX_LINEAR`], whose class needs
    /// no table.
    #[inline(always)]
    pub fn malloc_linear(&self, size: usize) -> *mut u8 {
        // SAFETY: such a size has a class; the magazine is the calling thread's.
        let object = unsafe { magazine::pop(&self.tls, linear_class_of(size)) };
        core::ptr::with_exposed_provenance_mut(object)
    }

    /// An object of at least `size` bytes out of a magazine; null when there is none at hand
    /// (call [`malloc_slow`](Self::malloc_slow) then).
    #[inline(always)]
    pub fn malloc_fast(&self, size: usize) -> *mut u8 {
        let class = if size <= MAX_LINEAR {
            linear_class_of(size)
        } else if size <= MAX_SIZE {
            cold_path();
            class_of(size)
        } else {
            return core::ptr::null_mut();
        };
        // SAFETY: classes come from the table; the magazine is the calling thread's.
        let object = unsafe { magazine::pop(&self.tls, class) };
        core::ptr::with_exposed_provenance_mut(object)
    }

    /// Puts an object into its class's magazine. `false`: call
    /// [`free_slow`](Self::free_slow).
    /// # Safety
    /// As [`Malloc::free`](base::Malloc::free).
    #[inline(always)]
    pub unsafe fn free_fast(&self, ptr: *mut u8) -> bool {
        let address = ptr.expose_provenance();
        let Some(class) = self.pages.region.class_at(address) else { return false };
        // SAFETY: by region-R2 the class is one or 0; the caller gives the object up.
        unsafe { magazine::push(&self.tls, class, address) }
    }

    /// Whether there was a heap of its own, so that a size no longer tells which magazine takes a block (own-heap-W5).
    #[inline(always)]
    pub fn had_own_heaps(&self) -> bool {
        self.freed_by_size.load(Ordering::Relaxed) == 0
    }

    /// As [`free_sized_fast`](Self::free_sized_fast) for sizes up to [`MAX_LINEAR`].
    /// # Safety
    /// As [`Malloc::free_sized`](base::Malloc::free_sized).
    #[inline(always)]
    pub unsafe fn free_sized_linear(&self, ptr: *mut u8, size: usize) -> bool {
        // SAFETY: such a size has a class; the caller gives the object up.
        unsafe { magazine::push(&self.tls, linear_class_of(size), ptr.expose_provenance()) }
    }

    /// As [`free_fast`](Self::free_fast) for a block whose size is known, and that is of no heap of its own: nothing is
    /// looked up. Null is kept as an entry that reads as empty (magazine-A4).
    /// # Safety
    /// As [`Malloc::free_sized`](base::Malloc::free_sized).
    #[inline(always)]
    pub unsafe fn free_sized_fast(&self, ptr: *mut u8, size: usize) -> bool {
        let class = if size <= MAX_LINEAR {
            linear_class_of(size)
        } else if size <= MAX_SIZE {
            cold_path();
            class_of(size)
        } else {
            return false;
        };
        // SAFETY: classes come from the table; the caller gives the object up.
        unsafe { magazine::push(&self.tls, class, ptr.expose_provenance()) }
    }
}
