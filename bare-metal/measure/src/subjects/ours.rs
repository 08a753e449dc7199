//! Our own.

use super::{Subject, subject};
use base::AddMemory;
use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{HalfFit, SmallTlsf, Tlsf};
use core::ptr::NonNull;
use kernel::size_slabs::SizeSlabs;
use probe::ours;

fn add(heap: &mut impl AddMemory, memory: NonNull<[u8]>) -> bool {
    // SAFETY: the memory is the allocator's until it is made anew.
    unsafe { heap.add_memory(memory.cast().as_ptr(), memory.len()) }.is_ok()
}

pub(crate) static OURS: &[Subject] = &[
    subject!(
        "tlsf",
        SmallTlsf,
        SmallTlsf::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_tlsf_malloc,
        ours::wcet_tlsf_free,
        (NonNull<u8>)
    ),
    subject!(
        "tlsflarge",
        Tlsf,
        Tlsf::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_tlsflarge_malloc,
        ours::wcet_tlsflarge_free,
        (NonNull<u8>)
    ),
    subject!(
        "halffit",
        HalfFit,
        HalfFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_halffit_malloc,
        ours::wcet_halffit_free,
        (NonNull<u8>)
    ),
    subject!(
        "firstfit",
        FirstFit,
        FirstFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_firstfit_malloc,
        ours::wcet_firstfit_free,
        (NonNull<u8>)
    ),
    subject!(
        "nextfit",
        NextFit,
        NextFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_nextfit_malloc,
        ours::wcet_nextfit_free,
        (NonNull<u8>)
    ),
    subject!(
        "bestfit",
        BestFit,
        BestFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_bestfit_malloc,
        ours::wcet_bestfit_free,
        (NonNull<u8>)
    ),
    subject!(
        "worstfit",
        WorstFit,
        WorstFit::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_worstfit_malloc,
        ours::wcet_worstfit_free,
        (NonNull<u8>)
    ),
    subject!(
        "buddy",
        Buddy,
        Buddy::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_buddy_malloc,
        ours::wcet_buddy_free,
        (NonNull<u8>, usize)
    ),
    subject!(
        "sizeslabs",
        SizeSlabs,
        SizeSlabs::new(),
        |heap, memory| add(heap, memory),
        ours::wcet_sizeslabs_malloc,
        ours::wcet_sizeslabs_free,
        (NonNull<u8>, usize)
    ),
];
