//! The null allocator: the next place of a piece of memory that stays in the first cache, whatever the size, so that
//! what is left is what a workload computes and not where its blocks lie, which is an allocator's doing. Each thread
//! has a piece of its own, so that threads do not take each other's cache lines.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use base::bits::align_up;

/// Where blocks begin: small enough for a first-level cache. No bit of a piece's address is in it.
const BYTES: usize = 16 << 10;
/// From a block to the next one; they overlap, for what is in them means nothing.
const STEP: usize = 64;
/// No block is larger: as much as any workload with a null allocator asks for.
const LARGEST: usize = 1 << 19;
/// From a piece to the next: a block may begin at the end of the `BYTES`. Pieces are aligned to this.
const STRIDE: usize = 2 * LARGEST;
const _: () = assert!(BYTES + LARGEST <= STRIDE);
/// More threads than this share.
const PIECES: usize = 64;
/// Pieces that are touched before time is taken.
const READY: usize = 8;

static MEMORY: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static TAKEN: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn start() {
    // SAFETY: malloc takes any size.
    let memory: *mut u8 = unsafe { libc::aligned_alloc(STRIDE, PIECES * STRIDE) }.cast();
    assert!(!memory.is_null(), "no memory for the null allocator");
    // SAFETY: the bytes are ours.
    unsafe { memory.write_bytes(1, READY * STRIDE) };
    MEMORY.store(memory, Ordering::Relaxed);
}

#[inline(always)]
pub(crate) fn allocate() -> *mut u8 {
    next(|at| at)
}

/// The next block at a multiple of `align`, a power of two.
#[inline(always)]
pub(crate) fn allocate_aligned(align: usize) -> *mut u8 {
    next(|at| align_up(at, align.clamp(STEP, BYTES)))
}

#[inline(always)]
fn next(aligned: impl FnOnce(usize) -> usize) -> *mut u8 {
    std::thread_local! {
        static AT: Cell<*mut u8> = const { Cell::new(ptr::null_mut()) };
    }
    AT.with(|at| {
        let mut block = at.get();
        if block.is_null() {
            block = piece();
        }
        let block = block.map_addr(aligned);
        at.set(block.map_addr(|at| (at + STEP) & !BYTES));
        block
    })
}

#[cold]
fn piece() -> *mut u8 {
    let taken = TAKEN.fetch_add(1, Ordering::Relaxed);
    MEMORY.load(Ordering::Relaxed).wrapping_add(taken % PIECES * STRIDE)
}
