//! Pages from a source: one range of addresses, usable as far as it was needed, and what is freed goes back.
//!
//! ```text
//!   [ words │ sums ┊ page │ page │ page │ … │ page ░ ░ ░ … ░ ]
//!     1 = free       0                        mark           pages
//!                    └ used, kept or free ────┘ never needed: reserved only, and their bits are 0
//! ```
//!
//! - **source-pages-S1** page p is free exactly while it is below the mark, not used and not kept (marked-N1 of `marked`).
//! - **source-pages-S2** `used` + `kept` + free pages are the pages below the mark.
//! - **source-pages-S3** kept runs overlap neither each other nor free pages, and lie below the mark.
//!
//! The lowest run that fits is taken, O(run / word bits + log pages); an alignment above a page
//! adds that for each run that is long enough and does not fit. Pages above the mark cost nothing: zeros are
//! the right state of theirs, so not even their bits are touched. A range of 64 GiB costs some 60 KiB at first.
//!
//! A run that is freed is purged at once, but for a few short ones that are kept as they are. Layer *kernel*.
use core::fmt;
use core::ptr::{self, NonNull};

use base::bits::align_up;
use base::{Owns, PageAllocator};
use source::PageSource;

mod inspect;
mod kept;

use crate::marked::{self, Marked};
pub use inspect::SourceUsage;
use kept::{Kept, Piece};

/// Pages become usable in steps of this many bytes: each step is two system calls and no memory.
const STEP: usize = 1 << 20;

/// Pages of a source, with one owner. The range is reserved with the first request.
///
/// ```
/// use base::PageAllocator;
/// use heapwright_kernel_allocators::SourcePages;
/// use source::os::Os;
///
/// let mut pages = SourcePages::new(Os, 1 << 30);
/// let three = pages.allocate_pages(3, 1 << 16).unwrap();
/// assert!(three.addr().get() % (1 << 16) == 0);
/// // SAFETY: three live pages.
/// unsafe { three.write_bytes(7, 3 * pages.page_size()) };
/// // SAFETY: as above, and nobody uses them any more.
/// unsafe { pages.deallocate_pages(three, 3) };
/// pages.purge_all();
/// assert_eq!(pages.usage().resident(), 0);
/// ```
pub struct SourcePages<S: PageSource> {
    source: S,
    /// Bytes of pages in the range.
    len: usize,
    /// 0: not reserved yet.
    start: usize,
    /// Bytes that words and sums take.
    state: usize,
    row: Marked,
    used: usize,
    peak: usize,
    failures: usize,
    /// Whether the source refused a purge, so that free pages may cost memory.
    unpurged: bool,
    kept: Kept,
}

impl<S: PageSource> SourcePages<S> {
    /// A range of `len` bytes, rounded up to whole pages and at most 2^31 − 1 of them. Nothing is asked of the source yet.
    #[must_use]
    pub const fn new(source: S, len: usize) -> Self {
        Self {
            source,
            len,
            start: 0,
            state: 0,
            row: Marked::EMPTY,
            used: 0,
            peak: 0,
            failures: 0,
            unpurged: false,
            kept: Kept::new(),
        }
    }

    /// Where the pages are from.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Gives all memory back that is not in use. O(kept runs), and O(mark / word bits) after the source
    /// refused a purge; it says whether all went back.
    pub fn purge_all(&mut self) -> bool {
        while let Some(oldest) = self.kept.oldest() {
            self.give_back(oldest);
        }
        if self.unpurged {
            self.unpurged = !self.purge_free();
        }
        !self.unpurged
    }

    fn page(&self) -> usize {
        self.source.page_size()
    }

    fn pages(&self) -> usize {
        self.len.div_ceil(self.page()).min(marked::MOST)
    }

    fn address(&self, page: usize) -> usize {
        self.start + self.state + page * self.page()
    }

    fn pointer(&self, page: usize) -> NonNull<u8> {
        let at = ptr::with_exposed_provenance_mut(self.address(page));
        // SAFETY: a range that was reserved does not begin at 0.
        unsafe { NonNull::new_unchecked(at) }
    }

    /// The number of the page that begins at an address, below the mark.
    fn page_at(&self, address: usize) -> Option<usize> {
        let offset = address.checked_sub(self.address(0))?;
        let page = offset / self.page();
        (offset.is_multiple_of(self.page()) && page < self.row.mark()).then_some(page)
    }

    /// Reserves the range, and makes the state usable.
    #[cold]
    fn reserve(&mut self) -> Option<()> {
        let page = self.page();
        let pages = self.pages();
        if pages == 0 {
            return None;
        }
        let state = align_up(Marked::bytes(pages), page);
        let whole = pages.checked_mul(page)?.checked_add(state)?;
        let at = self.source.reserve(whole, page)?;
        // SAFETY: the front of what was just reserved.
        if !unsafe { self.source.commit(at, state) } {
            // SAFETY: nobody has seen it.
            unsafe { self.source.release(at, whole) };
            return None;
        }
        // SAFETY: just reserved. A huge page would make each of its pages cost memory.
        unsafe { self.source.prefer_huge(at, whole, false) };
        (self.start, self.state) = (at, state);
        // SAFETY: the state, just made usable.
        self.row = unsafe { Marked::new(at, pages) };
        Some(())
    }

    fn find(&self, pages: usize, align: usize) -> Option<usize> {
        self.row.find(pages, |page| self.aligned(page, align))
    }

    /// The first page from `page` on that lies at a multiple of `align`.
    fn aligned(&self, page: usize, align: usize) -> Option<usize> {
        let address = self.address(page).checked_next_multiple_of(align)?;
        Some((address - self.address(0)) / self.page())
    }

    /// Moves the mark so that a run fits below it, with what is free just there. O(run / word bits).
    #[cold]
    fn grow(&mut self, pages: usize, align: usize) -> Option<usize> {
        if self.start == 0 {
            self.reserve()?;
        }
        let first = self.aligned(self.row.tail(), align)?;
        let end = first.checked_add(pages).filter(|&end| end <= self.row.count())?;
        let step = self.row.mark().saturating_add(STEP.div_ceil(self.page()));
        let generous = end.max(step.min(self.row.count()));
        if !self.commit(generous) && !self.commit(end) {
            return None;
        }
        Some(first)
    }

    /// Makes the pages up to `end` usable, and free.
    fn commit(&mut self, end: usize) -> bool {
        let mark = self.row.mark();
        // SAFETY: above the mark pages are reserved.
        if !unsafe { self.source.commit(self.address(mark), (end - mark) * self.page()) } {
            return false;
        }
        self.row.raise(end);
        true
    }

    fn count(&mut self, pages: usize) {
        self.used += pages;
        self.peak = self.peak.max(self.used);
    }

    /// Purges a run that is neither used nor free, and makes it free.
    fn give_back(&mut self, piece: Piece) {
        self.unpurged |= !self.purge(piece);
        self.row.give(piece.first, piece.pages);
    }

    fn purge(&self, piece: Piece) -> bool {
        // SAFETY: below the mark, and nobody uses it.
        unsafe { self.source.purge(self.address(piece.first), piece.pages * self.page()) }
    }

    /// Purges every free run. Whether the source did all.
    fn purge_free(&self) -> bool {
        let (mut page, mut all) = (0, true);
        while page < self.row.mark() {
            let (end, free) = self.row.stretch(page);
            if free {
                all &= self.purge(Piece { first: page, pages: end - page });
            }
            page = end;
        }
        all
    }

    /// Whether these pages are in use, as far as can be seen.
    fn is_used(&self, run: Piece) -> bool {
        self.row.is_taken(run.first, run.pages) && !self.kept.overlaps(run)
    }
}

// SAFETY: the pages of a run were free or kept, so nobody has them (source-pages-S1, source-pages-S3), and are neither any more.
unsafe impl<S: PageSource> PageAllocator for SourcePages<S> {
    fn page_size(&self) -> usize {
        self.page()
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let align = align.max(self.page());
        if pages == 0 {
            return None;
        }
        let (start, page) = (self.address(0), self.page());
        if let Some(first) =
            self.kept.take(pages, |first| (start + first * page).is_multiple_of(align))
        {
            self.count(pages);
            return Some(self.pointer(first));
        }
        let mut found = self.find(pages, align).or_else(|| self.grow(pages, align));
        if found.is_none() && !self.kept.is_empty() {
            self.purge_all();
            found = self.find(pages, align).or_else(|| self.grow(pages, align));
        }
        let Some(first) = found else {
            self.failures += 1;
            return None;
        };
        self.row.take(first, pages);
        self.count(pages);
        Some(self.pointer(first))
    }

    /// O(run / word bits + log pages), and one system call unless the run is kept. What was not in use is left
    /// as it is; a debug build panics.
    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let run = self.page_at(start.addr().get()).map(|first| Piece { first, pages });
        let Some(run) = run.filter(|&run| pages != 0 && self.is_used(run)) else {
            debug_assert!(false, "{pages} pages at {start:p} are not in use");
            return;
        };
        self.used -= pages;
        match self.kept.keep(run) {
            kept::Outcome::Kept => {}
            kept::Outcome::Instead(other) => self.give_back(other),
        }
    }
}

impl<S: PageSource> Owns for SourcePages<S> {
    /// O(1).
    fn owns(&self, address: *const u8) -> bool {
        self.start != 0
            && address.addr().wrapping_sub(self.address(0)) < self.row.mark() * self.page()
    }
}

impl<S: PageSource> Drop for SourcePages<S> {
    fn drop(&mut self) {
        if self.start != 0 {
            let whole = self.state + self.pages() * self.page();
            // SAFETY: who has pages of it has outlived the allocator against the contract.
            unsafe { self.source.release(self.start, whole) };
        }
    }
}

impl<S: PageSource> fmt::Debug for SourcePages<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourcePages").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
