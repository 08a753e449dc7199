//! What the heap's memory was made of when it was largest: `stats=peak`, `stats=/FILE`.
//!
//! ```text
//! in use    ──╱▔╲──╱▔▔▔▔╲──     live, dirty and mapped, by the counters
//! looked at  ↑↑ ↑  ↑ ↑ ↑ ↑      grown by a 32nd; near its largest: the first free since, or some time has passed
//! ```
//!
//! - **peak-K1** what is kept is the split with the most resident memory of all that were taken; of those that
//!   have it within an eighth, the one with the most that is live: a program that frees all it has at its
//!   end is not at its largest then. One thread at a time takes one.
//!
//! A split is taken in a slow path, while no lock is held: nothing else says that memory is at its peak.
//! Some sixty for each doubling and four a second, each O(heap): for those who ask. Else a load and
//! a branch.
use base::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use page::System;
use thread::Tls;

use super::Flagship;
use super::split::{Bytes, PARTS, Split};

/// Milliseconds between two looks at a heap that no longer grows.
const TICK_MS: u64 = 250;

#[derive(Debug)]
pub(crate) struct Peak {
    /// Whether anybody asks for anything here.
    watched: AtomicBool,
    /// Whether splits are taken.
    splits: AtomicBool,
    /// Milliseconds between two writings of the file, whatever the heap does, and when the last was; 0: not so.
    every_ms: AtomicU64,
    written_ms: AtomicU64,
    taking: AtomicBool,
    /// Bytes in use at the largest time that was looked at, and the tick of the last look.
    used: AtomicUsize,
    tick: AtomicU64,
    /// Bytes in use and the tick when the file was last written.
    recorded: AtomicUsize,
    recorded_tick: AtomicU64,
    /// Whether it has grown since the last free that was looked at.
    grown: AtomicBool,
    parts: [[AtomicUsize; 2]; PARTS.len()],
    /// The most resident memory of all splits, which need not be the one that is kept (peak-K1).
    resident: AtomicUsize,
    is_known: AtomicBool,
}

impl Peak {
    pub(crate) const fn new() -> Self {
        Self {
            watched: AtomicBool::new(false),
            splits: AtomicBool::new(false),
            every_ms: AtomicU64::new(0),
            written_ms: AtomicU64::new(0),
            taking: AtomicBool::new(false),
            used: AtomicUsize::new(0),
            tick: AtomicU64::new(0),
            recorded: AtomicUsize::new(0),
            recorded_tick: AtomicU64::new(0),
            grown: AtomicBool::new(false),
            parts: [const { [const { AtomicUsize::new(0) }; 2] }; PARTS.len()],
            resident: AtomicUsize::new(0),
            is_known: AtomicBool::new(true),
        }
    }

    /// Splits are taken from now on, or not, and the file is written every so many seconds, if that is not 0.
    pub(crate) fn watch(&self, splits: bool, every: u32) {
        self.splits.store(splits, Ordering::Relaxed);
        self.every_ms.store(u64::from(every) * 1000, Ordering::Relaxed);
        self.watched.store(splits || every != 0, Ordering::Relaxed);
    }

    /// Whether the file is of the moment when it is written, and not of when the heap was largest.
    pub(super) fn is_timed(&self) -> bool {
        self.every_ms.load(Ordering::Relaxed) != 0
    }

    fn keep(&self, split: &Split) {
        let before = self.kept();
        let (new, old) = (split.sum().resident, self.resident.load(Ordering::Relaxed));
        self.resident.store(old.max(new), Ordering::Relaxed);
        let is_near = new + new / 8 >= old && split.live() > before.live();
        if new > old + old / 8 || is_near {
            for (kept, part) in self.parts.iter().zip(&split.parts) {
                kept[0].store(part.held, Ordering::Relaxed);
                kept[1].store(part.resident, Ordering::Relaxed);
            }
            self.is_known.store(split.is_known, Ordering::Relaxed);
        }
    }

    /// This process is a child of `fork`: another thread of its parent may have been taking a split, and its
    /// peak is its own.
    pub(super) fn forget(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.written_ms.store(0, Ordering::Relaxed);
        self.recorded.store(0, Ordering::Relaxed);
        self.resident.store(0, Ordering::Relaxed);
        for part in self.parts.as_flattened() {
            part.store(0, Ordering::Relaxed);
        }
        self.taking.store(false, Ordering::Release);
    }

    pub(super) fn kept(&self) -> Split {
        let load = |[held, resident]: &[AtomicUsize; 2]| Bytes {
            held: held.load(Ordering::Relaxed),
            resident: resident.load(Ordering::Relaxed),
        };
        Split {
            parts: self.parts.each_ref().map(load),
            is_known: self.is_known.load(Ordering::Relaxed),
        }
    }
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// In slow paths, where no lock is held.
    #[inline]
    pub(crate) fn look_for_peak(&self, frees: bool) {
        if self.peak.watched.load(Ordering::Relaxed) {
            self.take_near_peak(frees);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_near_peak(&self, frees: bool) {
        self.record_in_time();
        if !self.peak.splits.load(Ordering::Relaxed) {
            return;
        }
        let used = self.pages.live_bytes() + self.pages.dirty_bytes() + self.huge.bytes();
        let largest = self.peak.used.load(Ordering::Relaxed);
        let has_grown = used > largest + largest / 32;
        let tick = self.pages.source.now_ms() / TICK_MS;
        let is_later = tick != self.peak.tick.load(Ordering::Relaxed);
        let is_top = frees && self.peak.grown.load(Ordering::Relaxed);
        if has_grown || (is_later || is_top) && used >= largest - largest / 32 {
            self.peak.grown.store(has_grown && !frees, Ordering::Relaxed);
            self.peak.tick.store(tick, Ordering::Relaxed);
            self.peak.used.store(used.max(largest), Ordering::Relaxed);
            let _ = self.take_split();
            self.record_near_peak(used, tick);
        }
    }

    /// Writes the file if it is to be written every so often and the time has come. While no lock is held.
    pub fn record_in_time(&self) {
        let every = self.peak.every_ms.load(Ordering::Relaxed);
        if every == 0 {
            return;
        }
        let now = self.pages.source.now_ms();
        let written = self.peak.written_ms.load(Ordering::Relaxed);
        let is_due = written == 0 || now.wrapping_sub(written) >= every;
        // One thread at a time, as for a split.
        if is_due && !self.peak.taking.swap(true, Ordering::Acquire) {
            self.peak.written_ms.store(now.max(1), Ordering::Relaxed);
            self.record(false);
            self.peak.taking.store(false, Ordering::Release);
        }
    }

    /// The file shows a heap that has grown by an eighth, or a tick later: a process that is killed leaves it so.
    fn record_near_peak(&self, used: usize, tick: u64) {
        let recorded = self.peak.recorded.load(Ordering::Relaxed);
        let is_due = used > recorded + recorded / 8
            || tick != self.peak.recorded_tick.load(Ordering::Relaxed);
        // One thread at a time, as for a split.
        if is_due && !self.peak.taking.swap(true, Ordering::Acquire) {
            self.peak.recorded.store(used, Ordering::Relaxed);
            self.peak.recorded_tick.store(tick, Ordering::Relaxed);
            self.record(false);
            self.peak.taking.store(false, Ordering::Release);
        }
    }

    /// The split of the largest time, this one included. `None`: nobody asked for it.
    pub(crate) fn at_peak(&self) -> Option<Split> {
        self.peak.splits.load(Ordering::Relaxed).then(|| self.take_split())
    }

    fn take_split(&self) -> Split {
        // What taking one waits for may be what another waits for inside a slow path.
        if !self.peak.taking.swap(true, Ordering::Acquire) {
            self.peak.keep(&self.split(&self.stats()));
            self.peak.taking.store(false, Ordering::Release);
        }
        self.peak.kept()
    }
}
