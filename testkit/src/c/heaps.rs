//! `Heaps`: the process's malloc and one of heapwright's own heaps, mixed.
//!
//! Every second size class is allocated from the heap, which any thread may use; all is freed by
//! the process's `free`. Purging also makes a heap, fills it and destroys it with its blocks.
use core::ffi::c_void;

use base::{Broken, Check, Malloc};

use super::{C, symbol};

type New = unsafe extern "C" fn() -> *mut c_void;
type Destroy = unsafe extern "C" fn(*mut c_void);
type Allocate = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Aligned = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;

/// The process's malloc with a heap beside it.
#[derive(Debug)]
pub struct Heaps {
    c: C,
    heap: *mut c_void,
    new: New,
    destroy: Destroy,
    malloc: Allocate,
    aligned: Aligned,
}

// SAFETY: heapwright.h: any thread may use a heap, several at once.
unsafe impl Sync for Heaps {}
// SAFETY: as above.
unsafe impl Send for Heaps {}

impl Heaps {
    /// A new heap; none where the process has no heaps, or no memory.
    pub fn new(c: C) -> Option<Heaps> {
        let new: New = symbol::find(c"heapwright_heap_new")?;
        let destroy = symbol::find(c"heapwright_heap_destroy")?;
        let malloc = symbol::find(c"heapwright_heap_malloc")?;
        let aligned = symbol::find(c"heapwright_heap_aligned_alloc")?;
        // SAFETY: heapwright.h: any thread, no arguments.
        let heap = unsafe { new() };
        (!heap.is_null()).then_some(Heaps { c, heap, new, destroy, malloc, aligned })
    }

    /// Purges; then a heap of the moment is filled and destroyed.
    pub fn purge(&self) {
        self.c.purge();
        // SAFETY: heapwright.h: any thread, no arguments.
        let heap = unsafe { (self.new)() };
        if heap.is_null() {
            return;
        }
        for size in [8, 40, 40, 200, 1000, 1000, 5000, 40_000, 300_000].repeat(8) {
            // SAFETY: the heap is this call's own; its blocks go with it.
            let block = unsafe { (self.malloc)(heap, size) };
            if !block.is_null() {
                // SAFETY: it was just allocated with this size.
                unsafe { block.write_bytes(0x5A, size) };
            }
        }
        // SAFETY: nobody else knows the heap.
        unsafe { (self.destroy)(heap) };
    }

    fn serves(size: usize) -> bool {
        (size / 16) % 2 == 1
    }
}

impl Drop for Heaps {
    fn drop(&mut self) {
        // SAFETY: nobody uses it any more, nor its blocks, if the runs were drained.
        unsafe { (self.destroy)(self.heap) };
    }
}

impl Check for Heaps {
    fn check(&self) -> Result<(), Broken> {
        self.c.check()
    }
}

// SAFETY: heapwright.h promises of a heap's blocks what the trait asks for.
unsafe impl Malloc for Heaps {
    fn malloc(&self, size: usize) -> *mut u8 {
        if !Heaps::serves(size) {
            return self.c.malloc(size);
        }
        // SAFETY: the heap lives as long as `self`.
        unsafe { (self.malloc)(self.heap, size) }.cast()
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        self.c.calloc(count, size)
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        if !Heaps::serves(size) {
            return self.c.aligned_alloc(align, size);
        }
        // SAFETY: the heap lives as long as `self`.
        unsafe { (self.aligned)(self.heap, align, size) }.cast()
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.malloc(size);
        }
        // SAFETY: the caller's promise.
        unsafe { self.c.realloc(ptr, size) }
    }

    unsafe fn free(&self, ptr: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.c.free(ptr) };
    }

    unsafe fn free_sized(&self, ptr: *mut u8, _: usize) {
        // SAFETY: the caller's promise; C23's `free_sized` is not for a heap's blocks.
        unsafe { self.c.free(ptr) };
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.c.usable_size(ptr) }
    }
}
