//! The pieces of a chunk, 64 KiB each: which are free, and which of those are zero.
//!
//! ```text
//! chunk  [ head │ rest of piece 0 │ piece 1 │ piece 2 │ … ]
//! free          1                   0         1             clean  0 0 1      dirty: free and not clean, so it costs memory
//! ```
//!
//! - **pieces-P2** a piece is clean only if it is free, and zero; the first, which has the head, never is.
//!
//! Only the owner's thread changes any of it. O(1), but for giving memory back: a system call a row.
use base::bits::{low32, run_starts};
use base::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::links::{self, Linked};

pub(crate) const PIECE: usize = 64 << 10;

/// What every chunk's head has.
#[derive(Debug)]
pub(crate) struct Pieces {
    links: [AtomicUsize; 2],
    /// The record of the thread that owns it; 0: nobody.
    owner: AtomicUsize,
    free: AtomicU64,
    clean: AtomicU64,
    /// When it came to the pool.
    pub(super) since: AtomicU32,
}

/// What stands at the beginning of a chunk.
pub(crate) trait Chunk: Linked + Sized + 'static {
    /// Bytes of a chunk, a power of two, at most 64 pieces.
    const LEN: usize;
    /// Bytes of its head.
    const HEAD: usize;
    /// Every piece.
    const ALL: u64 = u64::MAX >> (64 - Self::LEN / PIECE);

    fn pieces(&self) -> &Pieces;

    /// It is this owner's, and all free. `zero`: all of it is.
    fn open(&self, owner: usize, zero: bool) {
        let pieces = self.pieces();
        self.set_owner(owner);
        pieces.free.store(Self::ALL, Ordering::Relaxed);
        pieces.clean.store(if zero { Self::ALL & !1 } else { 0 }, Ordering::Relaxed);
    }

    /// All but its head is zero.
    fn set_clean(&self) {
        self.pieces().clean.store(Self::ALL & !1, Ordering::Relaxed);
    }

    /// Whether all is zero but the piece with the head.
    fn is_clean(&self) -> bool {
        self.pieces().clean() == Self::ALL & !1
    }

    /// The record of the thread that owns it; 0: nobody.
    #[inline(always)]
    fn owner(&self) -> usize {
        self.pieces().owner.load(Ordering::Relaxed)
    }

    /// Another owner.
    fn set_owner(&self, owner: usize) {
        self.pieces().owner.store(owner, Ordering::Release);
    }

    fn is_all_free(&self) -> bool {
        self.pieces().free() == Self::ALL
    }

    fn is_full(&self) -> bool {
        self.pieces().free() == 0
    }

    /// Pieces in use.
    fn used(&self) -> usize {
        (Self::ALL & !self.pieces().free()).count_ones() as usize
    }

    /// Free pieces whose memory could go: the first, which has the head, is none.
    fn dirty(&self) -> usize {
        (self.pieces().dirty() & !1).count_ones() as usize
    }

    /// Takes `count` free pieces in a row, rather those that cost memory; `whole`: not the first, which has the head. The first
    /// one's number, and whether all are zero. `None`: there are none.
    fn take(&self, count: usize, whole: bool) -> Option<(usize, bool)> {
        let pieces = self.pieces();
        let usable = if whole { !1 } else { u64::MAX };
        let starts = |set: u64| run_starts(u128::from(set & usable), low32(count));
        let dirty = starts(pieces.dirty());
        let from = if dirty != 0 { dirty } else { starts(pieces.free()) };
        if from == 0 {
            return None;
        }
        let first = from.trailing_zeros() as usize;
        let (run, clean) = (bits(first, count), pieces.clean());
        pieces.free.store(pieces.free() & !run, Ordering::Relaxed);
        pieces.clean.store(clean & !run, Ordering::Relaxed);
        Some((first, clean & run == run))
    }

    fn put(&self, first: usize, count: usize) {
        let pieces = self.pieces();
        pieces.free.store(pieces.free() | bits(first, count), Ordering::Relaxed);
    }

    /// Calls `purge` with rows of free pieces that cost memory, but the first, at most `most` in all, and takes note of those that
    /// are zero then: how many.
    fn purge(&self, most: usize, mut purge: impl FnMut(usize, usize) -> bool) -> usize {
        let (pieces, mut gone) = (self.pieces(), 0);
        let mut dirty = pieces.dirty() & !1;
        while dirty != 0 && gone < most {
            let first = dirty.trailing_zeros() as usize;
            let row = (dirty >> first).trailing_ones() as usize;
            let (count, run) = (row.min(most - gone), bits(first, row));
            dirty &= !run;
            if purge(self.piece_at(first), count * PIECE) {
                pieces.clean.store(pieces.clean() | bits(first, count), Ordering::Relaxed);
                gone += count;
            }
        }
        gone
    }

    fn piece_at(&self, piece: usize) -> usize {
        links::address(self) + piece * PIECE
    }

    fn is_used(&self, piece: usize) -> bool {
        self.pieces().free() & bits(piece, 1) == 0
    }
}

impl Pieces {
    /// The links of its chunk.
    pub(crate) fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }

    fn free(&self) -> u64 {
        self.free.load(Ordering::Relaxed)
    }

    fn clean(&self) -> u64 {
        self.clean.load(Ordering::Relaxed)
    }

    fn dirty(&self) -> u64 {
        self.free() & !self.clean()
    }
}

/// Pieces `first` to `first + count`, as bits.
fn bits(first: usize, count: usize) -> u64 {
    (u64::MAX >> (64 - count)) << first
}
