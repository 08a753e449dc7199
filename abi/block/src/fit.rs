//! `heapwright/fit.h`: one heap, whose policy is chosen when it is made.
//!
//! ```text
//! memory                                              memory + bytes
//!   │ pad │ handle │ record │ block │ block │ … │ sentinel │
//!                  └ first pool
//! ```

use core::ffi::c_int;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator, Free, Owns, RemoveMemory, Reset, UsableSize};
#[cfg(feature = "best-fit")]
use block::fit::BestFit;
#[cfg(feature = "first-fit")]
use block::fit::FirstFit;
#[cfg(feature = "next-fit")]
use block::fit::NextFit;
#[cfg(feature = "worst-fit")]
use block::fit::WorstFit;

use crate::common;

const WORD: usize = size_of::<usize>();

enum Heap {
    #[cfg(feature = "first-fit")]
    First(FirstFit),
    #[cfg(feature = "next-fit")]
    Next(NextFit),
    #[cfg(feature = "best-fit")]
    Best(BestFit),
    #[cfg(feature = "worst-fit")]
    Worst(WorstFit),
}

macro_rules! with {
    ($heap:expr, $fit:ident => $what:expr) => {
        match $heap {
            #[cfg(feature = "first-fit")]
            Heap::First($fit) => $what,
            #[cfg(feature = "next-fit")]
            Heap::Next($fit) => $what,
            #[cfg(feature = "best-fit")]
            Heap::Best($fit) => $what,
            #[cfg(feature = "worst-fit")]
            Heap::Worst($fit) => $what,
        }
    };
}

impl Heap {
    /// By the number of `enum heapwright_fit_policy`.
    fn of(policy: c_int) -> Option<Self> {
        Some(match policy {
            #[cfg(feature = "first-fit")]
            0 => Self::First(FirstFit::new()),
            #[cfg(feature = "next-fit")]
            1 => Self::Next(NextFit::new()),
            #[cfg(feature = "best-fit")]
            2 => Self::Best(BestFit::new()),
            #[cfg(feature = "worst-fit")]
            3 => Self::Worst(WorstFit::new()),
            _ => return None,
        })
    }
}

common::pooled! {
    Heap, with; heapwright_fit_add_pool heapwright_fit_remove_pool heapwright_fit_get_pool heapwright_fit_size
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_create(
    memory: *mut u8,
    bytes: usize,
    policy: c_int,
) -> *mut Handle {
    // SAFETY: the caller's gift.
    unsafe { create(memory, bytes, Heap::of(policy)) }
}

common::allocating! { Handle, open, with; heapwright_fit_malloc heapwright_fit_calloc heapwright_fit_memalign }

common::resizing! {
    // SAFETY: the caller's promise.
    Handle, open, with, |heap, block: NonNull<u8>| unsafe { heapwright_fit_block_size(heap, block.as_ptr()) };
    heapwright_fit_malloc heapwright_fit_memalign heapwright_fit_realloc heapwright_fit_free
}
common::resizing_aligned! { Handle; heapwright_fit_realloc_aligned }
common::placed! { Handle, open, with; heapwright_fit_reset heapwright_fit_owns }
common::looking! { Handle, open, with, WORD; heapwright_fit_stats heapwright_fit_check heapwright_fit_walk }

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_block_size(heap: *const Handle, block: *const u8) -> usize {
    let block = NonNull::new(block.cast_mut());
    // SAFETY: what the header asks of the caller.
    let (Some(heap), Some(block)) = (unsafe { open(heap.cast_mut()) }, block) else { return 0 };
    // SAFETY: the block is live.
    with!(heap, fit => unsafe { fit.usable_size(block) })
}
