//! What grows, by size: the least that was live in each window, where the survivors come from, and whether old ones are freed.
//!
//! ```text
//! allocations  │ 1 │ 2 │ … │ 7 │ 8 │ 9 │ … │ 12 │ 13 │ … │ 16 │ cleaning up
//!                                  ▲            ▲             ▲
//!                       half: what is old here  late: is it   done: what is left
//!                                               still freed?
//! ```
//!
//! The least of a window and not what is live at its end: a program that works in batches has a batch in hand at most moments.

use trace::{Block, NumberMap, Thread};

use crate::facts::{Growing, Growth, Point, WINDOWS};
use crate::live::{Entry, Live};
use crate::outline::{Done, Outline};
use crate::sizes;

/// A table of what grows is no smaller.
const TABLE: u64 = 16 << 10;
/// A block is old when so many-th of all blocks have been allocated after it.
const OLD: u64 = 16;

/// What is allocated in the last of so many parts of the work comes when the rest is there.
const LATE: u64 = 32;

/// Windows, of which the end of each is met once, and the least that was live in the one that is open.
#[derive(Debug, Default)]
struct Windows {
    ends: [u64; WINDOWS],
    next: usize,
    least: Vec<u64>,
}

impl Windows {
    fn of(ends: [u64; WINDOWS]) -> Self {
        Self { ends, next: 0, least: vec![0; sizes::BINS] }
    }

    /// Of equal length.
    fn even(all: u64) -> Self {
        let length = all.div_ceil(WINDOWS as u64).max(1);
        Self::of(core::array::from_fn(|n| length * (n as u64 + 1)))
    }

    /// Of equal time at work: a stretch without a call says nothing of what the calls do.
    fn busy(points: &[Point], until: u64) -> Self {
        let is_busy = |point: &&Point| point.allocations + point.frees > 0 && point.time <= until;
        let busy: Vec<u64> = points.iter().filter(is_busy).map(|point| point.time).collect();
        if busy.is_empty() {
            return Self::even(until);
        }
        Self::of(core::array::from_fn(|n| busy[(busy.len() * (n + 1)).div_ceil(WINDOWS) - 1]))
    }

    /// The windows that have ended when `at` is reached.
    fn ended(&mut self, at: u64) -> core::ops::Range<usize> {
        let from = self.next;
        while self.next < WINDOWS && at >= self.ends[self.next] {
            self.next += 1;
        }
        from..self.next
    }

    /// What was least becomes the figure of the windows that ended, and the next one begins.
    fn close(&mut self, live: &[u64], mut each: impl FnMut(usize, u64)) {
        for (at, (least, live)) in self.least.iter_mut().zip(live).enumerate() {
            each(at, core::mem::replace(least, *live));
        }
    }

    fn window(&self, at: u64) -> usize {
        self.ends.partition_point(|&end| end <= at).min(WINDOWS - 1)
    }
}

/// Follows growth through the second pass.
#[derive(Debug, Default)]
pub(crate) struct Follow {
    done: Done,
    half: u64,
    bins: Vec<Growing>,
    live: Vec<u64>,
    threads: NumberMap<Thread, i64>,
    counts: Windows,
    times: Windows,
    blocks: u64,
    is_half: bool,
    is_done: bool,
    own_maps: (u64, u64),
    anon: (Option<u64>, Option<u64>),
    /// The large block that was allocated last: its number and its size.
    large: (Block, u64),
    /// The table of the second half: it came, and then a smaller one went that had been there for long.
    table: Option<(Block, u64)>,
    /// The largest block of all, and how many had been allocated then.
    largest: (u64, u64),
    /// `realloc` takes such a one away, and brings it back larger.
    is_moving: bool,
}

impl Follow {
    pub(crate) fn new(outline: &Outline) -> Self {
        let done = outline.done;
        Self {
            done,
            half: done.blocks / 2,
            bins: vec![Growing::default(); sizes::BINS],
            live: vec![0; sizes::BINS],
            counts: Windows::even(done.blocks),
            times: Windows::busy(&outline.points, done.time),
            ..Self::default()
        }
    }

    /// Before each step of this time.
    pub(crate) fn time(&mut self, time: u64) {
        if self.is_done {
            return;
        }
        let ended = self.times.ended(time);
        if !ended.is_empty() {
            let bins = &mut self.bins;
            self.times.close(&self.live, |at, least| bins[at].by_time[ended.clone()].fill(least));
        }
    }

    pub(crate) fn allocated(&mut self, live: &Live, block: Block, entry: &Entry) {
        let (size, at) = (entry.size(), sizes::bin(entry.size()));
        let bin = &mut self.bins[at];
        bin.from = if bin.blocks == 0 { size } else { bin.from.min(size) };
        bin.to = bin.to.max(size);
        self.live[at] += size;
        bin.blocks += 1;
        if self.is_done {
            return;
        }
        bin.allocated += size;
        self.blocks += 1;
        self.largest = self.largest.max((size, self.blocks));
        if self.is_half {
            *self.threads.entry(entry.thread).or_default() += size.cast_signed();
        } else if self.blocks >= self.half {
            self.is_half = true;
            self.at_half(live);
        }
        if size >= TABLE {
            self.large = (block, size);
            if core::mem::take(&mut self.is_moving) && entry.is_grown() {
                self.table = Some((block, size));
            }
        }
        let ended = self.counts.ended(self.blocks);
        if !ended.is_empty() {
            let bins = &mut self.bins;
            self.counts.close(&self.live, |at, least| bins[at].by_count[ended.clone()].fill(least));
        }
    }

    pub(crate) fn is_half(&self) -> bool {
        self.is_half
    }

    fn at_half(&mut self, live: &Live) {
        for (block, entry) in live.iter() {
            if self.is_old(block) {
                self.bins[sizes::bin(entry.size())].old += entry.size();
            }
        }
        self.anon.0 = self.anon.1;
        self.own_maps.0 = self.own_maps.1;
    }

    fn is_old(&self, block: Block) -> bool {
        block < self.half.saturating_sub(self.done.blocks / OLD)
    }

    /// It is of the second half, and not young when the work is done.
    fn is_settled(&self, block: Block) -> bool {
        (self.half..self.done.blocks.saturating_sub(self.done.blocks / OLD * 2)).contains(&block)
    }

    /// A block is gone: freed, or moved by `realloc`.
    pub(crate) fn gone(&mut self, block: Block, entry: &Entry, is_freed: bool) {
        let (size, at) = (entry.size(), sizes::bin(entry.size()));
        self.live[at] = self.live[at].saturating_sub(size);
        for windows in [&mut self.counts, &mut self.times] {
            windows.least[at] = windows.least[at].min(self.live[at]);
        }
        let (is_old, is_settled) = (self.is_old(block), self.is_settled(block));
        let bin = &mut self.bins[at];
        if self.is_done {
            bin.freed_after += size;
            bin.settled_freed += if is_settled { size } else { 0 };
        } else if self.is_half {
            bin.old_freed_late += if is_old && is_freed && self.blocks / 3 >= self.done.blocks / 4 {
                size
            } else {
                0
            };
            *self.threads.entry(entry.thread).or_default() -= size.cast_signed();
            // What grows is not given up by that.
            if is_old && is_freed {
                bin.old_freed += size;
            } else if is_old {
                bin.old = bin.old.saturating_sub(size);
            }
            if size >= TABLE {
                self.large_gone(block, size, is_freed);
            }
        }
    }

    /// A large block went. If it had been there for long and a larger one has just come, that is a table which took its place.
    fn large_gone(&mut self, block: Block, size: u64, is_freed: bool) {
        let was_table = self.table.is_some_and(|(table, _)| table == block);
        if was_table {
            self.table = None;
        } else if !self.is_old(block) {
            return;
        }
        self.is_moving = !is_freed;
        let (new, larger) = self.large;
        let is_larger = (size + 1..=size.saturating_mul(4)).contains(&larger);
        let is_least = self.table.is_none_or(|(_, table)| larger > table);
        if is_freed && new > block && is_larger && is_least {
            self.table = Some(self.large);
        }
    }

    pub(crate) fn memory(&mut self, anon: u64) {
        if !self.is_done {
            self.anon.1 = Some(anon);
        }
    }

    pub(crate) fn own_maps(&mut self, bytes: u64) {
        if !self.is_done {
            self.own_maps.1 = bytes;
        }
    }

    /// The work is done: what lives now has survived it.
    pub(crate) fn done(&mut self, live: &Live) {
        self.is_done = true;
        let (counts, times) = (self.counts.next.min(WINDOWS - 1), self.times.next.min(WINDOWS - 1));
        for (at, (bin, live)) in self.bins.iter_mut().zip(&self.live).enumerate() {
            bin.by_count[counts..].fill(self.counts.least[at].min(*live));
            bin.by_time[times..].fill(self.times.least[at].min(*live));
            bin.live = *live;
        }
        for (block, entry) in live.iter() {
            let settled = if self.is_settled(block) { entry.size() } else { 0 };
            let bin = &mut self.bins[sizes::bin(entry.size())];
            bin.settled += settled;
            bin.live_blocks += 1;
            bin.born[self.counts.window(block)] += entry.size();
            bin.enlarged += if entry.is_grown() { entry.size() } else { 0 };
        }
    }

    pub(crate) fn finish(mut self, live: &Live) -> Growth {
        for (_, entry) in live.iter() {
            self.bins[sizes::bin(entry.size())].never_freed += entry.size();
        }
        let mut by_size = self.bins;
        by_size.retain(|bin| bin.blocks > 0);
        by_size.sort_by_key(|bin| (core::cmp::Reverse(bin.growth()), bin.from));
        let mut by_thread: Vec<(Thread, i64)> = self.threads.into_iter().collect();
        by_thread.sort_unstable_by_key(|&(thread, grew)| (core::cmp::Reverse(grew), thread));
        by_thread.truncate(16);
        let (before, now) = self.anon;
        let resident = before.zip(now).map_or(0, |(a, b)| b.cast_signed() - a.cast_signed());
        Growth {
            blocks: self.done.blocks,
            until: self.done.time,
            all: sum(&by_size),
            by_size,
            by_thread,
            table: self.table.map_or(0, |(_, size)| size),
            result: if self.largest.1 >= self.done.blocks / LATE * (LATE - 1) {
                self.largest.0
            } else {
                0
            },
            resident,
            own_maps: self.own_maps.1.cast_signed() - self.own_maps.0.cast_signed(),
        }
    }
}

/// Several sizes as one.
pub(crate) fn sum<'a>(bins: impl IntoIterator<Item = &'a Growing>) -> Growing {
    let mut all = Growing { from: u64::MAX, ..Growing::default() };
    for bin in bins {
        all.from = all.from.min(bin.from);
        all.to = all.to.max(bin.to);
        for window in 0..WINDOWS {
            all.by_count[window] += bin.by_count[window];
            all.by_time[window] += bin.by_time[window];
            all.born[window] += bin.born[window];
        }
        all.blocks += bin.blocks;
        all.allocated += bin.allocated;
        all.live_blocks += bin.live_blocks;
        all.enlarged += bin.enlarged;
        all.old += bin.old;
        all.old_freed += bin.old_freed;
        all.old_freed_late += bin.old_freed_late;
        all.live += bin.live;
        all.settled += bin.settled;
        all.settled_freed += bin.settled_freed;
        all.freed_after += bin.freed_after;
        all.never_freed += bin.never_freed;
    }
    all
}
