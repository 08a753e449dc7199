//! Cells that a thread got ahead: all threads get theirs under one lock.
//!
//! - **cells-E1** a cell is in one magazine, in one place here or of the depot, or free.
//!
//! The first is asked for alone, then each time as many as the thread has got so far, up to [`MOST`]: a thread that uses
//! forty classes enters the lock seven times instead of forty, and one that uses two has one cell too many at worst.
//! What is got ahead was never touched, or belonged to a thread that has ended.
//!
//! Layer *thread*. Used when a class gets its first cell or the depot one more, and at the thread's end.
use base::bits::low32;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use object::shelf::Supply;
use page::{Pool, System};

pub(crate) const MOST: usize = 8;

/// The cells of one thread that are in no magazine yet; only it writes here.
#[derive(Debug)]
pub(crate) struct Cells {
    ahead: [AtomicUsize; MOST],
    got: AtomicU32,
}

impl Cells {
    /// None yet: for memory that held another thread's.
    pub(crate) fn reset(&self) {
        self.each().for_each(drop);
        self.got.store(0, Ordering::Relaxed);
    }

    pub(crate) fn take<S: System>(&self, supply: Supply<'_, S>) -> Option<usize> {
        if let Some(cell) = self.each().next() {
            return Some(cell);
        }
        let mut cells = [0; MOST];
        let want = (self.got.load(Ordering::Relaxed) as usize).clamp(1, MOST);
        let got = supply.meta.allocate_each(supply.pages, Pool::Cell, &mut cells[..want]);
        let (&first, ahead) = cells[..got].split_first()?;
        self.got.raise(low32(got));
        for (slot, &cell) in self.ahead.iter().zip(ahead) {
            slot.store(cell, Ordering::Relaxed);
        }
        Some(first)
    }

    /// Takes the cells that are here, one by one.
    pub(crate) fn each(&self) -> impl Iterator<Item = usize> {
        let taken = self.ahead.iter().map(|slot| {
            let cell = slot.load(Ordering::Relaxed);
            slot.store(0, Ordering::Relaxed);
            cell
        });
        taken.filter(|&cell| cell != 0)
    }
}
