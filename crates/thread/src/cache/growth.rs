//! What grows: the capacity of a magazine with use, and whose cache lines its objects may share (cache-N2).
//!
//! ```text
//! cell [ …                        │ 0 │ 30 objects ]     capacity 30, found full
//!      [ …        │ 0 │ 30 objects │ room for 32   ]     capacity 62
//! ```
//!
//! Layer *thread*, inside a pass of the thread's account. O(capacity).
use base::bits::{low8, low32};
use base::sync::Ordering;
use object::shelf::{Share, Supply};
use object::size_class::info;
use page::System;
use policy::caches::grown;
use policy::table::MOST_STRAYS;

use super::{ThreadCache, WORD};
use crate::magazine::{CELL, MAX_CAPACITY, end_of, word};
use crate::tls::Tls;

/// A cache line: two CPUs that write to the same one wait for each other.
pub(super) const LINE: usize = 64;
/// Larger objects share lines with their neighbours at most.
pub(super) const MAX_SHARED: usize = 128;

impl ThreadCache {
    /// Whether to give an object back that this thread frees though it has allocated none of the class:
    /// another thread has the objects beside it (cache-N2).
    pub(super) fn is_stray(&self, class: usize) -> bool {
        let strays = self.strays[class].load(Ordering::Relaxed);
        if strays == MOST_STRAYS || line_mates(info(class).size as usize) == 1 {
            return false;
        }
        self.strays[class].store(strays + 1, Ordering::Relaxed);
        true
    }

    /// With whom this thread may share the lines of objects of a class whose magazine had a capacity of
    /// `before`, and has grown since if it could (cache-N2).
    pub(super) fn share(&self, class: usize, before: usize) -> Share {
        let mates = line_mates(info(class).size as usize);
        if mates > 1 && self.capacity(class) != before && self.number() != 0 {
            Share::NoLine(low32(mates))
        } else {
            Share::Lines
        }
    }

    /// Grows the capacity of an empty magazine, giving it a cell first if it has none, and
    /// returns its bottom. `None`: no memory for a cell.
    pub(super) fn grow_empty<S: System, T: Tls>(
        &self,
        supply: Supply<'_, S>,
        tls: &T,
        class: usize,
    ) -> Option<usize> {
        let old = self.capacity(class);
        let end = if old == 0 { self.cells.take(supply)? + CELL } else { end_of(tls.load(class)) };
        let bottom = end - self.grown(class) * WORD;
        // SAFETY: capacities are at most 126, so the word below the bottom is in the cell.
        unsafe { word(bottom - WORD).write(0) };
        tls.store(class, bottom);
        self.capacity[class].store(low8((end - bottom) / WORD), Ordering::Relaxed);
        Some(bottom)
    }

    /// The next capacity of a class (cache-N2).
    fn grown(&self, class: usize) -> usize {
        let class_info = info(class);
        let most = (class_info.capacity as usize).min(MAX_CAPACITY);
        let first = usize::from(self.first[class].load(Ordering::Relaxed));
        grown(self.capacity(class), first, line_mates(class_info.size as usize), most)
    }

    /// Grows the capacity of a full magazine, moving its objects down, and meanwhile it looks empty (cache-N3). `false`: it is
    /// at its largest.
    pub(super) fn grow_full<T: Tls>(&self, tls: &T, class: usize) -> bool {
        let (old, new) = (self.capacity(class), self.grown(class));
        if new == old {
            return false;
        }
        let end = end_of(tls.load(class));
        tls.store(class, end - old * WORD);
        let bottom = end - new * WORD;
        // SAFETY: capacities are at most 126, so the word below the bottom is in the cell.
        unsafe { word(bottom - WORD).write(0) };
        // SAFETY: both ranges are inside the cell (cache-N1).
        unsafe { word(end - old * WORD).copy_to(word(bottom), old) };
        self.capacity[class].store(low8(new), Ordering::Relaxed);
        tls.store(class, bottom + old * WORD);
        true
    }
}

/// The fewest objects of a size that fill whole cache lines; 1 for large ones, which keep too
/// much if many are claimed at once.
const fn line_mates(size: usize) -> usize {
    let common = 1 << size.trailing_zeros();
    if size > MAX_SHARED || common > LINE { 1 } else { LINE / common }
}
