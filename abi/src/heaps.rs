//! First-class heaps for C: a heap is an opaque pointer.
use core::ptr;

use malloc::HEAP;
use malloc::heapwright::Heap;
use source::os::Os;

use crate::errno::{EINVAL, fail, or_enomem};

/// A new heap, or null with ENOMEM.
#[unsafe(no_mangle)]
extern "C" fn heapwright_heap_new() -> *const Heap<Os> {
    match HEAP.heap_new() {
        Some(heap) => ptr::from_ref(heap),
        None => or_enomem(ptr::null_mut()).cast(),
    }
}

/// `size` bytes in a heap, or null with ENOMEM.
/// The caller promises: `heap` is a live heap.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_heap_malloc(heap: *const Heap<Os>, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let heap = unsafe { &*heap };
    or_enomem(HEAP.heap_allocate(heap, 16, size))
}

/// As [`heapwright_heap_malloc`], at a multiple of `alignment`; EINVAL when that is no power
/// of two.
/// The caller promises: `heap` is a live heap.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_heap_aligned_alloc(
    heap: *const Heap<Os>,
    alignment: usize,
    size: usize,
) -> *mut u8 {
    if !alignment.is_power_of_two() {
        return fail(EINVAL);
    }
    // SAFETY: the caller's promise.
    let heap = unsafe { &*heap };
    or_enomem(HEAP.heap_allocate(heap, alignment, size))
}

/// Frees a heap with all its blocks; null is ignored.
/// The caller promises: `heap` is null or a live heap, and it and its blocks are dead afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_heap_destroy(heap: *const Heap<Os>) {
    // SAFETY: the caller's promise.
    if let Some(heap) = unsafe { heap.as_ref() } {
        // SAFETY: the caller's promise.
        unsafe { HEAP.heap_destroy(heap) };
    }
}
