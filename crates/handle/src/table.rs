//! A table that grows by pages and whose rows never move.
//!
//! ```text
//! pieces   [ 0 ]─► 1 page     row 0 …            each piece has twice the pages of the one before,
//!          [ 1 ]─► 2 pages                       so that a row's piece is a logarithm
//!          [ 2 ]─► 4 pages    … row len − 1
//! ```
//!
//! - **T1** rows below `len` were written; the pieces that they lie in were taken, of `FIRST << k` rows each.
//!
//! A row is found in O(1); a piece that cannot be had leaves the table as it was. Pieces stay: a table is as large as it
//! once was.
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use base::PageAllocator;
use base::bits::low32;

use crate::{PAGE, frames};

/// With pieces of 1 to 2^21 pages, more rows than an index can name.
const PIECES: usize = 22;

/// Rows of `T`, whose index is a `u32`.
pub(crate) struct Table<T> {
    pieces: [Option<NonNull<T>>; PIECES],
    len: u32,
    owns: PhantomData<T>,
}

// SAFETY: the pages are its own.
unsafe impl<T: Send> Send for Table<T> {}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T: Copy> Table<T> {
    /// Rows of the first piece.
    const FIRST: usize = PAGE / size_of::<T>();
    const VALID: () = assert!(
        size_of::<T>() <= PAGE / 8 && align_of::<T>() <= PAGE,
        "a row is a small part of a page"
    );

    /// Without rows, and without memory.
    pub(crate) const fn new() -> Self {
        () = Self::VALID;
        Self { pieces: [None; PIECES], len: 0, owns: PhantomData }
    }

    /// How many rows there are.
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// Bytes of the pages under it.
    pub(crate) fn bytes(&self) -> usize {
        let taken = |(k, piece): (usize, &Option<NonNull<T>>)| piece.map_or(0, |_| PAGE << k);
        self.pieces.iter().enumerate().map(taken).sum()
    }

    /// The piece of a row, and the row within it.
    fn place(index: u32) -> (usize, usize) {
        let index = index as usize;
        let piece = (index / Self::FIRST + 1).ilog2() as usize;
        (piece, index - Self::FIRST * ((1 << piece) - 1))
    }

    fn row(&self, index: u32) -> Option<NonNull<T>> {
        if index >= self.len {
            return None;
        }
        let (piece, row) = Self::place(index);
        // SAFETY: within the piece, by T1.
        Some(unsafe { self.pieces[piece]?.add(row) })
    }

    /// A row.
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        // SAFETY: it was written (T1), and the borrow of the table is the row's.
        Some(unsafe { self.row(index)?.as_ref() })
    }

    /// A row, to be changed.
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        // SAFETY: it was written (T1), and the borrow of the table is the row's.
        Some(unsafe { self.row(index)?.as_mut() })
    }

    /// Adds a row. `None`: there are no pages for it.
    pub(crate) fn push<P: PageAllocator>(&mut self, row: T, pages: &mut P) -> Option<u32> {
        let index = self.len;
        let (piece, at) = Self::place(index);
        let start = match self.pieces.get(piece)? {
            Some(start) => *start,
            None => {
                let start = frames::take(pages, 1 << piece)?.cast();
                self.pieces[piece] = Some(start);
                start
            }
        };
        // SAFETY: within the piece.
        let place = unsafe { start.add(at) };
        // SAFETY: the piece is ours, and aligned to a page.
        unsafe { place.write(row) };
        self.len = low32(index as usize + 1);
        Some(index)
    }
}

#[cfg(test)]
mod tests;
