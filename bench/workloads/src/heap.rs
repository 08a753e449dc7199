//! Where the workloads get their memory: malloc, nothing at all, or a region allocator of this program.
//!
//! - **malloc** is called through the dynamic linker, so `LD_PRELOAD` replaces it. This is the fast path: one load and one
//!   branch before the call.
//! - **null** hands out one piece of memory in turn and takes nothing back: what is left is what the workload itself costs.
//! - **a region allocator** ([`region`]) is behind one lock, and is told a block's layout when it is freed.
//!
//! Rust's own collections come here too ([`Global`]).

pub(crate) mod null;
pub(crate) mod region;

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::check;
use crate::tail::{Call, timed};

/// The process's malloc, untimed.
const PLAIN: u8 = 0;
/// The same, every call counted.
const TIMED: u8 = 1;
const NULL: u8 = 2;
const REGION: u8 = 3;

static MODE: AtomicU8 = AtomicU8::new(PLAIN);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// C's guarantee on this machine.
pub(crate) const ALIGN: usize = 16;

/// Chooses by name. Blocks from before stay malloc's: whoever frees one is asked where it is from.
pub(crate) fn choose(name: &str, region_bytes: usize) -> Result<(), String> {
    let mode = match name {
        "malloc" => PLAIN,
        "null" => {
            null::start();
            check::expect_nothing();
            NULL
        }
        other => {
            region::start(other, region_bytes)?;
            REGION
        }
    };
    MODE.store(mode, Ordering::Relaxed);
    Ok(())
}

/// From now on calls of malloc are counted by [`crate::tail`].
pub(crate) fn count_calls() {
    let _ = MODE.compare_exchange(PLAIN, TIMED, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether data means nothing.
#[inline(always)]
pub(crate) fn is_null() -> bool {
    MODE.load(Ordering::Relaxed) == NULL
}

pub(crate) fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

/// Takes `count` out of those: requests that were to be refused.
pub(crate) fn were_to_be_refused(count: u64) {
    REFUSED.fetch_sub(count, Ordering::Relaxed);
}

/// `malloc`; null when it is refused, which is counted.
#[inline(always)]
pub(crate) fn malloc(size: usize) -> *mut u8 {
    match MODE.load(Ordering::Relaxed) {
        // SAFETY: malloc takes any size.
        PLAIN => seen(unsafe { libc::malloc(size) }.cast()),
        NULL => null::allocate(),
        _ => seen(malloc_slow(size)),
    }
}

/// `free`. A size of 0 says that neither size nor alignment is known.
/// The caller promises: `block` is null or a live block from this module, that was asked for with this size and alignment if they are
/// said.
#[inline(always)]
pub(crate) unsafe fn free(block: *mut u8, size: usize, align: usize) {
    match MODE.load(Ordering::Relaxed) {
        // SAFETY: the caller's promise.
        PLAIN => unsafe { libc::free(block.cast()) },
        NULL => {}
        // SAFETY: the caller's promise.
        _ => unsafe { free_slow(block, size, align) },
    }
}

#[inline(always)]
pub(crate) fn calloc(size: usize) -> *mut u8 {
    if MODE.load(Ordering::Relaxed) == PLAIN {
        // SAFETY: calloc takes any size.
        seen(unsafe { libc::calloc(1, size) }.cast())
    } else {
        calloc_slow(size)
    }
}

/// `realloc`. An old size of 0 says that neither it nor the alignment is known.
/// The caller promises: as of [`free`], by the old size.
#[inline(always)]
pub(crate) unsafe fn realloc(block: *mut u8, size: usize, old: usize, align: usize) -> *mut u8 {
    if MODE.load(Ordering::Relaxed) == PLAIN {
        // SAFETY: the caller's promise.
        seen(unsafe { libc::realloc(block.cast(), size) }.cast())
    } else {
        // SAFETY: the caller's promise.
        unsafe { realloc_slow(block, size, old, align) }
    }
}

/// `posix_memalign`; `align` is a power of two.
#[inline(always)]
pub(crate) fn aligned(align: usize, size: usize) -> *mut u8 {
    match MODE.load(Ordering::Relaxed) {
        PLAIN => seen(memalign(align, size)),
        NULL => null::allocate_aligned(align),
        _ => seen(aligned_slow(align, size)),
    }
}

fn memalign(align: usize, size: usize) -> *mut u8 {
    let mut block = core::ptr::null_mut();
    // SAFETY: the out-pointer is to a live local.
    let status =
        unsafe { libc::posix_memalign(&raw mut block, align.max(size_of::<usize>()), size) };
    if status == 0 { block.cast() } else { core::ptr::null_mut() }
}

#[inline(always)]
fn seen(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    block
}

#[inline(never)]
fn malloc_slow(size: usize) -> *mut u8 {
    if MODE.load(Ordering::Relaxed) == TIMED {
        // SAFETY: malloc takes any size.
        return timed(Call::Malloc, size, || unsafe { libc::malloc(size) }).cast();
    }
    aligned_slow(ALIGN, size)
}

#[inline(never)]
fn aligned_slow(align: usize, size: usize) -> *mut u8 {
    match MODE.load(Ordering::Relaxed) {
        NULL => null::allocate_aligned(align),
        REGION => timed(Call::Malloc, size, || region::allocate(align, size)),
        _ => timed(Call::Malloc, size, || memalign(align, size)),
    }
}

/// The caller promises: as of [`free`].
#[inline(never)]
unsafe fn free_slow(block: *mut u8, size: usize, align: usize) {
    match MODE.load(Ordering::Relaxed) {
        REGION if region::owns(block) => {
            // SAFETY: the caller's promise; it is the region's.
            timed(Call::Free, size, || unsafe { region::free(block, size, align) });
        }
        // SAFETY: the caller's promise; it is nobody else's.
        _ => timed(Call::Free, size, || unsafe { libc::free(block.cast()) }),
    }
}

#[inline(never)]
fn calloc_slow(size: usize) -> *mut u8 {
    if MODE.load(Ordering::Relaxed) == TIMED {
        // SAFETY: calloc takes any size.
        return seen(timed(Call::Malloc, size, || unsafe { libc::calloc(1, size) }).cast());
    }
    let block = seen(malloc_slow(size));
    if is_null() { block } else { zeroed(block, size) }
}

/// The same block of `size` bytes, or null, with its bytes 0.
fn zeroed(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        // SAFETY: `size` bytes that are ours.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

/// The caller promises: as of [`realloc`].
#[inline(never)]
unsafe fn realloc_slow(block: *mut u8, size: usize, old: usize, align: usize) -> *mut u8 {
    let has = match MODE.load(Ordering::Relaxed) {
        NULL => return null::allocate(),
        REGION if block.is_null() => 0,
        // SAFETY: a live block of the region.
        REGION if region::owns(block) => unsafe { region::size(block, old) },
        _ => {
            // SAFETY: the caller's promise; it is malloc's.
            let grow = || unsafe { libc::realloc(block.cast(), size) };
            return seen(timed(Call::Malloc, size, grow).cast());
        }
    };
    let new = if align == 0 { c_allocate(ALIGN, size) } else { seen(aligned_slow(ALIGN, size)) };
    if !new.is_null() && !block.is_null() {
        // SAFETY: both are live, of at least the lesser size, and apart.
        unsafe { new.copy_from_nonoverlapping(block, has.min(size)) };
        // SAFETY: the caller gives it up.
        unsafe { region::free(block, old, align) };
    }
    new
}

fn is_region() -> bool {
    MODE.load(Ordering::Relaxed) == REGION
}

/// A block of the region that is freed without a size, as C does.
#[inline(never)]
fn c_allocate(align: usize, size: usize) -> *mut u8 {
    seen(timed(Call::Malloc, size, || region::allocate_unsized(align, size)))
}

/// Rust's global allocator: the same heap, but for the null allocator, whose blocks hold no data, and for what a region
/// allocator refuses: it is counted as refused, and malloc's, because a collection cannot do without.
pub(crate) struct Global;

/// `block`, or one of malloc's where a region allocator has none.
#[inline(always)]
fn or_malloc(block: *mut u8, align: usize, size: usize) -> *mut u8 {
    if block.is_null() && MODE.load(Ordering::Relaxed) == REGION {
        return memalign(align, size);
    }
    block
}

// SAFETY: every block is one of malloc's or the region's, of the size and alignment asked for.
unsafe impl GlobalAlloc for Global {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (align, size) = (layout.align(), layout.size());
        if is_null() {
            return memalign(align, size);
        }
        let block = if is_plain(align, size) { malloc(size) } else { aligned(align, size) };
        or_malloc(block, align, size)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_null() {
            // SAFETY: the caller's promise; it is malloc's.
            return unsafe { libc::free(block.cast()) };
        }
        // SAFETY: the caller's promise.
        unsafe { free(block, layout.size(), layout.align()) };
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let plain = is_plain(layout.align(), layout.size());
        if plain && MODE.load(Ordering::Relaxed) == PLAIN {
            return calloc(layout.size());
        }
        // SAFETY: the caller's promise.
        zeroed(unsafe { self.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let plain = is_plain(layout.align(), new_size);
        if plain && matches!(MODE.load(Ordering::Relaxed), PLAIN | TIMED) {
            // SAFETY: the caller's promise.
            return unsafe { realloc(block, new_size, layout.size(), layout.align()) };
        }
        // SAFETY: the caller's promise about `new_size`.
        let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: the caller's promise.
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            // SAFETY: both are live, of at least the lesser size, and apart.
            unsafe { new.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
            // SAFETY: the caller gives it up.
            unsafe { self.dealloc(block, layout) };
        }
        new
    }
}

/// Whether malloc promises such an alignment: it may give small blocks no more than their size needs.
fn is_plain(align: usize, size: usize) -> bool {
    align <= ALIGN && align <= size
}

// For the workloads in C, which are compiled with `malloc` and the others defined as these.

#[unsafe(no_mangle)]
extern "C" fn work_malloc(size: usize) -> *mut u8 {
    if is_region() { c_allocate(ALIGN, size) } else { malloc(size) }
}

/// `free`.
/// The caller promises: as of C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn work_free(block: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { free(block, 0, 0) };
}

/// `calloc`; null when the product is too large.
#[unsafe(no_mangle)]
extern "C" fn work_calloc(count: usize, size: usize) -> *mut u8 {
    let mode = MODE.load(Ordering::Relaxed);
    match count.checked_mul(size) {
        Some(bytes) if mode == REGION => zeroed(c_allocate(ALIGN, bytes), bytes),
        Some(bytes) => calloc(bytes),
        // SAFETY: calloc takes any numbers.
        None if matches!(mode, PLAIN | TIMED) => seen(unsafe { libc::calloc(count, size) }.cast()),
        None => seen(core::ptr::null_mut()),
    }
}

/// `realloc`.
/// The caller promises: as of C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn work_realloc(block: *mut u8, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { realloc(block, size, 0, 0) }
}

/// `aligned_alloc`; null unless `align` is a power of two.
#[unsafe(no_mangle)]
extern "C" fn work_aligned_alloc(align: usize, size: usize) -> *mut u8 {
    match align.is_power_of_two() {
        true if is_region() => c_allocate(align, size),
        true => aligned(align, size),
        false => core::ptr::null_mut(),
    }
}

/// Whether data means nothing.
#[unsafe(no_mangle)]
extern "C" fn work_is_null() -> bool {
    is_null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malloc_is_trusted_with_no_more_than_it_promises() {
        assert!(is_plain(8, 8) && is_plain(16, 16) && is_plain(1, 3));
        assert!(!is_plain(16, 8) && !is_plain(8, 3) && !is_plain(32, 64));
    }
}
