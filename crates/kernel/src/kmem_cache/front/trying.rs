//! Giving back what may be no live object: everything is looked at before anything changes.
//!
//! ```text
//! object ─► map ─► slab, index ─► in use? ─► in a magazine? ─► pushed
//!            │        │             │             │
//!         foreign   inside        free twice    free twice
//! ```
use core::ptr::NonNull;

use base::PageAllocator;

use super::Front;
use crate::kmem_cache::misuse::{Finding, Misuse};
use crate::kmem_cache::slabs::Ground;

impl Front {
    /// Gives an object back that may be anything: looks for it in its slab and in the magazines. O(rounds).
    /// Errors: what is wrong with it; nothing has changed then. Or what emptying a magazine found; then the object is free.
    pub(crate) fn try_free<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        let entry = ground.map.get(object.addr().get());
        self.try_free_at(ground, object, entry)
    }

    /// The same of an object for whose page the map has `entry`.
    /// Errors: as [`try_free`](Self::try_free).
    #[inline]
    pub(crate) fn try_free_at<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
        entry: *mut u8,
    ) -> Result<(), Misuse> {
        if self.capacity > 0 {
            let (slab, index) = self.slabs.find_at(entry, object)?;
            if !slab.is_taken(index) || self.main.has(object) || self.spare.has(object) {
                return Err(self.slabs.misuse(object, Finding::DoubleFree));
            }
        }
        self.free_at(ground, object, entry)
    }
}
