//! How the pages of a zspage lie: in one piece, or wherever there was one.
//!
//! ```text
//! Contiguous   │ page │ page │ page │                  every object in one piece; needs runs of pages, or an MMU
//! Scattered    │ page │    │ page │        │ page │    an object may lie in two; any page does
//! ```
use core::fmt::Debug;
use core::ptr::NonNull;

use base::PageAllocator;

use super::NONE;
use super::classes::LONGEST;
use crate::table::Table;
use crate::{PAGE, frames};

/// The bytes of an object: one piece or two.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    first: NonNull<[u8]>,
    rest: Option<NonNull<[u8]>>,
}

impl Parts {
    /// The bytes, if they lie in one piece.
    pub(super) const fn one_piece(self) -> Option<NonNull<[u8]>> {
        if self.rest.is_none() { Some(self.first) } else { None }
    }

    fn pieces(self) -> impl Iterator<Item = NonNull<[u8]>> {
        core::iter::once(self.first).chain(self.rest)
    }

    pub(super) fn fill(self) {
        for piece in self.pieces() {
            // SAFETY: bytes of an object, which is the heap's.
            unsafe { piece.cast::<u8>().write_bytes(0, piece.len()) };
        }
    }

    /// Writes `bytes`, as many as these are.
    pub(super) fn copy_from(self, mut bytes: &[u8]) {
        for piece in self.pieces() {
            let (now, later) = bytes.split_at(piece.len().min(bytes.len()));
            let from = NonNull::from(now).cast::<u8>();
            // SAFETY: bytes of an object, which is the heap's; `now` is as long at most.
            unsafe { piece.cast::<u8>().copy_from(from, now.len()) };
            bytes = later;
        }
    }

    /// Reads as many bytes as there are, which were written before.
    pub(super) fn copy_to(self, mut room: &mut [u8]) {
        for piece in self.pieces() {
            let (now, later) = room.split_at_mut(piece.len().min(room.len()));
            let to = NonNull::from(&mut *now).cast::<u8>();
            // SAFETY: bytes of an object, which is the heap's; `now` is as long at most.
            unsafe { to.copy_from(piece.cast(), now.len()) };
            room = later;
        }
    }

    /// Reads what another object's bytes are, of the same length.
    pub(super) fn copy(self, other: Self) {
        if let (Some(to), Some(from)) = (self.one_piece(), other.one_piece()) {
            // SAFETY: bytes of two objects, which are the heap's and apart, and of the same length.
            unsafe {
                to.cast::<u8>().copy_from_nonoverlapping(from.cast(), to.len().min(from.len()))
            };
            return;
        }
        let mut room = [0; PAGE];
        let len = self.pieces().map(|piece| piece.len()).sum::<usize>().min(PAGE);
        other.copy_to(&mut room[..len]);
        self.copy_from(&room[..len]);
    }
}

/// How zspages are made of pages.
/// # Safety
/// [`parts`](Self::parts) are bytes of the chain's pages, different ones for different offsets.
pub unsafe trait Form: Debug {
    /// The pages of a zspage.
    type Chain: Copy + Debug;

    /// Takes the pages of a zspage.
    fn take<P: PageAllocator>(&mut self, from: &mut P, pages: usize) -> Option<Self::Chain>;

    /// Gives them back.
    /// # Safety
    /// [`take`](Self::take) returned the chain for as many pages, and nobody uses them any more.
    unsafe fn give<P: PageAllocator>(&mut self, from: &mut P, chain: Self::Chain, pages: usize);

    /// Where `len` bytes lie, `offset` bytes from the zspage's start; no more than a page, within its pages.
    fn parts(&self, chain: Self::Chain, offset: usize, len: usize) -> Parts;

    /// Bytes of its tables.
    fn bytes(&self) -> usize;

    /// Gives its tables back, when every chain was.
    fn give_back<P: PageAllocator>(&mut self, from: &mut P);
}

/// Zspages in one piece.
#[derive(Debug, Clone, Copy, Default)]
pub struct Contiguous;

// SAFETY: offsets within a run of pages.
unsafe impl Form for Contiguous {
    type Chain = NonNull<u8>;

    fn take<P: PageAllocator>(&mut self, from: &mut P, pages: usize) -> Option<NonNull<u8>> {
        frames::take(from, pages)
    }

    unsafe fn give<P: PageAllocator>(&mut self, from: &mut P, chain: NonNull<u8>, pages: usize) {
        // SAFETY: the caller's promise.
        unsafe { frames::give(from, chain, pages) };
    }

    #[inline]
    fn parts(&self, chain: NonNull<u8>, offset: usize, len: usize) -> Parts {
        // SAFETY: within the zspage's pages.
        let start = unsafe { chain.add(offset) };
        Parts { first: NonNull::slice_from_raw_parts(start, len), rest: None }
    }

    fn bytes(&self) -> usize {
        0
    }

    fn give_back<P: PageAllocator>(&mut self, _: &mut P) {}
}

/// The pages of a zspage, in order; of a free row, the next one's number is in the first place.
type Row = [Option<NonNull<u8>>; LONGEST];

/// Zspages of single pages.
#[derive(Debug)]
pub struct Scattered {
    rows: Table<Row>,
    /// The first free row, and the next of each, as a table of their own.
    free: u32,
    next: Table<u32>,
}

// SAFETY: the pages are its own.
unsafe impl Send for Scattered {}

impl Scattered {
    pub(super) const fn new() -> Self {
        Self { rows: Table::new(), free: NONE, next: Table::new() }
    }

    fn row<P: PageAllocator>(&mut self, from: &mut P) -> Option<u32> {
        if self.free == NONE {
            // A row whose link could not be had waits without one.
            if self.rows.len() == self.next.len() {
                self.rows.push([None; LONGEST], from)?;
            }
            return self.next.push(NONE, from);
        }
        let row = self.free;
        self.free = *self.next.get(row)?;
        Some(row)
    }

    fn put_back(&mut self, row: u32) {
        if let Some(next) = self.next.get_mut(row) {
            *next = self.free;
            self.free = row;
        }
    }

    fn page(&self, chain: u32, index: usize) -> NonNull<u8> {
        let page = self.rows.get(chain).and_then(|row| row[index]);
        page.unwrap_or_else(|| unreachable!("a zspage has all its pages"))
    }
}

// SAFETY: offsets within the pages of the chain's row.
unsafe impl Form for Scattered {
    type Chain = u32;

    fn take<P: PageAllocator>(&mut self, from: &mut P, pages: usize) -> Option<u32> {
        let id = self.row(from)?;
        let mut row: Row = [None; LONGEST];
        for place in row.iter_mut().take(pages) {
            *place = frames::take(from, 1);
        }
        let had = row.iter().take(pages).all(Option::is_some);
        if !had {
            for page in row.into_iter().flatten() {
                // SAFETY: just taken.
                unsafe { frames::give(from, page, 1) };
            }
            self.put_back(id);
            return None;
        }
        *self.rows.get_mut(id)? = row;
        Some(id)
    }

    unsafe fn give<P: PageAllocator>(&mut self, from: &mut P, chain: u32, pages: usize) {
        for index in 0..pages {
            let page = self.page(chain, index);
            // SAFETY: taken as one page; the caller's promise.
            unsafe { frames::give(from, page, 1) };
        }
        self.put_back(chain);
    }

    fn parts(&self, chain: u32, offset: usize, len: usize) -> Parts {
        let (index, within) = (offset / PAGE, offset % PAGE);
        let here = len.min(PAGE - within);
        // SAFETY: within the page.
        let start = unsafe { self.page(chain, index).add(within) };
        let rest = (here < len)
            .then(|| NonNull::slice_from_raw_parts(self.page(chain, index + 1), len - here));
        Parts { first: NonNull::slice_from_raw_parts(start, here), rest }
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.next.bytes()
    }

    fn give_back<P: PageAllocator>(&mut self, from: &mut P) {
        self.rows.give_back(from);
        self.next.give_back(from);
        self.free = NONE;
    }
}
