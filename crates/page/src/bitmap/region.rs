//! A region of the bitmap allocator: its record, words and sums stand before its pages.
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
    next: Option<Region<PAGE>>,
    start: NonNull<u8>,
    len: usize,
    first: usize,
    pages: usize,
}

/// A region, by its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region<const PAGE: usize>(NonNull<Record<PAGE>>);

impl<const PAGE: usize> Region<PAGE> {
    fn record(&self) -> &Record<PAGE> {
        // SAFETY: `Regions::add` wrote it, and it is the allocator's.
        unsafe { self.0.as_ref() }
    }

    fn set_next(mut self, next: Option<Self>) {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }.next = next;
    }

    /// As it was added.
    pub(super) fn added(self) -> (NonNull<u8>, usize) {
        (self.record().start, self.record().len)
    }

    /// How many pages it has.
    pub(super) fn pages(self) -> usize {
        self.record().pages
    }

    /// The address of a page, or of the end.
    pub(super) fn address(self, page: usize) -> usize {
        self.record().first + page * PAGE
    }

    /// A page.
    pub(super) fn pointer(self, page: usize) -> NonNull<u8> {
        let start = self.record().start;
        // SAFETY: the page lies in the region.
        unsafe { start.byte_add(self.address(page) - start.addr().get()) }
    }

    /// The state.
    pub(super) fn runs(&mut self) -> Runs<'_> {
        let words = self.pages().div_ceil(BITS);
        // SAFETY: the words stand behind the record.
        let word = unsafe { self.0.add(1) }.cast::<usize>();
        // SAFETY: the sums stand behind the words.
        let sum = unsafe { word.add(words) }.cast::<Sum>();
        // SAFETY: so many words, initialised, which this value alone reaches while it is borrowed.
        let words = unsafe { NonNull::slice_from_raw_parts(word, words).as_mut() };
        // SAFETY: so many sums, likewise.
        let sums = unsafe { NonNull::slice_from_raw_parts(sum, sums(words.len())).as_mut() };
        Runs { words, sums }
    }
}

/// All regions, in address order.
#[derive(Debug)]
pub(super) struct Regions<const PAGE: usize> {
    head: Option<Region<PAGE>>,
}

impl<const PAGE: usize> Regions<PAGE> {
    /// None.
    pub(super) const fn new() -> Self {
        Self { head: None }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Region<PAGE>> + use<PAGE> {
        iter::successors(self.head, |region| region.record().next)
    }

    /// The region and the number of the page that begins at an address.
    pub(super) fn page_at(&self, address: usize) -> Option<(Region<PAGE>, usize)> {
        let within = |region: &Region<PAGE>| {
            address >= region.address(0) && address < region.address(region.pages())
        };
        let region = self.iter().find(within)?;
        let offset = address - region.address(0);
        offset.is_multiple_of(PAGE).then_some((region, offset / PAGE))
    }

    /// Takes memory; all its pages are free.
    ///
    /// # Safety
    ///
    /// As [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn add(
        &mut self,
        start: *mut u8,
        len: usize,
    ) -> Result<Region<PAGE>, AddError> {
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
        for region in self.iter() {
            let (other, other_len) = region.added();
            if from < other.addr().get() + other_len && other.addr().get() < to {
                return Err(AddError::Overlaps);
            }
            if other.addr().get() < from {
                before = Some(region);
            }
        }
        // SAFETY: less than `len`.
        let record = unsafe { memory.byte_add(front) }.cast::<Record<PAGE>>();
        // SAFETY: the words and sums stand behind the record; zeros are values of both.
        unsafe { record.cast::<u8>().write_bytes(0, state) };
        let next = before.map_or(self.head, |before: Region<PAGE>| before.record().next);
        // SAFETY: the caller's bytes, aligned.
        unsafe { record.write(Record { next, start: memory, len, first, pages }) };
        let mut region = Region(record);
        self.set_after(before, Some(region));
        region.runs().fill(pages);
        Ok(region)
    }

    /// Forgets a region.
    pub(super) fn remove(&mut self, region: Region<PAGE>) {
        let before = self.iter().take_while(|other| *other != region).last();
        self.set_after(before, region.record().next);
    }

    fn set_after(&mut self, before: Option<Region<PAGE>>, region: Option<Region<PAGE>>) {
        match before {
            None => self.head = region,
            Some(before) => before.set_next(region),
        }
    }
}
