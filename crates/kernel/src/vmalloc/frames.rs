//! Frames by their numbers: which are free, which an area holds, which were handed out.
//!
//! - **vmalloc-frames-F1** a frame below the mark is free exactly if its state is [`FREE`] or [`DIRTY`].
//! - **vmalloc-frames-F2** `held` frames have the state [`HELD`], `given` ones [`GIVEN`] or more, and `retired` ones [`RETIRED`].
//! - **vmalloc-frames-F3** who frees a frame that is [`INHERITED`] retires it: it is neither punched nor taken again.
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
/// Handed out, and mapped as often as can be counted.
pub(super) const MOST: u8 = INHERITED - 1;
/// Besides what else it is: another process has it too.
pub(super) const INHERITED: u8 = 0x80;
/// Freed here, and perhaps not in another process.
pub(super) const RETIRED: u8 = INHERITED;

/// Frames whose states become usable at a time.
const STEP: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: usize,
    pub(super) len: usize,
    /// Whether one of them has old contents.
    pub(super) dirty: bool,
}

#[derive(Debug)]
pub(super) struct Frames {
    pub(super) row: Marked,
    pub(super) states: Table<u8>,
    pub(super) held: usize,
    pub(super) given: usize,
    pub(super) retired: usize,
    /// Whether the file is another process's, which takes its frames.
    pub(super) copied: bool,
}

impl Frames {
    /// How many nobody has, and this process may take.
    pub(super) const fn free(&self) -> usize {
        if self.copied {
            return 0;
        }
        self.row.count() - self.held - self.given - self.retired
    }

    /// The state of a frame, if it was ever used, without what it was at a fork.
    pub(super) fn state(&self, frame: usize) -> Option<u8> {
        (frame < self.row.mark()).then(|| self.states.get(frame) & !INHERITED)
    }

    /// Notes that another process has a frame too.
    pub(super) fn inherit(&mut self, frame: usize) {
        *self.states.entry_mut(frame) |= INHERITED;
    }

    /// How many frames from `first` on, below `end`, are alike in whether another process has them, and whether it has.
    pub(super) fn alike(&self, first: usize, end: usize) -> (usize, bool) {
        let inherited = |frame| self.states.get(frame) & INHERITED != 0;
        let is = inherited(first);
        (1 + (first + 1..end).take_while(|&frame| inherited(frame) == is).count(), is)
    }

    /// The runs of frames from `first` on that are this process's alone.
    pub(super) fn own_runs(
        &self,
        first: usize,
        len: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let (end, mut at) = (first + len, first);
        core::iter::from_fn(move || {
            while at < end {
                let (len, inherited) = self.alike(at, end);
                at += len;
                if !inherited {
                    return Some((at - len, len));
                }
            }
            None
        })
    }

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
        if self.copied {
            return None;
        }
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

    /// Takes a run back that an area held, or that was handed out and is not mapped (vmalloc-frames-F3).
    pub(super) fn give(&mut self, run: Run) {
        let state = if run.dirty { DIRTY } else { FREE };
        if self.state(run.first) == Some(HELD) {
            self.held -= run.len;
        } else {
            self.given -= run.len;
        }
        let (mut first, end) = (run.first, run.first + run.len);
        while first < end {
            let (len, inherited) = self.alike(first, end);
            for frame in first..first + len {
                self.states.set(frame, if inherited { RETIRED } else { state });
            }
            if inherited {
                self.retired += len;
            } else {
                self.row.give(first, len);
            }
            first += len;
        }
    }
}
