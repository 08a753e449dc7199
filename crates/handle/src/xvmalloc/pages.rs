//! The pages of an xvmalloc: their numbers, and where heads are in them.

use core::ptr::NonNull;

use base::{HandleError, PageAllocator};

use super::block::{NONE, Page};
use super::{HEAD, sector};
use crate::table::Table;
use crate::{PAGE, frames};

/// No head in these 256 bytes.
const NO_HEAD: u8 = u8::MAX;

/// A page: where it is, and the first head of each 256 bytes of it, in lengths of a head.
#[derive(Debug, Clone, Copy)]
struct Record {
    start: Option<NonNull<u8>>,
    /// The next number without a page, when this one has none.
    next: u32,
    starts: [u8; PAGE / 256],
}

const EMPTY: Record = Record { start: None, next: NONE, starts: [NO_HEAD; PAGE / 256] };

#[derive(Debug)]
pub(super) struct Pages {
    records: Table<Record>,
    /// The first number without a page.
    free: u32,
    count: usize,
}

// SAFETY: the pages are its own.
unsafe impl Send for Pages {}

impl Pages {
    pub(super) const fn new() -> Self {
        Self { records: Table::new(), free: NONE, count: 0 }
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    pub(super) const fn numbers(&self) -> u32 {
        self.records.len()
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.records.bytes()
    }

    pub(super) fn get(&self, id: u32) -> Result<Page, HandleError> {
        let start = self.records.get(id).ok_or(HandleError::Unknown)?.start;
        // SAFETY: a record with a start is a page that was taken and not given back.
        start.map(|start| unsafe { Page::new(start) }).ok_or(HandleError::Stale)
    }

    pub(super) fn at(&self, id: u32) -> Page {
        match self.get(id) {
            Ok(page) => page,
            Err(_) => unreachable!("a block lies in a page"),
        }
    }

    /// A page more, without heads; its number.
    pub(super) fn grow<P: PageAllocator>(&mut self, from: &mut P) -> Option<u32> {
        let id = match self.free {
            NONE => self.records.push(EMPTY, from)?,
            id => id,
        };
        let start = frames::take(from, 1);
        let record = self.records.get_mut(id)?;
        if start.is_none() {
            // The number waits for the next page.
            if self.free == NONE {
                self.free = id;
            }
            return None;
        }
        self.free = record.next;
        *record = Record { start, ..EMPTY };
        self.count += 1;
        Some(id)
    }

    /// Gives a page back whose objects are all free.
    pub(super) fn shrink<P: PageAllocator>(&mut self, id: u32, from: &mut P) {
        let page = self.at(id);
        if let Some(record) = self.records.get_mut(id) {
            *record = Record { next: self.free, ..EMPTY };
            self.free = id;
            self.count -= 1;
        }
        // SAFETY: it was taken as one page, and its record is gone.
        unsafe { frames::give(from, page.start(), 1) };
    }

    pub(super) fn give_back<P: PageAllocator>(&mut self, from: &mut P) {
        for id in 0..self.records.len() {
            if let Ok(page) = self.get(id) {
                // SAFETY: it was taken as one page, and its record goes now.
                unsafe { frames::give(from, page.start(), 1) };
            }
        }
        self.records.give_back(from);
        (self.free, self.count) = (NONE, 0);
    }

    pub(super) fn set_start(&mut self, id: u32, offset: usize) {
        let (sector, at) = sector(offset);
        if let Some(record) = self.records.get_mut(id) {
            record.starts[sector] = record.starts[sector].min(at);
        }
    }

    /// There is no head at `offset` any more, nor another one before `next`.
    pub(super) fn clear_start(&mut self, id: u32, offset: usize, next: usize) {
        let (sector_, at) = sector(offset);
        let Some(record) = self.records.get_mut(id) else { return };
        if record.starts[sector_] == at {
            let (next_sector, next_at) = sector(next);
            record.starts[sector_] = if next_sector == sector_ { next_at } else { NO_HEAD };
        }
    }

    /// Whether there is a head at `offset`. At most 32 steps: an object has 8 bytes with its head, at least, and the
    /// smallest free blocks are behind objects of 28.
    pub(super) fn is_start(&self, id: u32, offset: usize) -> bool {
        self.walk_to(id, offset).is_some_and(|(at, _)| at == offset)
    }

    /// From the first head of the sector to the first one at `offset` or behind: where that is, and in how many steps.
    pub(super) fn walk_to(&self, id: u32, offset: usize) -> Option<(usize, usize)> {
        let (sector, _) = sector(offset);
        let (mut at, mut steps) = (self.first_in(id, sector)?, 0);
        let page = self.at(id);
        while at < offset {
            at += HEAD + page.head(at).size().next_multiple_of(HEAD);
            steps += 1;
        }
        Some((at, steps))
    }

    pub(super) fn first_in(&self, id: u32, sector: usize) -> Option<usize> {
        let at = self.records.get(id)?.starts[sector];
        (at != NO_HEAD).then(|| sector * 256 + at as usize * HEAD)
    }
}
