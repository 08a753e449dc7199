//! The allocators compared with, each as its documentation has it used.

use crate::{ALIGN, address, entries, layout};
use core::ptr::NonNull;

/// rlsf in the geometry of its published figures.
pub type Rlsf = rlsf::Tlsf<'static, u16, u32, 16, 32>;
/// talc, given its memory by hand.
pub type Talc = talc::base::Talc<talc::source::Manual, talc::DefaultBinning>;
pub type LinkedList = linked_list_allocator::Heap;
/// `buddy_system_allocator` in the size it has by default.
pub type BuddySystem = buddy_system_allocator::Heap<32>;

entries! {
    wcet_rlsf_malloc(heap: &mut Rlsf, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_rlsf_free(heap: &mut Rlsf, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.deallocate(block, ALIGN) }
    }
    wcet_talc_malloc(heap: &mut Talc, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise; talc wants a size other than 0.
        address(unsafe { heap.allocate(layout(size)) })
    }
    wcet_talc_free(heap: &mut Talc, block: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { heap.deallocate(block, layout(size)) }
    }
    wcet_linkedlist_malloc(heap: &mut LinkedList, size: usize) -> *mut u8 {
        address(heap.allocate_first_fit(layout(size)).ok())
    }
    wcet_linkedlist_free(heap: &mut LinkedList, block: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { heap.deallocate(block, layout(size)) }
    }
    wcet_buddysystem_malloc(heap: &mut BuddySystem, size: usize) -> *mut u8 {
        address(heap.alloc(layout(size)).ok())
    }
    wcet_buddysystem_free(heap: &mut BuddySystem, block: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { heap.dealloc(block, layout(size)) }
    }
}
