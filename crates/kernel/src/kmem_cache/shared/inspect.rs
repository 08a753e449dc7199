//! What a shared cache says of itself, and the proof of its invariants.
use core::fmt;

use base::lock::Park;
use base::{Broken, Check, PageAllocator, check::ensure};

use super::{DepotCounts, SharedKmemCache};
use crate::kmem_cache::debug;
use crate::kmem_cache::misuse::Misuse;
use crate::kmem_cache::settings::Name;
use crate::kmem_cache::sheaf::Sheaf;
use crate::kmem_cache::statistics::Info;

impl<L: Park, P: PageAllocator> SharedKmemCache<L, P> {
    /// What there is now, and what happened at the depot. Exact while no other thread is inside. O(partial slabs + magazines).
    #[must_use]
    pub fn info(&self) -> (Info, DepotCounts) {
        let back = self.back();
        let cached = back.known.iter().map(Sheaf::len).sum();
        let tables = back.slabs.table_bytes() + back.sheaves.bytes() + self.map.bytes();
        let info = Info::of(&back.slabs, cached, self.capacity, tables);
        drop(back);
        (info, self.depot().counts)
    }

    /// Looks at what the cache's checks wrote beside and into every object; how many it has.
    /// Errors: the first byte that somebody else wrote.
    pub fn validate(&self) -> Result<usize, Misuse> {
        debug::validate(&self.back().slabs)
    }

    /// The cache's name.
    #[must_use]
    pub fn name(&self) -> Name {
        self.settings.name
    }

    /// Whether the page of this address belongs to a slab of this cache.
    #[must_use]
    pub fn owns(&self, address: usize) -> bool {
        !self.map.get(address).is_null()
    }
}

impl<L: Park, P: PageAllocator> Check for SharedKmemCache<L, P> {
    /// While no handle is used.
    fn check(&self) -> Result<(), Broken> {
        let back = self.back();
        back.slabs.check(&self.map)?;
        back.sheaves.check(back.known.iter().count())?;
        for object in back.known.iter().flat_map(Sheaf::iter) {
            let at = object.addr().get();
            let is_taken =
                back.slabs.find(&self.map, object).is_ok_and(|(slab, index)| slab.is_taken(index));
            ensure(is_taken, "kmem-shared-V1: an object in a magazine is in use", at)?;
            let times = back.known.iter().flat_map(Sheaf::iter).filter(|&one| one == object);
            ensure(times.count() == 1, "kmem-shared-V1: it is in no other", at)?;
        }
        drop(back);
        let depot = self.depot();
        let full = depot.full.iter().all(|sheaf| sheaf.len() == self.capacity);
        ensure(full, "kmem-shared-V2: a full magazine is full", depot.full.len())?;
        let empty = depot.empty.iter().all(Sheaf::is_empty);
        ensure(empty, "kmem-shared-V2: an empty one is empty", depot.empty.len())
    }
}

impl<L: Park, P: PageAllocator> fmt::Debug for SharedKmemCache<L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedKmemCache").field("name", &self.settings.name).finish_non_exhaustive()
    }
}
