//! What kmalloc says of itself, and the proof of its invariants.
use core::fmt;

use base::{Broken, Check, PageAllocator, check::ensure};

use super::{Kmalloc, LARGE};
use crate::kmem_cache::Info;
use crate::kmem_cache::slabs::TAGS;

impl<P: PageAllocator> Kmalloc<P> {
    /// What there is in the cache of each size. O(partial slabs).
    pub fn infos(&self) -> impl Iterator<Item = Info> {
        self.fronts.iter().map(Info::of)
    }

    /// How many blocks above 8 KiB there are, and their bytes.
    #[must_use]
    pub const fn large(&self) -> (usize, usize) {
        (self.large, self.large_bytes)
    }
}

impl<P: PageAllocator> Check for Kmalloc<P> {
    fn check(&self) -> Result<(), Broken> {
        self.fronts.iter().try_for_each(|front| front.check(&self.map))?;
        let (mut large, mut bytes) = (0, 0);
        self.map.each(&mut |entry| {
            if entry.addr() & TAGS == LARGE {
                large += 1;
                bytes += self.page << (entry.addr() >> TAGS.count_ones());
            }
        });
        ensure(large == self.large, "kmalloc-A2: `large` is the number of larger blocks", large)?;
        ensure(bytes == self.large_bytes, "kmalloc-A2: `large_bytes` are their bytes", bytes)
    }
}

impl<P: PageAllocator> fmt::Debug for Kmalloc<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kmalloc")
            .field("large", &self.large)
            .field("large_bytes", &self.large_bytes)
            .finish_non_exhaustive()
    }
}
