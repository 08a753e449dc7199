//! `heapwright/tlsf.h`: TLSF whose control block stands in the caller's memory, and the arena.
//!
//! ```text
//! memory                                                              memory + bytes
//!   │ pad │ handle │ control block │ record │ block │ block │ … │ sentinel │
//!         └ what C holds           └ end: the pool of create_with_pool
//! ```
//!
//! - **tlsf-C1** a control block may be cut off after the bins that its memory can fill, so no block
//!   is larger than [`Handle::largest`].
//! - **tlsf-C2** no pool overlaps the handle and the control block.

mod arena;
mod pools;
mod sizes;

use core::ptr::{self, NonNull};

use base::{BlockAllocator, Free, Owns, Reset, UsableSize};
use block::tlsf::{self, GRAIN};

use crate::call::{pointer, records_at};
use crate::common;

/// Bitmap words: blocks to 256 GiB on a 64-bit machine, to 32 MiB on a 32-bit one.
const WORDS: usize = if usize::BITS == 64 { 4 } else { 5 };
const STEPS: usize = 8;
const WORD: usize = size_of::<usize>();

#[cfg(not(any(feature = "neighbours", feature = "canaries")))]
type Tier = tlsf::Unchecked;
#[cfg(all(feature = "neighbours", not(feature = "canaries")))]
type Tier = tlsf::Neighbours;
#[cfg(feature = "canaries")]
type Tier = tlsf::Canaries;

/// With a control block as long as its memory needs.
type Placed = tlsf::PlacedTlsf<WORDS, STEPS, GRAIN, Tier>;
/// With a control block for any pool.
type Whole = tlsf::Tlsf<WORDS, STEPS, GRAIN, Tier>;

/// What `heapwright_tlsf *` points to: two words, and the control block behind them.
#[repr(C)]
struct Handle {
    /// So that what follows is aligned to the grain.
    pad: usize,
    /// The largest block whose bin is there (tlsf-C1): `usize::MAX` when all bins are. The core looks
    /// for it here, in the word below the control block.
    largest: usize,
}

const _: () = assert!(size_of::<Handle>() == GRAIN, "the control block behind it is aligned");

impl Handle {
    /// Bytes of the handle and the control block.
    fn len(&self) -> usize {
        size_of::<Handle>() + Placed::control_bytes(self.largest)
    }
}

/// The heap, if there is one.
/// The caller promises: `heap` is null or was made by one of the two functions below, and nobody else uses it.
#[inline(always)]
unsafe fn open(heap: *const Handle) -> Option<Placed> {
    let handle = NonNull::new(heap.cast_mut())?;
    // SAFETY: the control block follows the handle, in the same memory.
    let control = unsafe { handle.add(1) };
    // SAFETY: one stands there, of this geometry.
    Some(unsafe { Placed::found(control.cast()) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_create(memory: *mut u8, bytes: usize) -> *mut Handle {
    let Some((at, left)) = records_at::<Handle>(memory, bytes, GRAIN) else {
        return ptr::null_mut();
    };
    if left < sizes::WHOLE - sizes::PAD {
        return ptr::null_mut();
    }
    // SAFETY: the caller's gift, and `left` is enough.
    let control = unsafe { at.add(1) }.cast::<Whole>();
    // SAFETY: aligned for a word, and the caller's gift.
    unsafe { control.write(Whole::new()) };
    // SAFETY: as above.
    unsafe { at.write(Handle { pad: 0, largest: usize::MAX }) };
    at.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_create_with_pool(
    memory: *mut u8,
    bytes: usize,
) -> *mut Handle {
    let Some((at, left)) = records_at::<Handle>(memory, bytes, GRAIN) else {
        return ptr::null_mut();
    };
    let len = left - size_of::<Handle>();
    // The core leaves a grain in front of the control block, which is the handle.
    // SAFETY: the caller's gift.
    if unsafe { Placed::place(at.as_ptr().cast(), left) }.is_err() {
        return ptr::null_mut();
    }
    if sizes::is_whole(len) {
        // SAFETY: the caller's gift, aligned.
        unsafe { at.write(Handle { pad: 0, largest: usize::MAX }) };
    }
    at.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_malloc(heap: *mut Handle, size: usize) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return ptr::null_mut() };
    pointer(tlsf.allocate_bytes(size))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_malloc_at(
    heap: *mut Handle,
    address: *mut u8,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return ptr::null_mut() };
    pointer(tlsf.allocate_at(address, size))
}

/// For the functions below: the heap stands in the caller's memory, and is opened as a value.
macro_rules! with {
    ($heap:expr, $it:ident => $what:expr) => {{
        let $it = &mut { $heap };
        $what
    }};
}

common::clearing! { Handle, open, with; heapwright_tlsf_malloc heapwright_tlsf_calloc heapwright_tlsf_memalign }

common::resizing! {
    // SAFETY: the caller's promise.
    Handle, open, with, |_, block: NonNull<u8>| unsafe { heapwright_tlsf_block_size(block.as_ptr()) };
    heapwright_tlsf_malloc heapwright_tlsf_memalign heapwright_tlsf_realloc heapwright_tlsf_free
}
common::resizing_aligned! { Handle; heapwright_tlsf_realloc_aligned }
common::placed! { Handle, open, with; heapwright_tlsf_reset heapwright_tlsf_owns }
common::looking! { Handle, open, with, WORD; heapwright_tlsf_stats heapwright_tlsf_check heapwright_tlsf_walk }

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_block_size(block: *const u8) -> usize {
    let Some(block) = NonNull::new(block.cast_mut()) else { return 0 };
    // SAFETY: a heap that is used for nothing but the size, which stands at the block alone.
    let tlsf = unsafe { Placed::found(block) };
    // SAFETY: the block is live.
    unsafe { tlsf.usable_size(block) }
}
