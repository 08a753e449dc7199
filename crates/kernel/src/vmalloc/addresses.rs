//! Addresses by their pages: areas, what each page is mapped to, and lists of areas to use again.
//!
//! ```text
//! pages    │ page │ page │ page │ guard │ page │ guard │ ░ ░ ░ ░ …
//! entries    A 17   A 18   A 4    A −     B 9    B −     −           the area, and the frame
//! areas      A: 3 pages, live             B: 1 page, lazy            a record where the area begins
//!                                         ▲
//! lists      1 page ──────────────────────┘       2 pages ─► …       freed, still mapped: used again as they are
//! ```
//!
//! - **vmalloc-addresses-A1** a page below the mark is taken exactly if its entry names an area, which it lies in.
//! - **vmalloc-addresses-A2** the last page of an area has no frame: it is the guard, unless the area is `bare`.
//! - **vmalloc-addresses-A3** list n holds exactly the lazy areas of n pages that are `listed`.
//! - **vmalloc-addresses-A4** `lazy` pages are in lazy areas, guards included.
//!
//! The lowest addresses that fit are taken, O(log pages); an area from a list is taken in O(1).
use core::slice;

use source::PageSource;

use super::Caller;
use super::table::{Plain, Table};
use crate::marked::Marked;

/// Areas of more pages are not listed: Linux's figure, 1 MiB where a page is 4 KiB.
pub(super) const LISTED: usize = 256;

/// Pages whose entries become usable at a time.
const STEP: usize = 1 << 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// One more than the area's first page; 0: none.
    area: u32,
    /// One more than the frame; 0: none.
    frame: u32,
}

// SAFETY: two numbers.
unsafe impl Plain for Entry {}

impl Entry {
    pub(super) fn area(self) -> Option<usize> {
        self.area.checked_sub(1).map(|first| first as usize)
    }

    pub(super) fn frame(self) -> Option<usize> {
        self.frame.checked_sub(1).map(|frame| frame as usize)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Its page begins no area.
    None = 0,
    /// Live, with frames of its own.
    Vmalloc,
    /// Live, with frames of the caller's.
    Vmap,
    /// Freed, and mapped still.
    Lazy,
    /// The system lost its addresses, which are never used again.
    Lost,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    caller_at: usize,
    caller_len: usize,
    /// Bytes asked for.
    pub(super) size: usize,
    /// Without the guard.
    pub(super) pages: u32,
    /// Pieces of frames in a row.
    pub(super) runs: u32,
    /// The next of its list; 0: none.
    next: u32,
    pub(super) kind: Kind,
    pub(super) listed: bool,
    /// Whether old contents are in it, as the source refused to punch a frame.
    pub(super) dirty: bool,
    /// Whether the system lost the guard: then it is another's now, and none of the area's pages.
    pub(super) bare: bool,
}

// SAFETY: numbers, `Kind::None` and three times false.
unsafe impl Plain for Area {}

impl Area {
    pub(super) fn new(kind: Kind, pages: usize, size: usize, caller: Caller) -> Self {
        let (caller_at, caller_len) = match caller {
            Caller::Number(number) => (number, usize::MAX),
            Caller::Name(name) => (name.as_ptr().expose_provenance(), name.len()),
        };
        let pages = base::bits::low32(pages);
        let (runs, next, listed, dirty, bare) = (0, 0, false, false, false);
        Self { caller_at, caller_len, size, pages, runs, next, kind, listed, dirty, bare }
    }

    /// The same over frames that are there.
    pub(super) const fn with(self, runs: u32, dirty: bool) -> Self {
        Self { runs, dirty, ..self }
    }

    pub(super) fn caller(&self) -> Caller {
        if self.caller_len == usize::MAX {
            return Caller::Number(self.caller_at);
        }
        let at = core::ptr::with_exposed_provenance(self.caller_at);
        // SAFETY: the bytes of a name that lives for ever.
        let bytes = unsafe { slice::from_raw_parts(at, self.caller_len) };
        // SAFETY: they were a `str`.
        Caller::Name(unsafe { str::from_utf8_unchecked(bytes) })
    }

    /// Pages of its guard: one, unless that is lost.
    const fn guard(&self) -> usize {
        if self.bare { 0 } else { 1 }
    }

    /// Pages of addresses, with the guard.
    pub(super) const fn whole(&self) -> usize {
        self.pages as usize + self.guard()
    }

    /// How many mappings it is, with its guard.
    pub(super) const fn mappings(&self) -> usize {
        if self.runs == 0 { 0 } else { self.runs as usize + self.guard() }
    }
}

#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) start: usize,
    pub(super) page: usize,
    pub(super) row: Marked,
    pub(super) entries: Table<Entry>,
    pub(super) areas: Table<Area>,
    lists: [u32; LISTED + 1],
    pub(super) lazy: usize,
}

impl Addresses {
    pub(super) const fn new(
        start: usize,
        page: usize,
        row: Marked,
        entries: Table<Entry>,
        areas: Table<Area>,
    ) -> Self {
        Self { start, page, row, entries, areas, lists: [0; LISTED + 1], lazy: 0 }
    }

    pub(super) const fn address(&self, page: usize) -> usize {
        self.start + page * self.page
    }

    /// The page that an address lies in, below the mark.
    pub(super) fn page_of(&self, address: usize) -> Option<usize> {
        let page = address.checked_sub(self.start)? / self.page;
        (page < self.row.mark()).then_some(page)
    }

    /// The first page from `page` on that lies at a multiple of `align`.
    fn aligned(&self, page: usize, align: usize) -> Option<usize> {
        let address = self.address(page).checked_next_multiple_of(align)?;
        Some((address - self.start) / self.page)
    }

    /// Takes addresses for an area and its guard; no page of it has a frame yet.
    pub(super) fn take(
        &mut self,
        source: &impl PageSource,
        area: Area,
        align: usize,
    ) -> Option<usize> {
        let found = self.row.find(area.whole(), |page| self.aligned(page, align));
        let first = match found {
            Some(first) => first,
            None => self.raise(source, area.whole(), align)?,
        };
        self.row.take(first, area.whole());
        self.areas.set(first, area);
        for page in first..first + area.whole() {
            self.name(page, first);
        }
        Some(first)
    }

    /// Moves the mark so that a run fits below it.
    #[cold]
    fn raise(&mut self, source: &impl PageSource, pages: usize, align: usize) -> Option<usize> {
        let first = self.aligned(self.row.tail(), align)?;
        let end = first.checked_add(pages).filter(|&end| end <= self.row.count())?;
        let generous = end.max(self.row.mark() + STEP).min(self.row.count());
        let reached = [generous, end]
            .into_iter()
            .find(|&end| self.entries.reach(source, end) && self.areas.reach(source, end))?;
        self.row.raise(reached);
        Some(first)
    }

    fn name(&mut self, page: usize, area: usize) {
        self.entries.set(page, Entry { area: base::bits::low32(area + 1), frame: 0 });
    }

    pub(super) fn set_frame(&mut self, page: usize, frame: Option<usize>) {
        let frame = frame.map_or(0, |frame| base::bits::low32(frame + 1));
        self.entries.entry_mut(page).frame = frame;
    }

    /// The piece of frames in a row that begins at `page` of an area that ends at `end`: the first frame, if it has one, and
    /// how many pages.
    pub(super) fn run(&self, page: usize, end: usize) -> (Option<usize>, usize) {
        let first = self.entries.get(page).frame();
        let follows =
            |&at: &usize| self.entries.get(at).frame() == first.map(|frame| frame + at - page);
        (first, 1 + (page + 1..end).take_while(follows).count())
    }

    /// Counts the pieces of frames in a row of an area.
    pub(super) fn count_runs(&mut self, first: usize) {
        let end = first + self.areas.get(first).pages as usize;
        let (mut page, mut runs) = (first, 0);
        while page < end {
            page += self.run(page, end).1;
            runs += 1;
        }
        self.areas.entry_mut(first).runs = runs;
    }

    /// The first area that begins at or behind `page`, where an area or none begins. O(what is free there).
    pub(super) fn next(&self, page: usize) -> Option<usize> {
        if page >= self.row.mark() {
            return None;
        }
        if self.entries.get(page).area().is_some() {
            return Some(page);
        }
        let (end, _) = self.row.stretch(page);
        (end < self.row.mark()).then_some(end)
    }

    /// Makes an area lazy, and lists it if it may be used again as it is.
    pub(super) fn make_lazy(&mut self, first: usize, whole: bool) {
        let area = self.areas.entry_mut(first);
        area.kind = Kind::Lazy;
        let (pages, all, bare) = (area.pages as usize, area.whole(), area.bare);
        // Whoever takes it from a list has a guard.
        if whole && !bare && pages <= LISTED {
            self.list(first);
        }
        self.lazy += all;
    }

    /// Puts a lazy area in front of its list.
    pub(super) fn list(&mut self, first: usize) {
        let area = self.areas.entry_mut(first);
        area.listed = true;
        let head = &mut self.lists[area.pages as usize];
        area.next = *head;
        *head = base::bits::low32(first + 1);
    }

    /// Empties all lists for good: a purge puts no area back into one.
    pub(super) fn unlist(&mut self) {
        for pages in 1..=LISTED {
            while let Some(first) = self.lists[pages].checked_sub(1).map(|first| first as usize) {
                let area = self.areas.entry_mut(first);
                area.listed = false;
                self.lists[pages] = area.next;
            }
        }
    }

    /// Empties all lists; the areas stay lazy, and `listed`.
    pub(super) fn forget_lists(&mut self) {
        self.lists = [0; LISTED + 1];
    }

    /// The areas of list `pages`, the last freed first.
    pub(super) fn listed(&self, pages: usize) -> impl Iterator<Item = usize> {
        let at = |link: u32| link.checked_sub(1).map(|first| first as usize);
        core::iter::successors(at(self.lists[pages]), move |&first| at(self.areas.get(first).next))
    }

    /// Takes the area of `pages` pages that was freed last, if it lies at a multiple of `align`. It is lazy no more.
    pub(super) fn take_listed(&mut self, pages: usize, align: usize) -> Option<usize> {
        let link = self.lists.get_mut(pages)?;
        let first = link.checked_sub(1)? as usize;
        if !(self.start + first * self.page).is_multiple_of(align) {
            return None;
        }
        let area = self.areas.entry_mut(first);
        *link = area.next;
        area.listed = false;
        self.lazy -= area.whole();
        Some(first)
    }

    /// Forgets an area whose pages are reserved again and have no frames to give back.
    pub(super) fn forget(&mut self, first: usize) {
        let area = self.areas.get(first);
        for page in first..first + area.whole() {
            self.entries.set(page, Entry::default());
        }
        let record = self.areas.entry_mut(first);
        (record.kind, record.listed) = (Kind::None, false);
        self.row.give(first, area.whole());
    }

    /// An area without frames is lost.
    pub(super) fn lose(&mut self, first: usize) {
        let area = self.areas.entry_mut(first);
        (area.kind, area.runs, area.listed) = (Kind::Lost, 0, false);
    }

    /// Pages that an area no longer has, at least one, and which have no frames, are free; or an area of their own that is
    /// lost.
    pub(super) fn cut(&mut self, from: usize, end: usize, lost: bool) {
        let pages = end - from - 1;
        self.areas.set(from, Area::new(Kind::Lost, pages, 0, Caller::Number(0)));
        for page in from..end {
            self.name(page, from);
        }
        if !lost {
            self.forget(from);
        }
    }
}
