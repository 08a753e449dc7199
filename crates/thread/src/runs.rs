//! Runs a thread keeps: a few of each length from 80 to 256 KiB.
//!
//! ```text
//! 5 granules [ run │ – │ – ] 1    6 granules [ run │ run │ – ] 2    …    16 granules [ – │ – │ – ] 0
//! ```
//!
//! - **K1** the first of a row's slots, as many as it holds, have a run each, which is marked as kept
//!   in the span map. It is marked before it is put in, and unmarked after it was taken out:
//!   whoever frees it again, on any thread, finds the mark, and a thread that `fork` left behind
//!   loses it at worst.
//!
//! A malloc and free of 100 KiB then costs no lock and no search. At most 1 MiB a thread.
use base::bits::low8;
use base::sync::{AtomicU8, AtomicUsize, OneWriter as _, Ordering};
use object::size_class::MAX_SIZE;
use page::geometry::granules_for;
use page::region::Region;

/// The shortest run kept, in granules; what fits shorter ones has a size class.
pub const MIN: usize = granules_for(MAX_SIZE + 1);
/// The longest.
pub const MAX: usize = 16;
const EACH: usize = 3;
const ROWS: usize = MAX - MIN + 1;
/// Bytes kept at most: 1 MiB, in granules.
const MAX_GRANULES: usize = (1 << 20) / page::GRANULE;

/// The runs of one thread; only it writes here.
#[derive(Debug)]
pub struct Runs {
    slots: [[AtomicUsize; EACH]; ROWS],
    held: [AtomicU8; ROWS],
    granules: AtomicUsize,
}

/// What became of a run offered to [`Runs::push`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is kept.
    Yes,
    /// There is no room for it.
    No,
    /// It is no live run any more: another thread was freeing it too.
    Twice,
}

impl Runs {
    /// Takes a run of `count` granules, which is live again; 0 when none is kept.
    #[inline]
    pub fn pop(&self, region: &Region, count: usize) -> usize {
        let Some(row) = row_of(count) else { return 0 };
        let held = self.held(row);
        if held == 0 {
            return 0;
        }
        self.held[row].store(low8(held - 1), Ordering::Relaxed);
        self.granules.lower(count);
        let at = self.slots[row][held - 1].load(Ordering::Relaxed);
        let granule = region.granule_of(at);
        if granule.is_some_and(|granule| region.revive_run(granule, count)) {
            return at;
        }
        debug_assert!(false, "K1: {at:#x} is marked as kept");
        0
    }

    /// Keeps the live run of `count` granules from `granule` on, if there is room.
    #[inline]
    pub fn push(&self, region: &Region, granule: usize, count: usize) -> Kept {
        let Some(row) = row_of(count) else { return Kept::No };
        let held = self.held(row);
        if held == EACH || self.granules.load(Ordering::Relaxed) + count > MAX_GRANULES {
            return Kept::No;
        }
        if !region.keep_run(granule, count) {
            return Kept::Twice;
        }
        self.slots[row][held].store(region.address_of(granule), Ordering::Relaxed);
        self.held[row].store(low8(held + 1), Ordering::Relaxed);
        self.granules.raise(count);
        Kept::Yes
    }

    fn held(&self, row: usize) -> usize {
        usize::from(self.held[row].load(Ordering::Relaxed))
    }

    /// Every kept run with its length.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..ROWS).flat_map(move |row| {
            let slots = self.slots[row].iter().take(self.held(row));
            slots.map(move |slot| (slot.load(Ordering::Relaxed), row + MIN))
        })
    }

    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.granules.load(Ordering::Relaxed) * page::GRANULE
    }

    /// Hands every kept run to `take` with its length, and keeps none.
    pub fn drain(&self, mut take: impl FnMut(usize, usize)) {
        for row in 0..ROWS {
            let held = self.held[row].swap(0, Ordering::Relaxed);
            for slot in self.slots[row].iter().take(usize::from(held)) {
                take(slot.load(Ordering::Relaxed), row + MIN);
            }
        }
        self.granules.store(0, Ordering::Relaxed);
    }

    /// Forgets everything: for memory that held another thread's cache.
    pub(crate) fn reset(&self) {
        for held in &self.held {
            held.store(0, Ordering::Relaxed);
        }
        self.granules.store(0, Ordering::Relaxed);
    }
}

/// The row of runs of `count` granules; `None`: such are not kept.
#[inline]
fn row_of(count: usize) -> Option<usize> {
    (MIN..=MAX).contains(&count).then(|| count - MIN)
}
