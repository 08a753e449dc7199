//! A few kilobytes for what the loader allocates while it is asked for the next malloc. Never given back.

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

const SIZE: usize = 32 << 10;

#[repr(align(64))]
struct Arena(UnsafeCell<[u8; SIZE]>);

// SAFETY: pieces of it are handed out once.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; SIZE]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// A zeroed block; null when there is none left.
pub(crate) fn allocate(size: usize, align: usize) -> *mut u8 {
    let align = align.clamp(16, 4096);
    let Some(whole) = size.max(1).checked_add(align) else { return ptr::null_mut() };
    let used = USED.fetch_add(whole.next_multiple_of(16), Ordering::Relaxed);
    if used + whole > SIZE {
        return ptr::null_mut();
    }
    let start = ARENA.0.get().cast::<u8>().wrapping_add(used);
    start.wrapping_add(start.addr().next_multiple_of(align) - start.addr())
}

/// Whether a block is of here.
#[inline(always)]
pub(crate) fn has(block: *const u8) -> bool {
    block.addr().wrapping_sub(ARENA.0.get().addr()) < SIZE
}

/// An address in each page of this size that a block of here may lie in.
#[cfg(target_arch = "x86_64")]
pub(crate) fn pages(size: usize) -> impl Iterator<Item = *mut u8> {
    let first = ARENA.0.get().cast::<u8>();
    (0..SIZE).step_by(size).chain([SIZE - 1]).map(move |at| first.wrapping_add(at))
}

/// Whether any was given out.
pub(crate) fn is_used() -> bool {
    USED.load(Ordering::Relaxed) != 0
}

/// Moves a block of here to a larger place: all that can be of it, as its size is not known. The place.
pub(crate) fn grow(block: *mut u8, size: usize, place: *mut u8) -> *mut u8 {
    if !place.is_null() && has(block) {
        let rest = SIZE - (block.addr() - ARENA.0.get().addr());
        // SAFETY: both have that many bytes.
        unsafe { ptr::copy(block, place, size.min(rest)) };
    }
    place
}
