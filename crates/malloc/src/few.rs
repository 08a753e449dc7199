//! The first few blocks of a small class come from the next power of two's: a thread that uses a few blocks of many sizes touches few
//! pages.
//!
//! ```text
//! sizes    80   96   112   128          1st to 8th block of each ─► a page of blocks of 128          9th ─► one of its own
//! ```
//!
//! Each class has pages of its own, and thousands of threads with twenty sizes each would fault in twenty pages each, or more. The
//! thread's alone. O(1).
use base::sync::{AtomicU8, Ordering};
use object::size_class::{CLASSES, class_of, info};

/// Blocks of a class that come from another's.
const FEW: u8 = 8;
/// The largest size of which some do: four in a page of 4 KiB.
const MOST: usize = 1024;

/// How many each class had from another. All zero: none.
#[derive(Debug)]
pub(crate) struct Few([AtomicU8; CLASSES]);

impl Few {
    /// The class to take a block of `class` from, which has no page or slab.
    pub(crate) fn instead_of(&self, class: usize) -> usize {
        let (size, had) = (info(class).size as usize, self.0[class].load(Ordering::Relaxed));
        if size > MOST || size.is_power_of_two() || had == FEW {
            return class;
        }
        self.0[class].store(had + 1, Ordering::Relaxed);
        class_of(size.next_power_of_two())
    }

    /// None had any.
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|had| had.store(0, Ordering::Relaxed));
    }
}
