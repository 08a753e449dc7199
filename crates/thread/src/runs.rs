//! Runs a thread keeps: a few of each length from 80 to 256 KiB.
//!
//! ```text
//! 5 granules [ run │ – │ – ]    6 granules [ run │ run │ – ]    …    16 granules [ – │ – │ – ]
//! ```
//!
//! - **K1** a run in a slot is marked as kept in the span map, and only its slot has it. It is
//!   marked before it is put in, and unmarked after it was taken out: whoever frees it again,
//!   on any thread, finds the mark, and a thread that `fork` left behind loses it at worst.
//!
//! A malloc and free of 100 KiB then costs no lock. At most [`MAX_BYTES`] a thread.
use base::sync::{AtomicUsize, Ordering};
use object::size_class::MAX_SIZE;
use page::geometry::granules_for;
use page::region::Region;

/// The shortest run kept, in granules; what fits shorter ones has a size class.
pub const MIN: usize = granules_for(MAX_SIZE + 1);
/// The longest.
pub const MAX: usize = 16;
const EACH: usize = 3;
/// Bytes kept at most: 1 MiB, in granules.
const MAX_GRANULES: usize = (1 << 20) / page::GRANULE;
/// Bytes a thread keeps at most.
pub const MAX_BYTES: usize = MAX_GRANULES * page::GRANULE;

/// The runs of one thread; only it writes here.
#[derive(Debug)]
pub struct Runs {
    kept: [[AtomicUsize; EACH]; MAX - MIN + 1],
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
        if !(MIN..=MAX).contains(&count) {
            return 0;
        }
        for slot in &self.kept[count - MIN] {
            let at = slot.load(Ordering::Relaxed);
            if at != 0 {
                slot.store(0, Ordering::Relaxed);
                self.granules
                    .store(self.granules.load(Ordering::Relaxed) - count, Ordering::Relaxed);
                let granule = region.granule_of(at);
                if granule.is_some_and(|granule| region.revive_run(granule, count)) {
                    return at;
                }
                debug_assert!(false, "K1: {at:#x} is marked as kept");
            }
        }
        0
    }

    /// Keeps the live run of `count` granules from `granule` on, if there is room.
    #[inline]
    pub fn push(&self, region: &Region, granule: usize, count: usize) -> Kept {
        if !(MIN..=MAX).contains(&count) {
            return Kept::No;
        }
        let row = &self.kept[count - MIN];
        let granules = self.granules.load(Ordering::Relaxed) + count;
        let room = row.iter().find(|slot| slot.load(Ordering::Relaxed) == 0);
        match room {
            Some(slot) if granules <= MAX_GRANULES => {
                if !region.keep_run(granule, count) {
                    return Kept::Twice;
                }
                slot.store(region.address_of(granule), Ordering::Relaxed);
                self.granules.store(granules, Ordering::Relaxed);
                Kept::Yes
            }
            _ => Kept::No,
        }
    }

    /// Every kept run with its length.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.kept.iter().enumerate();
        let slots = rows.flat_map(|(index, row)| row.iter().map(move |slot| (slot, index + MIN)));
        slots.map(|(slot, count)| (slot.load(Ordering::Relaxed), count)).filter(|&(at, _)| at != 0)
    }

    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.granules.load(Ordering::Relaxed) * page::GRANULE
    }

    /// Hands every kept run to `take` with its length, and keeps none.
    pub fn drain(&self, mut take: impl FnMut(usize, usize)) {
        for (index, row) in self.kept.iter().enumerate() {
            for slot in row {
                let at = slot.swap(0, Ordering::Relaxed);
                if at != 0 {
                    take(at, index + MIN);
                }
            }
        }
        self.granules.store(0, Ordering::Relaxed);
    }

    /// Forgets everything: for memory that held another thread's cache.
    pub(crate) fn reset(&self) {
        self.drain(|_, _| ());
    }
}
