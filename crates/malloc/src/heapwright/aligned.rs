//! Aligned blocks: a class that is a multiple of the alignment, a run, or a mapping.
use core::ptr;

use base::Malloc;
use object::size_class::{QUANTUM, class_of_aligned};
use page::System;
use thread::{Tls, magazine};

use super::Flagship;

impl<S: System, T: Tls> Flagship<S, T> {
    /// `size` bytes at a multiple of `align`, a power of two. Null: out of memory.
    pub(super) fn allocate_aligned(&self, align: usize, size: usize) -> *mut u8 {
        debug_assert!(align.is_power_of_two());
        if align <= QUANTUM {
            return self.malloc(size);
        }
        let Some(class) = class_of_aligned(size, align) else {
            return self.allocate_large(size.max(1), align).0;
        };
        // SAFETY: a class of the table; the magazine is the calling thread's.
        let mut object = unsafe { magazine::pop(&self.tls, class) };
        // A block that shrank in place and was freed by its size lies in a magazine of a
        // smaller class, and is aligned only as its own class is.
        while object != 0 && !object.is_multiple_of(align) {
            self.end_process_on_fault("aligned_alloc()", self.give_back_one(object));
            // SAFETY: as above.
            object = unsafe { magazine::pop(&self.tls, class) };
        }
        if object != 0 {
            return ptr::with_exposed_provenance_mut(object);
        }
        // Refilling may find such a block too, behind nulls that sized frees have left.
        let fresh = self.refill(class);
        if fresh.addr().is_multiple_of(align) {
            return fresh;
        }
        self.end_process_on_fault("aligned_alloc()", self.give_back_one(fresh.addr()));
        self.allocate_aligned(align, size)
    }

    /// `size` zeroed bytes at a multiple of `align`, a power of two. Memory that is zero is not written. Null: out of memory.
    pub fn aligned_calloc(&self, align: usize, size: usize) -> *mut u8 {
        if align <= QUANTUM {
            return self.calloc(1, size);
        }
        if class_of_aligned(size, align).is_none() {
            return self.calloc_large(size.max(1), align);
        }
        let ptr = self.allocate_aligned(align, size);
        if !ptr.is_null() {
            // SAFETY: just allocated, at least `size` bytes.
            unsafe { ptr.write_bytes(0, size) };
        }
        ptr
    }
}
