//! Blocks of 16 KiB and more: how many of their pages the program touches, as a replay cannot know it else.
//!
//! ```text
//! allocated ─► pages that are not resident yet? ─► its bit in a table of 4 KiB, and how many in a second table
//! leaves: no bit, nothing to count; a bit: how many of those are resident now ─► touched
//! ```
//!
//! A page that was resident before the block began says nothing: the block before it may have touched it. So what was touched of the
//! fresh pages stands for the whole block. The first table is written for such blocks only, and read by every free: 64 lines
//! that stay in each processor's cache.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use trace_format::{Event, Writer};

use crate::errno::Kept;
use crate::next::next;
use crate::system::page_size;
use crate::thread::Thread;
use crate::{clock, live, snapshot};

/// The smallest block whose pages are counted.
const LARGE: usize = 16 << 10;
/// The first table's bits.
const BITS: usize = 32 << 10;
/// The second table's places.
const PLACES: usize = 8 << 10;
/// Pages that are asked for at a time.
const AT_A_TIME: usize = 512;
/// The most pages of a block that are asked for: 256 MiB of them.
const MOST: usize = 64 << 10;
/// Counting takes at most this part of a thread's time.
const SHARE: u64 = 32;

static TABLE: [AtomicUsize; BITS / usize::BITS as usize] =
    [const { AtomicUsize::new(0) }; BITS / usize::BITS as usize];

/// A block in units of 16 bytes, above its fresh pages and whether it was there before: see [`Fresh`].
static FRESH: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

/// What was seen of a block when it began.
#[derive(Clone, Copy)]
struct Fresh {
    /// Pages that were not resident; at least one, at most [`MOST`].
    pages: u64,
    /// It was moved or grown by `realloc`: its other pages hold what it had before.
    is_moved: bool,
}

impl Fresh {
    /// Bits for the pages and for `is_moved`.
    const SHIFT: u32 = 18;

    fn write(self, block: *const u8) {
        let below = self.pages << 1 | u64::from(self.is_moved);
        let word = (block.addr() as u64 >> 4) << Self::SHIFT | below;
        FRESH[hash(block) % PLACES].store(word, Ordering::Relaxed);
    }

    /// Of this block; none if another one has taken its place.
    fn take(block: *const u8) -> Option<Self> {
        let place = &FRESH[hash(block) % PLACES];
        let word = place.load(Ordering::Relaxed);
        if word >> Self::SHIFT != (block.addr() as u64 >> 4) << Self::SHIFT >> Self::SHIFT {
            return None;
        }
        place.store(0, Ordering::Relaxed);
        let below = word & ((1 << Self::SHIFT) - 1);
        Some(Self { pages: below >> 1, is_moved: below & 1 != 0 })
    }
}

#[inline(always)]
fn hash(block: *const u8) -> usize {
    ((block.addr() as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49) as usize
}

#[inline(always)]
fn place(block: *const u8) -> (&'static AtomicUsize, usize) {
    let hash = hash(block);
    (&TABLE[hash / usize::BITS as usize % TABLE.len()], 1 << (hash % usize::BITS as usize))
}

/// Notes a new block, or one that `realloc` moved or grew.
#[inline(always)]
pub(crate) fn allocated(block: *mut u8, size: usize, is_moved: bool) {
    if size >= LARGE {
        note(block, is_moved);
    }
}

#[cold]
#[inline(never)]
fn note(block: *mut u8, is_moved: bool) {
    if live::is_asked_for() {
        return;
    }
    // What is known of a block that was here before says nothing of this one, which may not be looked at.
    let _ = Fresh::take(block);
    let (thread, time) = (Thread::this(), clock::now());
    if time < thread.no_pages_before.get() {
        return;
    }
    let _errno = Kept::now();
    let pages = pages(block).and_then(|(all, resident)| all.checked_sub(resident));
    let now = clock::now();
    thread.no_pages_before.set(now + now.saturating_sub(time) * SHARE);
    if let Some(pages) = pages.filter(|pages| *pages > 0) {
        Fresh { pages, is_moved }.write(block);
        let (word, bit) = place(block);
        word.fetch_or(bit, Ordering::Relaxed);
    }
}

/// Whether something was noted of a block, or of another one in its place.
#[inline(always)]
pub(crate) fn may_be(block: *const u8) -> bool {
    let (word, bit) = place(block);
    word.load(Ordering::Relaxed) & bit != 0
}

/// Any block may have been noted: some were there before the recording. Bits go with the first block that is freed; what an earlier
/// recording has seen of blocks is forgotten.
pub(crate) fn suspect_all() {
    FRESH.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    TABLE.iter().for_each(|word| word.store(usize::MAX, Ordering::Relaxed));
}

/// Writes what is to be said of a block that is freed now, of which something was noted or which was there before.
#[cold]
pub(crate) fn leaves(writer: &mut Writer, block: *mut u8, time: u64) {
    let _errno = Kept::now();
    snapshot::note(writer, block, time);
    if !snapshot::is_open() {
        let (word, bit) = place(block);
        word.fetch_and(!bit, Ordering::Relaxed);
    }
    if let Some(pages) = touched(block) {
        // SAFETY: there is room for the events of a call.
        unsafe { writer.event(time, &Event::Touched { pages }) };
    }
}

/// How many pages of a block were touched, which is freed now; `None`: nothing was noted of it.
fn touched(block: *mut u8) -> Option<u64> {
    let fresh = Fresh::take(block)?;
    let (all, resident) = pages(block)?;
    let before = all.checked_sub(fresh.pages)?;
    if fresh.is_moved {
        return Some(resident);
    }
    // Rounded up: who touched one page of two hundred has touched some.
    Some((resident.saturating_sub(before) * all).div_ceil(fresh.pages))
}

/// All pages of a block, and those that are resident; `None`: the system does not say, or they are too many to ask.
fn pages(block: *mut u8) -> Option<(u64, u64)> {
    // SAFETY: the block is live until the next malloc is told.
    let usable = unsafe { next().malloc_usable_size.get()(block) };
    let page = page_size();
    let all = (block.addr() + usable).div_ceil(page) - block.addr() / page;
    Some((all as u64, resident(block.addr(), usable)?))
}

/// How many pages of a block are resident; `None`: the system does not say, or it is too long to ask.
fn resident(at: usize, len: usize) -> Option<u64> {
    let page = page_size();
    let first = at / page;
    let end = (at + len).div_ceil(page);
    if end - first > MOST {
        return None;
    }
    let mut found = 0;
    let mut pages = [0u8; AT_A_TIME];
    for start in (first..end).step_by(AT_A_TIME) {
        let pages = &mut pages[..AT_A_TIME.min(end - start)];
        let len = pages.len() * page;
        // SAFETY: the kernel writes a byte for each page.
        if unsafe { libc::syscall(libc::SYS_mincore, start * page, len, pages.as_mut_ptr()) } != 0 {
            return None;
        }
        found += pages.iter().filter(|&&page| page & 1 != 0).count() as u64;
    }
    Some(found)
}
