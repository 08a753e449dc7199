//! The reservation of a vmalloc: made whole at the start, given back whole at the end but for what was lost.
//!
//! ```text
//! start                                                                 window                 start + len
//!   │ words of frames │ words of pages │ states │ entries ░ │ areas ░ │ page │ page │ ░ ░ ░ …  │
//!     usable, zero                       usable as far as they were needed
//! ```
use base::bits::align_up;
use source::FrameSource;

use super::addresses::{Addresses, Area, Entry, Kind};
use super::frames::Frames;
use super::table::Table;
use super::{Vmalloc, VmallocError, VmallocLimits};
use crate::marked::{self, Marked};

struct Layout {
    frames: usize,
    pages: usize,
    frame_words: usize,
    page_words: usize,
    states: usize,
    entries: usize,
    areas: usize,
}

impl Layout {
    fn new(limits: VmallocLimits, page: usize) -> Option<Self> {
        let frames = (limits.memory / page).min(marked::MOST);
        let pages = (limits.addresses / page).min(marked::MOST);
        Some(Self {
            frames,
            pages,
            frame_words: align_up(Marked::bytes(frames), page),
            page_words: align_up(Marked::bytes(pages), page),
            states: Table::<u8>::bytes(frames, page)?,
            entries: Table::<Entry>::bytes(pages, page)?,
            areas: Table::<Area>::bytes(pages, page)?,
        })
    }

    fn tables(&self) -> Option<usize> {
        [self.frame_words, self.page_words, self.states, self.entries, self.areas]
            .into_iter()
            .try_fold(0usize, usize::checked_add)
    }
}

impl<S: FrameSource> Vmalloc<S> {
    /// Reserves the addresses and makes a file of frames: neither costs memory. O(1).
    /// Errors: [`Empty`](VmallocError::Empty): a limit is less than a page. [`NoAddresses`](VmallocError::NoAddresses),
    /// [`Refused`](VmallocError::Refused): the source has no addresses, no memory or no file.
    pub fn new(source: S, limits: VmallocLimits) -> Result<Self, VmallocError> {
        let page = source.page_size();
        let layout = Layout::new(limits, page).ok_or(VmallocError::NoAddresses)?;
        if layout.frames == 0 || layout.pages == 0 {
            return Err(VmallocError::Empty);
        }
        let tables = layout.tables().ok_or(VmallocError::NoAddresses)?;
        let len = tables.checked_add(layout.pages * page).ok_or(VmallocError::NoAddresses)?;
        let start = source.reserve(len, page).ok_or(VmallocError::NoAddresses)?;
        let words = layout.frame_words + layout.page_words;
        // SAFETY: the front of what was just reserved.
        let usable = unsafe { source.commit(start, words) };
        let file = usable.then(|| source.create_frames(layout.frames)).flatten();
        let Some(file) = file else {
            // SAFETY: reserved above; nobody has seen it.
            unsafe { source.release(start, len) };
            return Err(VmallocError::Refused);
        };
        // SAFETY: the tables cost memory by the page.
        unsafe { source.prefer_huge(start, tables, false) };
        let states = start + words;
        let frames = Frames {
            // SAFETY: the first words, zero.
            row: unsafe { Marked::new(start, layout.frames) },
            // SAFETY: behind both kinds of words.
            states: unsafe { Table::new(states, layout.frames) },
            held: 0,
            given: 0,
            retired: 0,
            copied: false,
        };
        // SAFETY: the other words, zero.
        let row = unsafe { Marked::new(start + layout.frame_words, layout.pages) };
        // SAFETY: behind the states.
        let entries = unsafe { Table::new(states + layout.states, layout.pages) };
        // SAFETY: behind the entries.
        let areas = unsafe { Table::new(states + layout.states + layout.entries, layout.pages) };
        let addresses = Addresses::new(start + tables, page, row, entries, areas);
        let (mappings, live, requested, purges) = (0, 0, 0, 0);
        let (areas, limits) = (0, limits);
        Ok(Self {
            source,
            limits,
            start,
            len,
            file,
            frames,
            addresses,
            mappings,
            areas,
            live,
            requested,
            purges,
        })
    }
}

impl<S: FrameSource> Drop for Vmalloc<S> {
    /// O(areas).
    fn drop(&mut self) {
        // Lost addresses may be others' now. The tables, which say so, go last.
        let (window, len) = self.window();
        let (mut from, mut page) = (window, 0);
        while let Some(first) = self.addresses.next(page) {
            let area = self.addresses.areas.get(first);
            page = first + area.whole();
            if area.kind == Kind::Lost {
                let lost = self.addresses.address(first);
                // SAFETY: who has an area of it has outlived the allocator against the contract.
                unsafe { self.source.release(from, lost - from) };
                from = self.addresses.address(page);
            }
        }
        // SAFETY: as above.
        unsafe { self.source.release(from, window + len - from) };
        // SAFETY: the tables, which nobody reads any more.
        unsafe { self.source.release(self.start, window - self.start) };
        // SAFETY: made in `new`, and not named any more.
        unsafe { self.source.close_frames(self.file) };
    }
}
