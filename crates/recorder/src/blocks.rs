//! The live blocks that are in the sample: asked with every free, so first by one byte for each page.
//!
//! ```text
//! address ─► bits 12 to 31 ─► counts: how many blocks of the sample are in pages of this place     0: it is none, for nearly all
//!        └─► hash ─► two buckets of eight addresses, in either of which it may be              both full: it is left out
//! ```
//!
//! Nothing is locked: a block is in the hands of one thread while it is remembered or forgotten (profile-F1), and a child of `fork` finds
//! what was whole.

use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering};

use crate::system;

/// Bytes of a page are 2 to this.
pub const PAGE: usize = 12;
/// Places of pages: those of 4 GiB, which then begin anew, so that the low half of an address says which.
const PAGES: usize = 1 << (u32::BITS as usize - PAGE);
/// Buckets of a cache line each: a million blocks.
const BUCKETS: usize = 1 << 17;
const LENGTH: usize = BUCKETS * size_of::<Bucket>();

#[repr(C, align(64))]
struct Bucket([AtomicU64; 8]);

/// Of the program's own data, so that no pointer to it is read first. Pages of it that nothing was written to are none.
#[repr(C, align(4096))]
pub struct Counts([AtomicU8; PAGES]);

/// How many blocks of the sample lie in pages of each place.
pub static COUNTS: Counts = Counts([const { AtomicU8::new(0) }; PAGES]);
/// Mapped when a recording begins.
static PLACES: AtomicPtr<Bucket> = AtomicPtr::new(core::ptr::null_mut());

/// Maps the buckets, or empties both. `false`: there is no memory.
pub fn begin(is_child: bool) -> bool {
    let buckets = PLACES.load(Ordering::Relaxed);
    if buckets.is_null() {
        let Ok(new) = system::memory(LENGTH) else { return false };
        PLACES.store(new.cast(), Ordering::Relaxed);
    } else if !is_child {
        system::empty(buckets.cast(), LENGTH);
        COUNTS.0.chunks(1 << PAGE).for_each(empty);
    }
    true
}

/// Blocks that are watched stay so all the time: threads, and a child of `fork`, may free while a recording begins.
fn empty(counts: &[AtomicU8]) {
    let of = |count: &AtomicU8| count.load(Ordering::Relaxed);
    if counts.iter().any(|count| of(count) == u8::MAX) {
        let others = counts.iter().filter(|count| !matches!(of(count), 0 | u8::MAX));
        others.for_each(|count| count.store(0, Ordering::Relaxed));
    } else if counts.iter().any(|count| of(count) != 0) {
        system::empty(counts.as_ptr().cast_mut().cast(), counts.len());
    }
}

/// Blocks in this page are always asked about.
pub fn watch(page: *mut u8) {
    count(page).store(u8::MAX, Ordering::Relaxed);
}

/// The count of the block's page. At its most it stays.
fn count(block: *mut u8) -> &'static AtomicU8 {
    &COUNTS.0[block.addr() as u32 as usize >> PAGE]
}

/// The places where the block may be.
fn places(block: *mut u8) -> impl Iterator<Item = &'static AtomicU64> {
    let mixed = (block.addr() as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let numbers = [mixed >> 47, mixed >> 23].map(|hash| hash as usize % BUCKETS);
    numbers.into_iter().flat_map(|number| {
        // SAFETY: inside the mapping.
        let bucket = unsafe { PLACES.load(Ordering::Relaxed).add(number) };
        // SAFETY: the mapping stays, and zeros are a bucket.
        unsafe { &*bucket }.0.iter()
    })
}

/// Remembers a block. `false`: there is no room.
pub fn insert(block: *mut u8) -> bool {
    let at = block.addr() as u64;
    let put = |place: &AtomicU64| {
        place.compare_exchange(0, at, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    };
    // One that is there already was freed unseen.
    if has(block) {
        return true;
    }
    let is_in = places(block).any(put);
    if is_in {
        change(count(block), |count| count.checked_add(1));
    }
    is_in
}

/// Whether one of the blocks in this one's page is in the sample.
#[inline(always)]
pub(crate) fn may_have(block: *mut u8) -> bool {
    count(block).load(Ordering::Relaxed) != 0
}

/// Whether the block is in the sample.
pub fn has(block: *mut u8) -> bool {
    let at = block.addr() as u64;
    may_have(block) && places(block).any(|place| place.load(Ordering::Relaxed) == at)
}

/// Forgets a block. `false`: it was not in the sample.
pub fn remove(block: *mut u8) -> bool {
    let at = block.addr() as u64;
    let take = |place: &AtomicU64| {
        place.compare_exchange(at, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    };
    let was_in = at != 0 && may_have(block) && places(block).any(take);
    if was_in {
        change(count(block), |count| if count == u8::MAX { None } else { count.checked_sub(1) });
    }
    was_in
}

fn change(count: &AtomicU8, to: impl FnMut(u8) -> Option<u8>) {
    // At its most it stays.
    let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, to);
}

#[cfg(test)]
mod tests;
