//! Our own.

use super::{Subject, subject};
use base::AddMemory;
use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{HalfFit, Tlsf};
use core::ptr::NonNull;
use probe::ours;

/// Adds memory that is long enough for any of ours.
fn add(heap: &mut impl AddMemory, memory: NonNull<[u8]>) {
    // SAFETY: the memory is the allocator's until it is made anew.
    if let Err(why) = unsafe { heap.add_memory(memory.cast().as_ptr(), memory.len()) } {
        machine::say!("fail: {why}");
        machine::exit(1);
    }
}

pub(crate) static OURS: &[Subject] = &[
    subject!(
        "tlsf",
        Tlsf,
        Tlsf::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_tlsf_malloc,
        ours::wcet_tlsf_free
    ),
    subject!(
        "halffit",
        HalfFit,
        HalfFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_halffit_malloc,
        ours::wcet_halffit_free
    ),
    subject!(
        "firstfit",
        FirstFit,
        FirstFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_firstfit_malloc,
        ours::wcet_firstfit_free
    ),
    subject!(
        "nextfit",
        NextFit,
        NextFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_nextfit_malloc,
        ours::wcet_nextfit_free
    ),
    subject!(
        "bestfit",
        BestFit,
        BestFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_bestfit_malloc,
        ours::wcet_bestfit_free
    ),
    subject!(
        "worstfit",
        WorstFit,
        WorstFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_worstfit_malloc,
        ours::wcet_worstfit_free
    ),
    subject!(
        "buddy",
        Buddy,
        Buddy::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_buddy_malloc,
        ours::wcet_buddy_free
    ),
];
