//! Walking, checking and counting.
use core::ops::ControlFlow;

use base::check::ensure;
use base::{BlockStats, Broken, Check, Piece, Stats, Walk};

use super::Buddy;
use super::pool::Pool;

const B1: &str = "buddy-B1: a block's bit is set exactly when it is in the list of its order";
const B2: &str = "buddy-B2: free blocks lie in their pool and do not overlap";
const B3: &str = "buddy-B3: of two buddies at most one is free";
const B4: &str = "buddy-B4: used is total without the free blocks";

impl<const UNIT: usize> Buddy<UNIT> {
    /// The pool with the lowest addresses above `from`.
    fn pool_above(&self, from: usize) -> Option<Pool> {
        core::iter::successors(self.pools, |pool| pool.next())
            .filter(|pool| pool.units().0 >= from)
            .min_by_key(|pool| pool.units().0)
    }
}

impl<const UNIT: usize> Walk for Buddy<UNIT> {
    /// Blocks in use that touch are one piece: what they were cut into only their users know.
    /// O(memory / UNIT / 32 + pools²).
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        let mut at = 0;
        while let Some(pool) = self.pool_above(at) {
            let end;
            (at, end) = pool.units();
            let free = pool.free_blocks::<UNIT>().map(|(start, order)| (start, UNIT << order));
            for (start, len) in free.chain([(end, 0)]) {
                if start > at && visit(Piece { at, len: start - at, used: true }).is_break() {
                    return;
                }
                if len > 0 && visit(Piece { at: start, len, used: false }).is_break() {
                    return;
                }
                at = start + len;
            }
        }
    }
}

impl<const UNIT: usize> Stats for Buddy<UNIT> {
    fn stats(&self) -> BlockStats {
        BlockStats {
            total: self.total,
            used: self.used,
            peak: self.peak,
            largest_free: self.lists.largest().map_or(0, |order| UNIT << order),
            failures: self.failures,
        }
    }
}

impl<const UNIT: usize> Check for Buddy<UNIT> {
    /// First the bits of each pool, then the lists. O(memory / UNIT / 32 + free blocks).
    fn check(&self) -> Result<(), Broken> {
        let (mut total, mut free, mut count) = (0, 0, 0);
        let mut at = 0;
        while let Some(pool) = self.pool_above(at) {
            let (first, end) = pool.units();
            total += end - first;
            at = first;
            for (start, order) in pool.free_blocks::<UNIT>() {
                let len = UNIT << order;
                ensure(start >= at && start < end && len <= end - start, B2, start)?;
                let buddy = pool.free_number::<UNIT>(start ^ len, len);
                ensure(buddy.is_none(), B3, start)?;
                at = start + len;
                free += len;
                count += 1;
            }
            at = end;
        }
        ensure(total == self.total, B4, self.total)?;
        ensure(self.used == total - free, B4, self.used)?;
        self.check_lists(count)
    }
}

impl<const UNIT: usize> Buddy<UNIT> {
    /// `count`: how many bits are set.
    fn check_lists(&self, count: usize) -> Result<(), Broken> {
        let mut seen = 0;
        for order in 0..usize::BITS {
            let (by_head, by_bit) = self.lists.is_empty(order);
            ensure(by_head == by_bit, B1, order as usize)?;
            for (start, link_back) in self.lists.iter(order) {
                seen += 1;
                ensure(seen <= count && link_back, B1, start)?;
                let pool = self.pool_of(start);
                let len = UNIT << order;
                let pool = pool.filter(|pool| len <= pool.units().1 - pool.units().0);
                let listed = pool.and_then(|pool| pool.free_number::<UNIT>(start, len));
                ensure(listed.is_some(), B1, start)?;
            }
        }
        ensure(seen == count, B1, seen)
    }
}
