//! Blocks of 16 KiB and more: how many of their pages were used is asked when they are freed, as a replay cannot know it else.
//!
//! ```text
//! allocated ─► its bit in a table of 4 KiB     leaves: no bit, no large block; a bit, and the malloc is asked for its size
//! ```
//!
//! The table is written for large blocks only, and read by every free: 64 lines that stay in each processor's cache.

use core::sync::atomic::{AtomicUsize, Ordering};

use trace_format::{Event, Writer};

use crate::errno::Kept;
use crate::next::next;
use crate::system::page_size;
use crate::thread::Thread;
use crate::{clock, snapshot};

/// The smallest block whose pages are counted.
const LARGE: usize = 16 << 10;
/// The table's bits.
const BITS: usize = 32 << 10;
/// Pages that are asked for at a time.
const AT_A_TIME: usize = 512;
/// The most pages of a block that are asked for: 256 MiB of them.
const MOST: usize = 64 << 10;
/// Counting takes at most one part in so many of a thread's time.
const SHARE: u64 = 32;

static TABLE: [AtomicUsize; BITS / usize::BITS as usize] =
    [const { AtomicUsize::new(0) }; BITS / usize::BITS as usize];

#[inline(always)]
fn place(block: *const u8) -> (&'static AtomicUsize, usize) {
    let hash = (block.addr() as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49;
    let hash = hash as usize;
    (&TABLE[hash / usize::BITS as usize % TABLE.len()], 1 << (hash % usize::BITS as usize))
}

/// Notes a new block.
#[inline(always)]
pub(crate) fn allocated(block: *const u8, size: usize) {
    if size >= LARGE {
        note(block);
    }
}

#[cold]
fn note(block: *const u8) {
    let (word, bit) = place(block);
    word.fetch_or(bit, Ordering::Relaxed);
}

/// Whether a block may be large.
#[inline(always)]
pub(crate) fn may_be(block: *const u8) -> bool {
    let (word, bit) = place(block);
    word.load(Ordering::Relaxed) & bit != 0
}

/// Any block may be large: some were there before the recording. Bits go with the first block that is freed.
pub(crate) fn suspect_all() {
    TABLE.iter().for_each(|word| word.store(usize::MAX, Ordering::Relaxed));
}

/// Writes what is to be said of a block that is freed now and may be large.
#[cold]
pub(crate) fn leaves(thread: &Thread, writer: &mut Writer, block: *mut u8, time: u64) {
    let _errno = Kept::now();
    snapshot::note(writer, block, time);
    if !snapshot::is_open() {
        let (word, bit) = place(block);
        word.fetch_and(!bit, Ordering::Relaxed);
    }
    if let Some(pages) = pages_of(thread, block, time) {
        // SAFETY: there is room for the events of a call.
        unsafe { writer.event(time, &Event::Resident { pages }) };
    }
}

/// How many pages of a block are resident. `None`: it is small, or this was asked for too often of late.
fn pages_of(thread: &Thread, block: *mut u8, time: u64) -> Option<u64> {
    if time < thread.no_pages_before.get() {
        return None;
    }
    // SAFETY: the block is live until the next malloc is told.
    let usable = unsafe { next().malloc_usable_size.get()(block) };
    if usable < LARGE {
        return None;
    }
    let pages = resident(block.addr(), usable)?;
    let now = clock::now();
    thread.no_pages_before.set(now + now.saturating_sub(time) * SHARE);
    Some(pages)
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
