//! The null allocator: the next bytes of a piece of memory that stays in the cache.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use base::bits::align_up;

/// Large enough for any block that a workload with a null allocator asks for, small enough for a second-level cache.
const BYTES: usize = 1 << 20;
/// No block is larger.
const LARGEST: usize = BYTES / 2;

static MEMORY: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Maps the memory.
pub(crate) fn start() {
    // SAFETY: malloc takes any size.
    let memory: *mut u8 = unsafe { libc::aligned_alloc(LARGEST, BYTES + LARGEST) }.cast();
    assert!(!memory.is_null(), "no memory for the null allocator");
    // SAFETY: the bytes are ours; touched, so that no page is touched first while time is taken.
    unsafe { memory.write_bytes(1, BYTES + LARGEST) };
    MEMORY.store(memory, Ordering::Relaxed);
}

/// The next block. Each thread goes its own way through the memory.
#[inline(always)]
pub(crate) fn allocate(align: usize, size: usize) -> *mut u8 {
    std::thread_local! {
        static AT: Cell<usize> = const { Cell::new(0) };
    }
    AT.with(|at| {
        let start = align_up(at.get() & (BYTES - 1), align.min(LARGEST));
        at.set(start + align_up(size.min(LARGEST), 16));
        MEMORY.load(Ordering::Relaxed).wrapping_add(start)
    })
}
