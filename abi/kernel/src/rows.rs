//! What a `struct page *` points to: a row that says where the page's bytes are.
//!
//! ```text
//! pieces   [ 0 ]─► 1 page     row 0 …            each piece has twice the pages of the one before,
//!          [ 1 ]─► 2 pages                       so rows never move
//!          [ 2 ]─► 4 pages    …
//! row      │ address │ kind │ number │           16 bytes
//! ```
//!
//! - **rows-R1** all rows of a piece are whole; what was never set is 0, and so of no kind.
//!
//! A row is read without a lock by who knows that its page is there.
use core::ptr::{self, NonNull};

use base::sync::{AtomicU32, AtomicUsize, Ordering};
use source::PageSource;
use source::os::Os;

use crate::misuse;
use crate::pages::PAGE;

/// With pieces of 1 to 2^21 pages, more rows than a number can name.
const PIECES: usize = 22;
const FIRST: usize = PAGE / size_of::<Row>();

/// What a row stands for; numbers that no other memory is likely to have there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    None = 0,
    Xv = 0x7876_7067,
    Frame = 0x6672_6d65,
}

/// `struct page`.
#[repr(C, align(16))]
pub(crate) struct Row {
    address: AtomicUsize,
    kind: AtomicU32,
    number: AtomicU32,
}

impl Row {
    pub(crate) fn set(&self, kind: Kind, address: *mut u8, number: u32) {
        self.address.store(address.expose_provenance(), Ordering::Relaxed);
        self.number.store(number, Ordering::Relaxed);
        self.kind.store(kind as u32, Ordering::Release);
    }

    /// It stands for nothing any more.
    pub(crate) fn clear(&self) {
        self.kind.store(Kind::None as u32, Ordering::Relaxed);
    }

    pub(crate) fn address(&self) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.address.load(Ordering::Relaxed))
    }

    pub(crate) fn number(&self) -> u32 {
        self.number.load(Ordering::Relaxed)
    }
}

pub(crate) struct Rows {
    pieces: [Option<NonNull<Row>>; PIECES],
}

// SAFETY: the pieces are its own, and rows are atomics.
unsafe impl Send for Rows {}

impl Rows {
    pub(crate) const fn new() -> Self {
        Self { pieces: [None; PIECES] }
    }

    pub(crate) fn at(&mut self, number: u32) -> Option<NonNull<Row>> {
        let number = number as usize;
        let piece = (number / FIRST + 1).ilog2();
        let start = match self.pieces.get(piece as usize)? {
            Some(start) => *start,
            None => self.grow(piece)?,
        };
        // SAFETY: within the piece.
        Some(unsafe { start.add(number - FIRST * ((1 << piece) - 1)) })
    }

    #[cold]
    fn grow(&mut self, piece: u32) -> Option<NonNull<Row>> {
        // New memory is 0, so its rows are of no kind, and it costs memory only where rows are set.
        let start = Os.map(PAGE << piece, PAGE)?;
        let start = NonNull::new(ptr::with_exposed_provenance_mut(start))?;
        *self.pieces.get_mut(piece as usize)? = Some(start);
        Some(start)
    }

    /// The row of a number, if there is one, stands for nothing any more.
    pub(crate) fn clear(&self, number: u32) {
        let number = number as usize;
        let piece = (number / FIRST + 1).ilog2();
        if let Some(start) = self.pieces.get(piece as usize).copied().flatten() {
            // SAFETY: within the piece.
            let row = unsafe { start.add(number - FIRST * ((1 << piece) - 1)) };
            // SAFETY: a row of ours, by rows-R1.
            unsafe { row.as_ref() }.clear();
        }
    }

    /// The row at an address, if one of these is there that stands for something. O(pieces).
    pub(crate) fn find(&self, row: *const Row) -> Option<&Row> {
        let pieces = self.pieces.iter().enumerate();
        let within =
            pieces.filter_map(|(piece, start)| Some((piece, (*start)?))).any(|(piece, start)| {
                let offset = row.addr().wrapping_sub(start.addr().get());
                offset < PAGE << piece && offset.is_multiple_of(size_of::<Row>())
            });
        if !within {
            return None;
        }
        // SAFETY: a row of ours, by rows-R1.
        let row = unsafe { row.as_ref() }?;
        (row.kind.load(Ordering::Acquire) != Kind::None as u32).then_some(row)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        for (piece, start) in self.pieces.iter().enumerate() {
            if let Some(start) = start {
                // SAFETY: mapped with this length, and nobody uses it any more.
                unsafe { Os.release(start.as_ptr().expose_provenance(), PAGE << piece) };
            }
        }
    }
}

/// `page_address`.
#[unsafe(no_mangle)]
unsafe extern "C" fn page_address(page: *const Row) -> *mut u8 {
    let whole = page.is_aligned();
    // SAFETY: what the header asks of the caller.
    let row = unsafe { page.as_ref() }.filter(|_| whole);
    let is_page = |row: &&Row| {
        let kind = row.kind.load(Ordering::Acquire);
        kind == Kind::Xv as u32 || kind == Kind::Frame as u32
    };
    match row.filter(is_page) {
        Some(row) => row.address(),
        None => misuse::end("page_address", format_args!("{page:p} is no page, or free")),
    }
}
