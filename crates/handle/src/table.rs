//! A table of single pages that grows and whose rows never move.
//!
//! ```text
//! direct   [ 0 … 7 ]───────────────────────────► page of rows        a small table has nothing else
//! once     [ 0 … 31 ]──► page of 512 ways ─────► page of rows
//! twice    [ 0 … 63 ]──► page of 512 ways ──► page of 512 ways ──► page of rows
//! ```
//!
//! - **table-T1** rows below `len` were written; the pages that they lie in were taken, and the ways to them lead there.
//! - **table-T2** all pages under the table were taken one by one, and are counted.
//!
//! Any page does, so memory in pieces is as good as any other. A row is found in O(1): behind one page of ways up to
//! 16,392 pages of rows, 2.7 million rows of 24 bytes, behind two after that. A page that cannot be had leaves the rows
//! as they were. Pages stay: a table is as large as it once was. The form is that of a Unix file's blocks (K. Thompson
//! and D. Ritchie, 1974).
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use base::PageAllocator;

use crate::{PAGE, frames};

type Way = Option<NonNull<u8>>;
/// Ways that a page has room for: 512 where addresses have 64 bits.
const WAYS: usize = PAGE / size_of::<Way>();
type Block = [Way; WAYS];

/// Pages of rows that are reached at once, pages of ways to such ones, and pages of ways to those.
const DIRECT: usize = 8;
const ONCE: usize = 32;
const TWICE: usize = 64;

/// Rows of `T`, whose index is a `u32`.
pub(crate) struct Table<T> {
    direct: [Way; DIRECT],
    once: [Way; ONCE],
    twice: [Way; TWICE],
    len: u32,
    pages: u32,
    owns: PhantomData<T>,
}

// SAFETY: the pages are its own.
unsafe impl<T: Send> Send for Table<T> {}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Takes a page for a way that leads nowhere; where it leads then, and whether the page is new.
fn open<P: PageAllocator>(
    way: &mut Way,
    pages: &mut P,
    count: &mut u32,
) -> Option<(NonNull<u8>, bool)> {
    if let Some(start) = *way {
        return Some((start, false));
    }
    let start = frames::take(pages, 1)?;
    *way = Some(start);
    *count += 1;
    Some((start, true))
}

/// The page of ways that a way leads to, taken if it leads nowhere.
fn open_block<'a, P: PageAllocator>(
    way: &'a mut Way,
    pages: &mut P,
    count: &mut u32,
) -> Option<&'a mut Block> {
    let (start, is_new) = open(way, pages, count)?;
    let mut block = start.cast::<Block>();
    if is_new {
        // SAFETY: a page of its own, aligned as one.
        unsafe { block.write([None; WAYS]) };
    }
    // SAFETY: written when it was taken; the borrow of the way to it is the block's.
    Some(unsafe { block.as_mut() })
}

/// Gives back what a way leads to, through `depth` pages of ways.
fn close<P: PageAllocator>(way: &mut Way, depth: usize, pages: &mut P) {
    let Some(start) = way.take() else { return };
    if depth > 0 {
        // SAFETY: written when it was taken, and nobody else has it.
        let block = unsafe { start.cast::<Block>().as_mut() };
        block.iter_mut().for_each(|way| close(way, depth - 1, pages));
    }
    // SAFETY: taken as one page, and nothing leads there any more.
    unsafe { frames::give(pages, start, 1) };
}

impl<T: Copy> Table<T> {
    const ROWS: usize = PAGE / size_of::<T>();
    const VALID: () = assert!(
        size_of::<T>() <= PAGE / 8 && align_of::<T>() <= PAGE,
        "a row is a small part of a page"
    );

    /// Without rows, and without memory.
    pub(crate) const fn new() -> Self {
        () = Self::VALID;
        let (direct, once, twice) = ([None; DIRECT], [None; ONCE], [None; TWICE]);
        Self { direct, once, twice, len: 0, pages: 0, owns: PhantomData }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.pages as usize * PAGE
    }

    /// The most bytes that the next [`push`](Self::push) takes: none where its row has a page.
    #[inline]
    pub(crate) fn next_bytes(&self) -> usize {
        let (number, row) = Self::place(self.len);
        if row > 0 || self.page(number).is_some() {
            return 0;
        }
        // The page, and those of ways to it.
        let ways = match number.checked_sub(DIRECT) {
            None => 0,
            Some(beyond) if beyond < ONCE * WAYS => 1,
            Some(_) => 2,
        };
        (1 + ways) * PAGE
    }

    /// Gives the pages back; there are no rows then.
    pub(crate) fn give_back<P: PageAllocator>(&mut self, pages: &mut P) {
        self.direct.iter_mut().for_each(|way| close(way, 0, pages));
        self.once.iter_mut().for_each(|way| close(way, 1, pages));
        self.twice.iter_mut().for_each(|way| close(way, 2, pages));
        (self.len, self.pages) = (0, 0);
    }

    /// Where a page of ways leads to.
    #[inline]
    const fn follow(block: NonNull<u8>, at: usize) -> Way {
        // SAFETY: pages of ways are written when they are taken (table-T1), and the table is borrowed.
        let block = unsafe { block.cast::<Block>().as_ref() };
        block[at]
    }

    #[inline]
    fn page(&self, number: usize) -> Way {
        let Some(beyond) = number.checked_sub(DIRECT) else { return self.direct[number] };
        let (block, at) = (beyond / WAYS, beyond % WAYS);
        let block = match self.once.get(block) {
            Some(way) => (*way)?,
            None => self.far_block(block - ONCE)?,
        };
        Self::follow(block, at)
    }

    /// The page of ways with this number, of those behind another one.
    #[cold]
    fn far_block(&self, number: usize) -> Way {
        Self::follow((*self.twice.get(number / WAYS)?)?, number % WAYS)
    }

    /// As [`page`](Self::page), and takes it and the pages of ways to it where they are missing.
    fn open_page<P: PageAllocator>(&mut self, number: usize, pages: &mut P) -> Way {
        let count = &mut self.pages;
        let way = match number.checked_sub(DIRECT) {
            None => &mut self.direct[number],
            Some(beyond) => {
                let (block, at) = (beyond / WAYS, beyond % WAYS);
                let block = match block.checked_sub(ONCE) {
                    None => &mut self.once[block],
                    Some(far) => {
                        let way = self.twice.get_mut(far / WAYS)?;
                        &mut open_block(way, pages, count)?[far % WAYS]
                    }
                };
                &mut open_block(block, pages, count)?[at]
            }
        };
        Some(open(way, pages, count)?.0)
    }

    #[inline]
    const fn place(index: u32) -> (usize, usize) {
        // Only constants are divided by: dividing takes longer than all the rest.
        (index as usize / Self::ROWS, index as usize % Self::ROWS)
    }

    #[inline]
    fn row(&self, index: u32) -> Option<NonNull<T>> {
        if index >= self.len {
            return None;
        }
        let (page, row) = Self::place(index);
        // SAFETY: within the page.
        Some(unsafe { self.page(page)?.cast::<T>().add(row) })
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        // SAFETY: it was written (table-T1), and the borrow of the table is the row's.
        Some(unsafe { self.row(index)?.as_ref() })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        // SAFETY: it was written (table-T1), and the borrow of the table is the row's.
        Some(unsafe { self.row(index)?.as_mut() })
    }

    pub(crate) fn push<P: PageAllocator>(&mut self, row: T, pages: &mut P) -> Option<u32> {
        let index = self.len;
        let len = index.checked_add(1)?;
        let (page, at) = Self::place(index);
        let start = self.open_page(page, pages)?.cast::<T>();
        // SAFETY: within the page.
        let place = unsafe { start.add(at) };
        // SAFETY: the page is ours, and aligned as one.
        unsafe { place.write(row) };
        self.len = len;
        Some(index)
    }
}

#[cfg(test)]
mod tests;
