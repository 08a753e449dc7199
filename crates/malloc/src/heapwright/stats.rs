//! What the allocator knows of itself, computed when asked: no counter in any fast path. What its memory is made
//! of, page by page, is `split`'s.
//!
//! Accounting, with all threads at rest:
//!
//! ```text
//! slabs:   objects not free in bitmaps = live + held in magazines
//! pages:   granules live               = slabs + runs + runs kept by threads
//! ```
use core::fmt::Write;

use base::sync::Ordering;
use object::size_class::{CLASSES, info};
use page::System;
use source::os::imp::console::Console;
use source::os::imp::process::{Resident, process_id, resident};
use thread::cache::SlotSnapshot;
use thread::{ThreadCache, Tls};

use super::{Flagship, Split};
use crate::interrupted::NO_STATS;

/// Figures of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Bytes in use by the program, in whole classes, granules and pages.
    pub live_bytes: usize,
    /// Bytes of free objects and runs that threads keep.
    pub cached_bytes: usize,
    /// Bytes of free granules that still cost memory.
    pub dirty_bytes: usize,
    /// Bytes of blocks obtained from the system, and of huge mappings.
    pub committed_bytes: usize,
    /// Bytes that cost memory, free or in use, and huge mappings: what was obtained and did not go back.
    pub held_bytes: usize,
    /// Bytes given back to the system so far.
    pub purged_bytes: u64,
    /// Bytes of descriptors.
    pub metadata_bytes: usize,
    /// Blocks above 32 MiB: bytes and number.
    pub huge: (usize, usize),
    /// Threads with a cache now, and threads that ever had one.
    pub threads: (u32, u32),
    /// Refills and flushes of magazines so far.
    pub slow_paths: (u64, u64),
    /// Operations of threads without magazines.
    pub uncached: u32,
    /// Shards in use.
    pub shards: u32,
    /// Objects in use by class.
    pub live_objects: [usize; CLASSES],
    /// Objects that threads keep, by class.
    pub cached_objects: [usize; CLASSES],
    /// Slabs by class.
    pub slabs: [usize; CLASSES],
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// Walks all slabs and threads. O(slabs); exact when no thread is in between.
    pub fn stats(&self) -> Stats {
        let (mut live_objects, mut slabs) = ([0; CLASSES], [0; CLASSES]);
        let mut slab_bytes = 0;
        // Of what has a lock nothing is known in a signal handler that interrupted malloc.
        let is_busy = S::is_busy();
        if self.pages.region.granules() != 0 && !is_busy {
            let base = self.pages.region.descriptors();
            for (_, class, shelf) in self.central.shelves() {
                let (taken, held) = shelf.count(base, class);
                live_objects[class] += taken;
                slabs[class] += held;
                slab_bytes += held * info(class).granules as usize * page::GRANULE;
            }
        }
        let mut cached_objects = [0; CLASSES];
        let mut slow_paths =
            (self.refills.load(Ordering::Relaxed), self.flushes.load(Ordering::Relaxed));
        let mut kept_runs = 0;
        let visit = |cache: &ThreadCache| {
            let look = cache.look(&self.tls);
            if look == SlotSnapshot::Gone {
                return false;
            }
            for (class, live) in live_objects.iter_mut().enumerate().skip(1) {
                let held = cache.held(&look, class).min(*live);
                *live -= held;
                cached_objects[class] += held;
            }
            kept_runs += cache.runs.bytes();
            let (refills, flushes) = cache.slow_paths();
            slow_paths.0 += refills;
            slow_paths.1 += flushes;
            true
        };
        if !is_busy {
            self.threads.retain(visit, |gone| self.reclaim_dead(gone, &SlotSnapshot::Gone));
        }
        let huge = (self.huge.bytes(), self.huge.count());
        let bytes = |objects: &[usize; CLASSES]| -> usize {
            objects.iter().enumerate().map(|(class, n)| n * class_size(class)).sum()
        };
        let runs = self.pages.live_bytes().saturating_sub(slab_bytes + kept_runs);
        Stats {
            live_bytes: bytes(&live_objects) + runs + huge.0,
            cached_bytes: bytes(&cached_objects) + kept_runs,
            dirty_bytes: self.pages.dirty_bytes(),
            committed_bytes: self.pages.committed_bytes()
                + self.pages.region.descriptor_bytes()
                + huge.0,
            held_bytes: (self.pages.live_bytes() + self.pages.dirty_bytes())
                .saturating_sub(self.pages.hole_bytes())
                + self.pages.region.descriptor_bytes()
                + huge.0,
            purged_bytes: self.pages.purge.total_bytes(),
            metadata_bytes: self.meta.used_bytes(),
            huge,
            threads: (self.threads.live(), self.threads.begun()),
            slow_paths,
            uncached: self.uncached.load(Ordering::Relaxed),
            shards: self.central.shards(),
            live_objects,
            cached_objects,
            slabs,
        }
    }

    /// Writes the short table of `stats=1` to a file descriptor, for who has the library and not the command: the file of
    /// `stats=/PATH` has all figures, and the command makes its tables from that.
    pub fn print_stats(&self, fd: usize) {
        let mut out = Console::new(fd);
        if S::is_busy() {
            let _ = out.write_str(NO_STATS);
            return;
        }
        let stats = self.stats();
        let (split, is_peak) = match self.at_peak() {
            Some(split) => (split, true),
            None => (self.split(&stats), false),
        };
        // A console never fails to take text, and there is nobody to report to.
        let _ = stats.write(&mut out, &split, is_peak, resident());
    }
}

/// Bytes of an object of a class.
#[must_use]
pub fn class_size(class: usize) -> usize {
    info(class).size as usize
}

impl Stats {
    fn write(
        &self,
        out: &mut impl Write,
        split: &Split,
        is_peak: bool,
        Resident { now, peak }: Resident,
    ) -> core::fmt::Result {
        writeln!(out, "heapwright statistics of process {}", process_id())?;
        let rows: [(&str, u64); 4] = [
            ("resident, peak", peak as u64),
            ("resident, now", now as u64),
            ("obtained from the system", self.committed_bytes as u64),
            ("given back so far", self.purged_bytes),
        ];
        for (name, bytes) in rows {
            writeln!(out, "  {name:<34} {:>12} KiB", bytes.div_ceil(1024))?;
        }
        if is_peak {
            split.write(out, "the heap's memory at its largest")?;
        } else {
            split.write(out, "the heap's memory")?;
            let beside = now.saturating_sub(split.sum().resident).div_ceil(1024);
            writeln!(out, "  {:<34} {:>29} KiB", "beside it: code, stacks, files", beside)?;
        }
        writeln!(out, "  sizes, threads and counts: HEAPWRIGHT=stats=/FILE has them, as JSON")
    }
}
