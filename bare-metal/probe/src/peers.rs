//! The allocators compared with, each as its documentation has it used, in the geometry of the measured figures.

use crate::{ALIGN, entries, layout};
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};

type Rlsf = rlsf::Tlsf<'static, u16, u32, 16, 32>;
type Talc = talc::base::Talc<talc::source::Manual, talc::DefaultBinning>;
type LinkedList = linked_list_allocator::Heap;
type Buddy = buddy_system_allocator::Heap<32>;

fn address(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(null_mut(), NonNull::as_ptr)
}

entries! {
    wcet_rlsf_malloc(heap: &mut Rlsf, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_rlsf_free(heap: &mut Rlsf, block: NonNull<u8>) {
        // SAFETY: never run.
        unsafe { heap.deallocate(block, ALIGN) }
    }
    wcet_talc_malloc(heap: &mut Talc, size: usize) -> *mut u8 {
        // SAFETY: never run.
        address(unsafe { heap.allocate(layout(size)) })
    }
    wcet_talc_free(heap: &mut Talc, block: *mut u8, size: usize) {
        // SAFETY: never run.
        unsafe { heap.deallocate(block, layout(size)) }
    }
    wcet_linked_list_malloc(heap: &mut LinkedList, size: usize) -> *mut u8 {
        address(heap.allocate_first_fit(layout(size)).ok())
    }
    wcet_linked_list_free(heap: &mut LinkedList, block: NonNull<u8>, size: usize) {
        // SAFETY: never run.
        unsafe { heap.deallocate(block, layout(size)) }
    }
    wcet_buddy_system_malloc(heap: &mut Buddy, size: usize) -> *mut u8 {
        address(heap.alloc(layout(size)).ok())
    }
    wcet_buddy_system_free(heap: &mut Buddy, block: NonNull<u8>, size: usize) {
        // SAFETY: never run.
        unsafe { heap.dealloc(block, layout(size)) }
    }
}

/// talc links the alloc crate, which wants one; nobody asks it.
struct Refuses;

// SAFETY: gives nothing out.
unsafe impl GlobalAlloc for Refuses {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NONE: Refuses = Refuses;
