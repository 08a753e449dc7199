//! What grows, by size: live bytes over windows, where the survivors come from, and whether any of them is freed when old.
//!
//! ```text
//! allocations  │ 1 │ 2 │ … │ 7 │ 8 │ 9 │ … │ 16 │ cleaning up
//!                                  ▲            ▲
//!                       half: what is old here  done: how much of that was freed until here, and what is left
//! ```

use trace::{Block, Thread};

use crate::facts::{Growing, Growth, Mark, WINDOWS};
use crate::live::{Entry, Live};
use crate::outline::{Done, Outline};
use crate::sizes;
use trace::NumberMap;

/// Marks by different names that are followed.
const MARKS: usize = 64;
/// A table of what grows is no smaller.
const TABLE: u64 = 16 << 10;
/// A block is old when so many-th of all blocks have been allocated after it.
const OLD: u64 = 16;

/// Windows of equal length, of which the end of each is met once.
#[derive(Debug, Clone, Copy)]
struct Windows {
    length: u64,
    next: usize,
}

impl Windows {
    fn of(all: u64) -> Self {
        Self { length: all.div_ceil(WINDOWS as u64).max(1), next: 0 }
    }

    /// The windows that have ended when `at` is reached.
    fn ended(&mut self, at: u64) -> core::ops::Range<usize> {
        let from = self.next;
        while self.next < WINDOWS && at >= self.length * (self.next as u64 + 1) {
            self.next += 1;
        }
        from..self.next
    }

    fn window(&self, at: u64) -> usize {
        crate::place(at / self.length).min(WINDOWS - 1)
    }
}

#[derive(Debug, Default)]
struct Marked {
    mark: Mark,
    first: u64,
}

/// Follows growth through the second pass.
#[derive(Debug)]
pub(crate) struct Follow {
    done: Done,
    half: u64,
    bins: Vec<Growing>,
    live: Vec<u64>,
    threads: NumberMap<Thread, i64>,
    marks: std::collections::BTreeMap<String, Marked>,
    counts: Windows,
    times: Windows,
    blocks: u64,
    is_half: bool,
    is_done: bool,
    own_maps: (u64, u64),
    anon: (Option<u64>, Option<u64>),
    /// The largest block that was freed in the second half, from [`TABLE`] on; and the largest of the second half that lives.
    tables: (u64, u64),
}

impl Follow {
    pub(crate) fn new(outline: &Outline) -> Self {
        let done = outline.done;
        Self {
            done,
            half: done.blocks / 2,
            bins: vec![Growing::default(); sizes::BINS],
            live: vec![0; sizes::BINS],
            threads: NumberMap::default(),
            marks: std::collections::BTreeMap::new(),
            counts: Windows::of(done.blocks),
            times: Windows::of(done.time),
            blocks: 0,
            is_half: false,
            is_done: false,
            own_maps: (0, 0),
            anon: (None, None),
            tables: (0, 0),
        }
    }

    /// Before each step of this time.
    pub(crate) fn time(&mut self, time: u64) {
        if self.is_done {
            return;
        }
        for window in self.times.ended(time) {
            self.bins
                .iter_mut()
                .zip(&self.live)
                .for_each(|(bin, live)| bin.by_time[window] = *live);
        }
    }

    /// A block was allocated.
    pub(crate) fn allocated(&mut self, live: &Live, entry: &Entry) {
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
        if self.is_half {
            *self.threads.entry(entry.thread).or_default() += size.cast_signed();
        } else if self.blocks >= self.half {
            self.is_half = true;
            self.at_half(live);
        }
        for window in self.counts.ended(self.blocks) {
            self.bins
                .iter_mut()
                .zip(&self.live)
                .for_each(|(bin, live)| bin.by_count[window] = *live);
        }
    }

    /// Whether half of the work is done.
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

    /// A block is gone: freed, or moved by `realloc`.
    pub(crate) fn gone(&mut self, block: Block, entry: &Entry, is_freed: bool) {
        let (size, at) = (entry.size(), sizes::bin(entry.size()));
        self.live[at] = self.live[at].saturating_sub(size);
        let is_old = self.is_old(block);
        let bin = &mut self.bins[at];
        if self.is_done {
            bin.freed_after += size;
        } else if self.is_half {
            if size >= TABLE {
                self.tables.0 = self.tables.0.max(size);
            }
            *self.threads.entry(entry.thread).or_default() -= size.cast_signed();
            // What grows is not given up by that.
            if is_old && is_freed {
                bin.old_freed += size;
            } else if is_old {
                bin.old = bin.old.saturating_sub(size);
            }
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

    pub(crate) fn mark(&mut self, name: &str, live: u64) {
        if self.is_done || !self.is_half {
            return;
        }
        if !self.marks.contains_key(name) {
            if self.marks.len() >= MARKS {
                return;
            }
            let mark = Mark { name: name.to_owned(), times: 0, grew: 0 };
            self.marks.insert(name.to_owned(), Marked { mark, first: live });
        } else if let Some(marked) = self.marks.get_mut(name) {
            marked.mark.times += 1;
            marked.mark.grew = live.cast_signed() - marked.first.cast_signed();
        }
    }

    /// The work is done: what lives now has survived it.
    pub(crate) fn done(&mut self, live: &Live) {
        self.is_done = true;
        for (bin, live) in self.bins.iter_mut().zip(&self.live) {
            bin.by_count[WINDOWS - 1] = *live;
            bin.by_time[WINDOWS - 1] = *live;
        }
        for (block, entry) in live.iter() {
            if block >= self.half && entry.size() >= TABLE {
                self.tables.1 = self.tables.1.max(entry.size());
            }
            let bin = &mut self.bins[sizes::bin(entry.size())];
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
        let by_mark = self.marks.into_values().map(|marked| marked.mark);
        let (before, now) = self.anon;
        let resident = before.zip(now).map_or(0, |(a, b)| b.cast_signed() - a.cast_signed());
        Growth {
            blocks: self.done.blocks,
            until: self.done.time,
            all: sum(&by_size),
            by_size,
            by_thread,
            by_mark: by_mark.filter(|mark| mark.times > 0).collect(),
            // One that takes the place of another is larger than all that have gone.
            youngest_large: if self.tables.1 > self.tables.0 && self.tables.0 > 0 {
                self.tables.1
            } else {
                0
            },
            resident,
            own_maps: self.own_maps.1.cast_signed() - self.own_maps.0.cast_signed(),
        }
    }
}

/// All sizes as one.
fn sum(bins: &[Growing]) -> Growing {
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
        all.freed_after += bin.freed_after;
        all.never_freed += bin.never_freed;
    }
    all
}
