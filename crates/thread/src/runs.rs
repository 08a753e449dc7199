//! Runs a thread keeps: a few of each length from 80 to 256 KiB.
//!
//! ```text
//! 5 granules [ run │ – │ – ] 1    6 granules [ run │ run │ – ] 2    …    16 granules [ – │ – │ – ] 0
//! ```
//!
//! - **runs-K1** the first of a row's slots, as many as it holds, have a run each, which is marked as kept
//!   in the span map, or 0 where another thread took it to give it back. It is marked before it is put in, and
//!   unmarked after it was taken out: a second free of it, on any thread, finds the mark, and with a thread that
//!   `fork` left behind at worst the run is lost. It is taken out by an exchange with 0: of two threads one gets it.
//!
//! A malloc and free of 100 KiB then costs no lock and no search. At most 1 MiB a thread, and less where there are many.
use core::mem::offset_of;

use base::Broken;
use base::bits::low8;
use base::check::ensure;
use base::sync::{AtomicU8, AtomicUsize, OneWriter as _, Ordering, fence};
use object::size_class::MAX_SIZE;
use page::geometry::granules_for;
use page::region::{Region, Span};

/// The shortest run kept, in granules; what fits shorter ones has a size class.
pub const MIN: usize = granules_for(MAX_SIZE + 1);
/// The longest.
pub const MAX: usize = 16;
const EACH: usize = 3;
const ROWS: usize = MAX - MIN + 1;

/// The runs of one thread; only it writes here, but for slots that another thread empties.
#[derive(Debug)]
pub struct Runs {
    slots: [[AtomicUsize; EACH]; ROWS],
    held: [AtomicU8; ROWS],
    /// The sum of the lengths of the slots that are held, empty ones too.
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
    /// Where in it its granules are counted.
    pub(crate) const GRANULES: usize = offset_of!(Self, granules);

    /// Takes a run of `count` granules, which is live again; 0 when none is kept.
    #[inline]
    pub fn pop(&self, region: &Region, count: usize) -> usize {
        let Some(row) = row_of(count) else { return 0 };
        for index in (0..self.held(row)).rev() {
            self.held[row].store(low8(index), Ordering::Relaxed);
            self.granules.lower(count);
            let at = self.slots[row][index].swap(0, Ordering::Relaxed);
            if at == 0 {
                continue;
            }
            let granule = region.granule_of(at);
            if granule.is_some_and(|granule| region.revive_run(granule, count)) {
                return at;
            }
            debug_assert!(false, "runs-K1: {at:#x} is marked as kept");
        }
        0
    }

    /// Keeps the live run of `count` granules from `granule` on, if there is room: `most` bytes for all.
    #[inline]
    pub fn push(&self, region: &Region, granule: usize, count: usize, most: usize) -> Kept {
        let Some(row) = row_of(count) else { return Kept::No };
        if !self.has_room(row, count, most) && !self.has_room_again(row, count, most) {
            return Kept::No;
        }
        if !region.keep_run(granule, count) {
            return Kept::Twice;
        }
        let held = self.held(row);
        // Whoever takes it out finds it marked.
        self.slots[row][held].store(region.address_of(granule), Ordering::Release);
        self.held[row].store(low8(held + 1), Ordering::Relaxed);
        self.granules.raise(count);
        Kept::Yes
    }

    #[inline]
    fn has_room(&self, row: usize, count: usize, most: usize) -> bool {
        let granules = self.granules.load(Ordering::Relaxed) + count;
        self.held(row) < EACH && granules * page::GRANULE <= most
    }

    /// [`has_room`](Self::has_room) once the last slots of each row that another thread has emptied are held no more.
    #[cold]
    fn has_room_again(&self, row: usize, count: usize, most: usize) -> bool {
        for (row, slots) in self.slots.iter().enumerate() {
            let held = self.held(row);
            let is_empty = |slot: &&AtomicUsize| slot.load(Ordering::Relaxed) == 0;
            let emptied = slots[..held].iter().rev().take_while(is_empty).count();
            self.held[row].store(low8(held - emptied), Ordering::Relaxed);
            self.granules.lower(emptied * (row + MIN));
        }
        self.has_room(row, count, most)
    }

    fn held(&self, row: usize) -> usize {
        usize::from(self.held[row].load(Ordering::Relaxed))
    }

    /// Every kept run with its length.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..ROWS)
            .flat_map(move |row| {
                let slots = self.slots[row].iter().take(self.held(row));
                slots.map(move |slot| (slot.load(Ordering::Relaxed), row + MIN))
            })
            .filter(|&(at, _)| at != 0)
    }

    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.each().map(|(_, count)| count * page::GRANULE).sum()
    }

    /// Looks through what the calling thread keeps.
    pub(crate) fn check(&self, region: &Region) -> Result<(), Broken> {
        for (row, slots) in self.slots.iter().enumerate() {
            for slot in slots.iter().take(self.held(row)) {
                let at = slot.load(Ordering::Relaxed);
                let marked = region.granule_of(at).map(|granule| region.span(granule));
                // Whoever unmarks it has emptied the slot before.
                fence(Ordering::Acquire);
                let is_kept = marked == Some(Span::Kept(row + MIN));
                let is_taken = slot.load(Ordering::Relaxed) == 0;
                ensure(is_kept || is_taken, "runs-K1: a kept run is marked as kept", at)?;
            }
        }
        let granules = (0..ROWS).map(|row| self.held(row) * (row + MIN)).sum();
        let is_sum = self.granules.load(Ordering::Relaxed) == granules;
        ensure(is_sum, "runs-K1: kept runs add up", granules)
    }

    /// Takes out every kept run, of any thread, and hands it to `take` with its length.
    pub(crate) fn take_each(&self, mut take: impl FnMut(usize, usize)) {
        for (row, slots) in self.slots.iter().enumerate() {
            for slot in slots.iter().take(self.held(row)) {
                let at = slot.swap(0, Ordering::Acquire);
                if at != 0 {
                    take(at, row + MIN);
                }
            }
        }
    }

    /// Keeps none: nothing is left in it, or the memory held another thread's cache.
    pub(crate) fn forget(&self) {
        // Also those behind: a thread that `fork` left behind may have been about to empty one.
        for slot in self.slots.iter().flatten() {
            slot.store(0, Ordering::Relaxed);
        }
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
