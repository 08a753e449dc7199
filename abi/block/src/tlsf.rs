//! `heapwright/tlsf.h`: TLSF whose control block stands in the caller's memory, and the arena.
//!
//! ```text
//! memory                                                              memory + bytes
//!   │ pad │ handle │ control block │ record │ block │ block │ … │ sentinel │
//!         └ what C holds           └ end: the pool of create_with_pool
//! ```
//!
//! - **C1** a control block may be cut off after the bins that its memory can fill, so no block
//!   is larger than [`Handle::largest`].
//! - **C2** no pool overlaps the handle and the control block.

mod arena;
mod pools;
mod sizes;

use core::alloc::Layout;
use core::ffi::{c_int, c_void};
use core::ptr::{self, NonNull};

use base::{BlockAllocator, Free, Owns, Reset, UsableSize};
use block::tlsf::{self, GRAIN};

use crate::call::{self, pointer, records_at};
use crate::error;
use crate::records::{self, ALL, CBroken, CStats, Visit};

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
    /// The largest block whose bin is there (C1): `usize::MAX` when all bins are. The core looks
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
///
/// # Safety
///
/// `heap` is null or was made by one of the two functions below, and nobody else uses it.
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
unsafe extern "C" fn heapwright_tlsf_calloc(
    heap: *mut Handle,
    count: usize,
    size: usize,
) -> *mut u8 {
    let bytes = count.saturating_mul(size);
    // SAFETY: the caller's promise.
    let block = unsafe { heapwright_tlsf_malloc(heap, bytes) };
    // SAFETY: just allocated with this size.
    unsafe { call::zeroed(block, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_memalign(
    heap: *mut Handle,
    alignment: usize,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return ptr::null_mut() };
    call::memalign(&mut tlsf, alignment, size)
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

impl call::Heap for *mut Handle {
    #[inline(always)]
    fn exists(self) -> bool {
        !self.is_null()
    }

    #[inline(always)]
    unsafe fn memalign(self, alignment: usize, size: usize) -> *mut u8 {
        if alignment == 1 {
            // SAFETY: the caller's promise.
            return unsafe { heapwright_tlsf_malloc(self, size) };
        }
        // SAFETY: as above.
        unsafe { heapwright_tlsf_memalign(self, alignment, size) }
    }

    #[inline(always)]
    unsafe fn free(self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { heapwright_tlsf_free(self, block) }
    }

    #[inline(always)]
    unsafe fn reallocate(self, block: NonNull<u8>, old: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let Some(mut heap) = (unsafe { open(self) }) else { return ptr::null_mut() };
        // SAFETY: as above.
        pointer(unsafe { heap.reallocate(block, old, size) })
    }

    #[inline(always)]
    unsafe fn usable(self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { heapwright_tlsf_block_size(block.as_ptr()) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_realloc(
    heap: *mut Handle,
    block: *mut u8,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { call::realloc(heap, block, 1, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_realloc_aligned(
    heap: *mut Handle,
    block: *mut u8,
    alignment: usize,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { call::realloc(heap, block, alignment, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_free(heap: *mut Handle, block: *mut u8) {
    let Some(block) = NonNull::new(block) else { return };
    // SAFETY: what the header asks of the caller.
    if let Some(mut tlsf) = unsafe { open(heap) } {
        // SAFETY: the block is live, and dead afterwards.
        unsafe { tlsf.free(block) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_block_size(block: *const u8) -> usize {
    let Some(block) = NonNull::new(block.cast_mut()) else { return 0 };
    // SAFETY: a heap that is used for nothing but the size, which stands at the block alone.
    let tlsf = unsafe { Placed::found(block) };
    // SAFETY: the block is live.
    unsafe { tlsf.usable_size(block) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_reset(heap: *mut Handle) {
    // SAFETY: what the header asks of the caller.
    if let Some(mut tlsf) = unsafe { open(heap) } {
        // SAFETY: no block is used afterwards.
        unsafe { tlsf.reset() }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_owns(heap: *const Handle, address: *const u8) -> c_int {
    // SAFETY: what the header asks of the caller.
    unsafe { open(heap) }.map_or(0, |tlsf| c_int::from(tlsf.owns(address)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_stats(heap: *const Handle, out: *mut CStats) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::stats(&tlsf, out) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_check(heap: *const Handle, out: *mut CBroken) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::check(&tlsf, out) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_walk(
    heap: *const Handle,
    visit: Option<Visit>,
    user: *mut c_void,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::walk(&tlsf, ALL, WORD, visit, user) }
}
