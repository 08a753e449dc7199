//! What ours are compared with, each as its documentation has it used.

use super::{Subject, subject};
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use probe::peers::{self, BuddySystem, LinkedList, Rlsf, Talc};

pub(crate) static PEERS: &[Subject] = &[
    subject!(
        "rlsf",
        Rlsf,
        Rlsf::new(),
        // SAFETY: the memory is the allocator's until it is made anew.
        |heap, memory| unsafe { heap.insert_free_block_ptr(memory) }.is_some(),
        peers::wcet_rlsf_malloc,
        peers::wcet_rlsf_free,
        (NonNull<u8>)
    ),
    subject!(
        "talc",
        Talc,
        Talc::new(talc::source::Manual),
        // SAFETY: the memory is the allocator's until it is made anew.
        |heap, memory| unsafe { heap.claim(memory.cast().as_ptr(), memory.len()) }.is_some(),
        peers::wcet_talc_malloc,
        peers::wcet_talc_free,
        (*mut u8, usize)
    ),
    subject!(
        "linkedlist",
        LinkedList,
        LinkedList::empty(),
        |heap, memory| {
            // SAFETY: the memory is the allocator's until it is made anew.
            unsafe { heap.init(memory.cast().as_ptr(), memory.len()) };
            true
        },
        peers::wcet_linkedlist_malloc,
        peers::wcet_linkedlist_free,
        (NonNull<u8>, usize)
    ),
    subject!(
        "buddysystem",
        BuddySystem,
        BuddySystem::new(),
        |heap, memory| {
            // SAFETY: the memory is the allocator's until it is made anew.
            unsafe { heap.init(memory.addr().get(), memory.len()) };
            true
        },
        peers::wcet_buddysystem_malloc,
        peers::wcet_buddysystem_free,
        (NonNull<u8>, usize)
    ),
];

/// talc links the alloc crate, which wants one; nobody asks it.
struct Refuses;

// SAFETY: gives nothing out.
unsafe impl GlobalAlloc for Refuses {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NONE: Refuses = Refuses;
