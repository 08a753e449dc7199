//! Frames by their numbers: which are free, which an area holds, which were handed out.
//!
//! - **F1** a frame below the mark is free exactly if its state is [`FREE`] or [`DIRTY`].
//! - **F2** `held` frames have the state [`HELD`], and `given` ones [`GIVEN`] or more.
//!
//! Frames in a row are one mapping, so a run that is long enough comes first, then frames never used, then the
//! longest runs there are. O(run / word bits + log frames) each.
use source::PageSource;

use super::table::Table;
use crate::marked::Marked;

/// Nobody's, and reads as zero.
pub(super) const FREE: u8 = 0;
/// Nobody's, with old contents: the source refused to punch it.
pub(super) const DIRTY: u8 = 1;
/// An area's.
pub(super) const HELD: u8 = 2;
/// Handed out; with what it is above, how often it is mapped.
pub(super) const GIVEN: u8 = 3;

/// Frames whose states become usable at a time.
const STEP: usize = 1 << 16;

/// Frames in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: usize,
    pub(super) len: usize,
    /// Whether one of them has old contents.
    pub(super) dirty: bool,
}

/// All frames.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) row: Marked,
    pub(super) states: Table<u8>,
    pub(super) held: usize,
    pub(super) given: usize,
}

impl Frames {
    /// How many nobody has.
    pub(super) const fn free(&self) -> usize {
        self.row.count() - self.held - self.given
    }

    /// The state of a frame, if it was ever used.
    pub(super) fn state(&self, frame: usize) -> Option<u8> {
        (frame < self.row.mark()).then(|| self.states.get(frame))
    }

    /// Raises the mark, at least to `end`.
    fn raise(&mut self, source: &impl PageSource, end: usize) -> bool {
        let generous = end.next_multiple_of(STEP).min(self.row.count());
        let reached = self.states.reach(source, generous) || self.states.reach(source, end);
        if reached {
            self.row.raise(end);
        }
        reached
    }

    /// Where a run of at most `wanted` frames begins, and its length.
    fn find(&mut self, source: &impl PageSource, wanted: usize) -> Option<(usize, usize)> {
        if let Some(first) = self.row.find(wanted, Some) {
            return Some((first, wanted));
        }
        let (first, count) = (self.row.tail(), self.row.count());
        let len = wanted.min(count - first);
        let fresh = len > self.row.mark() - first;
        if fresh && (len == wanted || len > self.row.longest()) && self.raise(source, first + len) {
            return Some((first, len));
        }
        let longest = self.row.longest().min(wanted);
        if longest == 0 {
            return None;
        }
        Some((self.row.find(longest, Some)?, longest))
    }

    /// Takes a run of at most `wanted` frames for an area ([`HELD`]) or to hand out ([`GIVEN`]).
    pub(super) fn take(
        &mut self,
        source: &impl PageSource,
        wanted: usize,
        state: u8,
    ) -> Option<Run> {
        let (first, len) = self.find(source, wanted)?;
        self.row.take(first, len);
        let mut dirty = false;
        for frame in first..first + len {
            dirty |= self.states.get(frame) == DIRTY;
            self.states.set(frame, state);
        }
        if state == HELD {
            self.held += len;
        } else {
            self.given += len;
        }
        Some(Run { first, len, dirty })
    }

    /// Takes a run back that an area held, or that was handed out and is not mapped.
    pub(super) fn give(&mut self, run: Run) {
        let state = if run.dirty { DIRTY } else { FREE };
        if self.states.get(run.first) == HELD {
            self.held -= run.len;
        } else {
            self.given -= run.len;
        }
        for frame in run.first..run.first + run.len {
            self.states.set(frame, state);
        }
        self.row.give(run.first, run.len);
    }
}
