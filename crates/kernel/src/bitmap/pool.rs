//! A pool of the bitmap allocator: its record, words and sums stand before its pages.
//!
//! ```text
//! start                                                       start + len
//!   ├ ╌ ┌────────┬───────┬──────┬ ╌ ┬──────┬──────┬─ … ─┬──────┬ ╌ ┤
//!       │ record │ words │ sums │   │ page │ page │     │ page │
//!   ├ ╌ └────────┴───────┴──────┴ ╌ ┴──────┴──────┴─ … ─┴──────┴ ╌ ┤
//!     word                        first
//! ```
use core::iter;
use core::ptr::NonNull;

use base::AddError;
use base::bits::{align_down, align_up};

use super::runs::{BITS, Runs, Sum, sums};

struct Record<const PAGE: usize> {
    next: Option<Pool<PAGE>>,
    start: NonNull<u8>,
    len: usize,
    first: usize,
    pages: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pool<const PAGE: usize>(NonNull<Record<PAGE>>);

impl<const PAGE: usize> Pool<PAGE> {
    fn record(&self) -> &Record<PAGE> {
        // SAFETY: `Pools::add` wrote it, and it is the allocator's.
        unsafe { self.0.as_ref() }
    }

    fn set_next(mut self, next: Option<Self>) {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }.next = next;
    }

    pub(super) fn added(self) -> (NonNull<u8>, usize) {
        (self.record().start, self.record().len)
    }

    pub(super) fn pages(self) -> usize {
        self.record().pages
    }

    /// The address of a page, or of the end.
    pub(super) fn address(self, page: usize) -> usize {
        self.record().first + page * PAGE
    }

    pub(super) fn pointer(self, page: usize) -> NonNull<u8> {
        let start = self.record().start;
        // SAFETY: the page lies in the pool.
        unsafe { start.byte_add(self.address(page) - start.addr().get()) }
    }

    pub(super) fn runs(&mut self) -> Runs<'_> {
        let words = self.pages().div_ceil(BITS);
        // SAFETY: the words stand behind the record.
        let word = unsafe { self.0.add(1) }.cast::<usize>();
        // SAFETY: the sums stand behind the words.
        let sum = unsafe { word.add(words) }.cast::<Sum>();
        // SAFETY: `words` words, initialised, which this value alone reaches while it is borrowed.
        let words = unsafe { NonNull::slice_from_raw_parts(word, words).as_mut() };
        // SAFETY: the sums of `words`, likewise.
        let sums = unsafe { NonNull::slice_from_raw_parts(sum, sums(words.len())).as_mut() };
        Runs { words, sums }
    }
}

#[derive(Debug)]
pub(super) struct Pools<const PAGE: usize> {
    head: Option<Pool<PAGE>>,
}

impl<const PAGE: usize> Pools<PAGE> {
    pub(super) const fn new() -> Self {
        Self { head: None }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Pool<PAGE>> + use<PAGE> {
        iter::successors(self.head, |pool| pool.record().next)
    }

    /// The pool and the number of the page that begins at an address.
    pub(super) fn page_at(&self, address: usize) -> Option<(Pool<PAGE>, usize)> {
        let within =
            |pool: &Pool<PAGE>| address >= pool.address(0) && address < pool.address(pool.pages());
        let pool = self.iter().find(within)?;
        let offset = address - pool.address(0);
        offset.is_multiple_of(PAGE).then_some((pool, offset / PAGE))
    }

    /// Takes memory; all its pages are free.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn add(
        &mut self,
        start: *mut u8,
        len: usize,
    ) -> Result<Pool<PAGE>, AddError> {
        let memory = NonNull::new(start).ok_or(AddError::Null)?;
        let from = start.addr();
        let to = from.checked_add(len).ok_or(AddError::Wraps)?;
        // A sum counts up to 2^32 − 1 and is of a power of two of pages.
        if len > isize::MAX as usize || (len / PAGE) as u64 >= 1 << 31 {
            return Err(AddError::TooLarge);
        }
        let words = (len / PAGE).div_ceil(BITS);
        let state =
            size_of::<Record<PAGE>>() + words * size_of::<usize>() + sums(words) * size_of::<Sum>();
        let front = align_up(from, align_of::<Record<PAGE>>()).wrapping_sub(from);
        let first =
            from.checked_add(front + state).and_then(|at| at.checked_next_multiple_of(PAGE));
        let Some(first) = first.filter(|first| *first < align_down(to, PAGE)) else {
            return Err(AddError::TooSmall);
        };
        let pages = (align_down(to, PAGE) - first) / PAGE;
        let mut before = None;
        for pool in self.iter() {
            let (other, other_len) = pool.added();
            if from < other.addr().get() + other_len && other.addr().get() < to {
                return Err(AddError::Overlaps);
            }
            if other.addr().get() < from {
                before = Some(pool);
            }
        }
        // SAFETY: less than `len`.
        let record = unsafe { memory.byte_add(front) }.cast::<Record<PAGE>>();
        // SAFETY: the words and sums stand behind the record; zeros are values of both.
        unsafe { record.cast::<u8>().write_bytes(0, state) };
        let next = before.map_or(self.head, |before: Pool<PAGE>| before.record().next);
        // SAFETY: the caller's bytes, aligned.
        unsafe { record.write(Record { next, start: memory, len, first, pages }) };
        let mut pool = Pool(record);
        self.set_after(before, Some(pool));
        pool.runs().fill(pages);
        Ok(pool)
    }

    pub(super) fn remove(&mut self, pool: Pool<PAGE>) {
        let before = self.iter().take_while(|other| *other != pool).last();
        self.set_after(before, pool.record().next);
    }

    fn set_after(&mut self, before: Option<Pool<PAGE>>, pool: Option<Pool<PAGE>>) {
        match before {
            None => self.head = pool,
            Some(before) => before.set_next(pool),
        }
    }
}
