//! The live blocks that are in the sample: asked with every free, so first by one byte for each page.
//!
//! ```text
//! address ─► page ─► counts: how many blocks of the sample are in pages of this place          0: it is none, for nearly all
//!        └─► hash ─► two buckets of eight addresses, in either of which it may be              both full: it is left out
//! ```
//!
//! Nothing is locked: a block is in the hands of one thread while it is remembered or forgotten (profile-F1), and a child of `fork` finds
//! what was whole.

use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering};

use crate::system;

/// Bytes of a page are 2 to this.
pub const PAGE: usize = 12;
/// Places of pages: of 16 GiB, which then begin anew.
const PAGES: usize = 1 << 22;
/// What a page's number is masked with.
pub const LAST_PAGE: usize = PAGES - 1;
/// Buckets of a cache line each: a million blocks.
const BUCKETS: usize = 1 << 17;
const LENGTH: usize = PAGES + BUCKETS * size_of::<Bucket>();

#[repr(C, align(64))]
struct Bucket([AtomicU64; 8]);

/// The counts, and behind them the buckets; mapped when a recording begins, and pages of it that nothing was written to are none.
pub static COUNTS: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

/// Maps the table, or empties it. `false`: there is no memory.
pub fn begin(is_child: bool) -> bool {
    let counts = COUNTS.load(Ordering::Relaxed);
    if counts.is_null() {
        let Ok(new) = system::memory(LENGTH) else { return false };
        COUNTS.store(new, Ordering::Relaxed);
    } else if !is_child {
        system::empty(counts, LENGTH);
    }
    true
}

/// Blocks in this page are always asked about.
pub fn watch(page: *mut u8) {
    count(page).store(u8::MAX, Ordering::Relaxed);
}

/// The count of the block's page. At its most it stays.
fn count(block: *mut u8) -> &'static AtomicU8 {
    let page = block.addr() >> PAGE & LAST_PAGE;
    // SAFETY: inside the mapping.
    let at = unsafe { COUNTS.load(Ordering::Relaxed).add(page) };
    // SAFETY: the mapping stays, and zeros are a count.
    unsafe { AtomicU8::from_ptr(at) }
}

/// The places where the block may be.
fn places(block: *mut u8) -> impl Iterator<Item = &'static AtomicU64> {
    let mixed = (block.addr() as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let numbers = [mixed >> 47, mixed >> 23].map(|hash| hash as usize % BUCKETS);
    numbers.into_iter().flat_map(|number| {
        // SAFETY: behind the counts.
        let first = unsafe { COUNTS.load(Ordering::Relaxed).add(PAGES) };
        // SAFETY: inside the mapping.
        let bucket = unsafe { first.cast::<Bucket>().add(number) };
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
