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

macro_rules! ours {
    ($($name:literal $type:ident: $malloc:ident, $free:ident($($given:ty),*);)*) => {
        pub(crate) static OURS: &[Subject] = &[$(subject!(
            $name,
            $type,
            $type::new(),
            |heap, memory| add(heap, memory),
            ours::$malloc,
            ours::$free,
            ($($given),*)
        )),*];
    };
}

ours! {
    "tlsf" SmallTlsf: wcet_tlsf_malloc, wcet_tlsf_free(NonNull<u8>);
    "tlsflarge" Tlsf: wcet_tlsflarge_malloc, wcet_tlsflarge_free(NonNull<u8>);
    "halffit" HalfFit: wcet_halffit_malloc, wcet_halffit_free(NonNull<u8>);
    "firstfit" FirstFit: wcet_firstfit_malloc, wcet_firstfit_free(NonNull<u8>);
    "nextfit" NextFit: wcet_nextfit_malloc, wcet_nextfit_free(NonNull<u8>);
    "bestfit" BestFit: wcet_bestfit_malloc, wcet_bestfit_free(NonNull<u8>);
    "worstfit" WorstFit: wcet_worstfit_malloc, wcet_worstfit_free(NonNull<u8>);
    "buddy" Buddy: wcet_buddy_malloc, wcet_buddy_free(NonNull<u8>, usize);
    "sizeslabs" SizeSlabs: wcet_sizeslabs_malloc, wcet_sizeslabs_free(NonNull<u8>, usize);
}
