//! A table that grows by pages and whose rows never move.
//!
//! ```text
//! pieces   [ 0 ]─► 1 page    row 0 …             four pieces of 1 page, four of 2, four of 4 and so on:
//!          …                                     a row's piece is a logarithm, and at most a fifth of a
//!          [ 5 ]─► 2 pages   … row len − 1       large table has no rows yet
//! ```
//!
//! - **T1** rows below `len` were written; the pieces that they lie in were taken, of `FIRST << k / 4` rows each.
//!
//! A row is found in O(1); a piece that cannot be had leaves the table as it was. Pieces stay: a table is as large as it
//! once was.
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use base::PageAllocator;
use base::bits::low32;

use crate::{PAGE, frames};

/// With pieces of 1 to 2^21 pages, about as many rows as an index can name.
const PIECES: usize = 4 * 22;

/// Pages of a piece.
const fn pages_of(piece: usize) -> usize {
    1 << (piece / 4)
}

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
        let taken =
            |(k, piece): (usize, &Option<NonNull<T>>)| piece.map_or(0, |_| PAGE * pages_of(k));
        self.pieces.iter().enumerate().map(taken).sum()
    }

    /// Gives the pages back; there are no rows then.
    pub(crate) fn give_back<P: PageAllocator>(&mut self, pages: &mut P) {
        self.len = 0;
        for (k, piece) in self.pieces.iter_mut().enumerate() {
            if let Some(start) = piece.take() {
                // SAFETY: taken for as many, and no row is left (T1).
                unsafe { frames::give(pages, start.cast(), pages_of(k)) };
            }
        }
    }

    /// The piece of a row, and the row within it.
    #[inline]
    fn place(index: u32) -> (usize, usize) {
        let index = index as usize;
        let four = (index / Self::FIRST / 4 + 1).ilog2();
        let within = index - Self::FIRST * 4 * ((1 << four) - 1);
        // Only constants are divided by: dividing takes longer than all the rest.
        let piece = (within >> four) / Self::FIRST;
        (4 * four as usize + piece, within - piece * (Self::FIRST << four))
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
                let start = frames::take(pages, pages_of(piece))?.cast();
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
