//! `heapwright/fit.h`: one heap, whose policy is chosen when it is made.
//!
//! ```text
//! memory                                              memory + bytes
//!   │ pad │ handle │ record │ block │ block │ … │ sentinel │
//!                  └ first pool
//! ```

use core::ffi::c_int;
use core::ptr::{self, NonNull};

use base::{AddMemory, BlockAllocator, Free, Owns, RemoveMemory, Reset, UsableSize};
#[cfg(feature = "best-fit")]
use block::fit::BestFit;
#[cfg(feature = "first-fit")]
use block::fit::FirstFit;
#[cfg(feature = "next-fit")]
use block::fit::NextFit;
#[cfg(feature = "worst-fit")]
use block::fit::WorstFit;

use crate::call;
use crate::common;
use crate::error;

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

/// What `heapwright_fit *` points to.
struct Handle {
    heap: Heap,
    /// The first pool begins behind it.
    end: *mut u8,
}

/// The heap, if there is one.
/// The caller promises: `heap` is null or was made by `heapwright_fit_create`, and nobody else uses it.
#[inline(always)]
unsafe fn open<'a>(heap: *mut Handle) -> Option<&'a mut Heap> {
    // SAFETY: the caller's promise.
    Some(&mut unsafe { heap.as_mut() }?.heap)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_create(
    memory: *mut u8,
    bytes: usize,
    policy: c_int,
) -> *mut Handle {
    let at = call::records_at::<Handle>(memory, bytes, align_of::<Handle>());
    let (Some((at, left)), Some(mut heap)) = (at, Heap::of(policy)) else {
        return ptr::null_mut();
    };
    // SAFETY: `left` is enough for the handle.
    let pool = unsafe { at.add(1) }.cast::<u8>().as_ptr();
    let rest = left - size_of::<Handle>();
    // SAFETY: the caller's gift.
    if with!(&mut heap, fit => unsafe { fit.add_memory(pool, rest) }).is_err() {
        return ptr::null_mut();
    }
    // SAFETY: the caller's gift, aligned.
    unsafe { at.write(Handle { heap, end: pool }) };
    at.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_add_pool(
    heap: *mut Handle,
    memory: *mut u8,
    bytes: usize,
) -> c_int {
    let own = heap.cast_const().cast();
    // SAFETY: what the header asks of the caller.
    let Some(heap) = (unsafe { open(heap) }) else { return error::NULL };
    let allowed = call::addable(memory, bytes, own, size_of::<Handle>());
    error::added(allowed.and_then(|()| {
        // SAFETY: the caller gives the memory.
        with!(heap, fit => unsafe { fit.add_memory(memory, bytes) })
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_remove_pool(heap: *mut Handle, pool: *mut u8) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(heap) = (unsafe { open(heap) }) else { return error::NULL };
    error::removed(with!(heap, fit => fit.remove_memory(pool)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_fit_get_pool(heap: *const Handle) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { heap.as_ref() }.map_or(ptr::null_mut(), |handle| handle.end)
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

#[unsafe(no_mangle)]
extern "C" fn heapwright_fit_size() -> usize {
    size_of::<Handle>()
}
