//! Addresses for chunks that are mapped ahead of need: a system call for many, as thousands of threads may begin at once.
//!
//! ```text
//! ahead  [ from … to ) ─► the last is taken first          a row that is mapped next mostly lies right before: the two are one
//! ```
//!
//! To map is to hold the lock of all of the process's mappings, for which every other thread that maps waits, and each that touches
//! a new mapping: where a processor has more to do the holder is put aside meanwhile. With a call for each of 10,000 threads, beside
//! twelve busy programs on two processors, to start them took ten times what it takes now.
//!
//! - **ahead-L1** what is ahead was never touched, is in no map and in no sum: it costs addresses, and is unmapped by a trim.
use base::sync::Ordering;
use page::System;
use policy::table::AHEAD_SHARE;

use super::{Chunk, Chunks};

/// Bytes that are mapped at once at most.
const MOST: usize = 64 << 20;

/// A row of addresses, from and to.
#[derive(Debug)]
pub(super) struct Ahead(usize, usize);

impl Ahead {
    pub(super) const NONE: Self = Self(0, 0);

    /// The last `len` bytes.
    fn pop(&mut self, len: usize) -> Option<usize> {
        let is_some = self.0 < self.1;
        self.1 -= if is_some { len } else { 0 };
        is_some.then_some(self.1)
    }

    /// A row was mapped. `false`: there is another, which this does not lie before.
    fn add(&mut self, from: usize, to: usize) -> bool {
        if self.0 == self.1 {
            *self = Self(from, to);
        } else if self.0 == to {
            self.0 = from;
        }
        self.0 == from
    }

    pub(super) fn take_all(&mut self) -> Self {
        core::mem::replace(self, Self::NONE)
    }
}

impl<S: System, C: Chunk, const SHIFT: u32> Chunks<S, C, SHIFT> {
    /// Fresh addresses of a chunk. `None`: out of memory.
    pub(super) fn map_one(&self) -> Option<usize> {
        let next = || {
            let mut pool = self.pool.lock();
            self.regret.take(C::LEN);
            pool.ahead.pop(C::LEN)
        };
        next().or_else(|| self.map_some())
    }

    /// As [`map_one`](Self::map_one), from the system, and of a large heap more for the next ones.
    fn map_some(&self) -> Option<usize> {
        let share = self.mapped.load(Ordering::Relaxed) / AHEAD_SHARE as usize;
        let more = share.min(MOST - C::LEN) / C::LEN * C::LEN;
        let map = |more| Some((self.source.map(C::LEN + more, C::LEN)?, more));
        let (at, more) = map(more).or_else(|| map(0))?;
        let rest = Ahead(at, at + more);
        if more > 0 && !self.pool.lock().ahead.add(rest.0, rest.1) {
            self.unmap_ahead(rest);
        }
        Some(at + more)
    }

    /// Unmaps what is on no list.
    pub(super) fn unmap_ahead(&self, Ahead(from, to): Ahead) {
        // SAFETY: mapped here, and never handed out (ahead-L1).
        unsafe { self.source.release(from, to - from) };
    }
}
