//! A pool of the bitmap allocator: its record, words and sums stand before its pages.
//!
//! ```text
//! start                                                       start + len
//!   ├ ╌ ┌────────┬───────┬──────┬ ╌ ┬──────┬──────┬─ … ─┬──────┬ ╌ ┤
//!       │ record │ words │ sums │   │ page │ page │     │ page │
//!   ├ ╌ └────────┴───────┴──────┴ ╌ ┴──────┴──────┴─ … ─┴──────┴ ╌ ┤
//!     word                        first
//! ```
use core::ptr::NonNull;

use base::AddError;
use base::bits::{align_down, align_up};
use base::memories::{Memories, Memory};

use super::runs::{BITS, Runs, Sum, sums};

/// Where the pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages {
    first: usize,
    count: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Pool<const PAGE: usize>(pub(super) Memory<Pages>);

impl<const PAGE: usize> Pool<PAGE> {
    pub(super) fn pages(self) -> usize {
        self.0.kept().count
    }

    /// The address of a page, or of the end.
    pub(super) fn address(self, page: usize) -> usize {
        self.0.kept().first + page * PAGE
    }

    pub(super) fn pointer(self, page: usize) -> NonNull<u8> {
        self.0.pointer(self.address(page))
    }

    pub(super) fn runs(&mut self) -> Runs<'_> {
        let words = self.pages().div_ceil(BITS);
        let word = self.0.behind().cast::<usize>();
        // SAFETY: the sums stand behind the words.
        let sum = unsafe { word.add(words) }.cast::<Sum>();
        // SAFETY: `words` words, initialised, which this value alone reaches while it is borrowed.
        let words = unsafe { NonNull::slice_from_raw_parts(word, words).as_mut() };
        // SAFETY: the sums of `words`, likewise.
        let sums = unsafe { NonNull::slice_from_raw_parts(sum, sums(words.len())).as_mut() };
        Runs { words, sums }
    }

    /// Takes memory; all its pages are free.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn add(
        pools: &mut Memories<Pages>,
        start: *mut u8,
        len: usize,
    ) -> Result<Self, AddError> {
        let (memory, end) = pools.admit(start, len)?;
        // A sum counts up to 2^32 − 1 and is of a power of two of pages.
        if (len / PAGE) as u64 >= 1 << 31 {
            return Err(AddError::TooLarge);
        }
        let (from, to) = (start.addr(), align_down(end, PAGE));
        let words = (len / PAGE).div_ceil(BITS);
        let state = words * size_of::<usize>() + sums(words) * size_of::<Sum>();
        let front = align_up(from, Memory::<Pages>::ALIGN).wrapping_sub(from);
        let first = from
            .checked_add(front + Memory::<Pages>::RECORD + state)
            .and_then(|at| at.checked_next_multiple_of(PAGE));
        let Some(first) = first.filter(|first| *first < to) else {
            return Err(AddError::TooSmall);
        };
        let kept = Pages { first, count: (to - first) / PAGE };
        let below = pools.below(start);
        // SAFETY: the caller's bytes; record and state end by the first page.
        let mut pool = Self(unsafe { pools.insert((memory, len), front, kept, below) });
        // SAFETY: the words and sums stand behind the record; zeros are values of both.
        unsafe { pool.0.behind().write_bytes(0, state) };
        pool.runs().fill(kept.count);
        Ok(pool)
    }

    /// The pool and the number of the page that begins at an address.
    pub(super) fn page_at(pools: &Memories<Pages>, address: usize) -> Option<(Self, usize)> {
        let holds = |pool: &Self| (pool.address(0)..pool.address(pool.pages())).contains(&address);
        let pool = pools.iter().map(Self).find(holds)?;
        let offset = address - pool.address(0);
        offset.is_multiple_of(PAGE).then_some((pool, offset / PAGE))
    }
}
