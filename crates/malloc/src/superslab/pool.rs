//! Where slabs come from: superslabs, and slabs that are mappings of their own.
//!
//! ```text
//! address ─► supers: 2 MiB ─► the superslab that begins there
//!        └─► singles: 64 KiB ─► the descriptor of a slab that is a mapping of its own
//! ```
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use page::{RadixMap, System};

use super::slab::{SLAB, Slab, Slabs, Super};
use crate::chunks::Chunks;
use crate::links;

/// Single slabs that are not in use, each on one of two lists.
#[derive(Debug)]
struct Unused {
    /// Descriptors without memory.
    spare: Slabs,
    /// Those whose memory the system did not take back. They are in the map.
    kept: Slabs,
}

/// Superslabs and single slabs.
#[derive(Debug)]
pub(super) struct Pool<S> {
    pub(super) supers: Chunks<S, Super, 21>,
    singles: RadixMap<16, 256>,
    unused: Guarded<S, Unused>,
    /// Bytes of single slabs.
    mapped: AtomicUsize,
}

impl<S: System> Pool<S> {
    pub(super) const fn new(source: S) -> Self {
        Self {
            supers: Chunks::new(source),
            singles: RadixMap::new(),
            unused: Guarded::new(Unused { spare: Slabs::new(), kept: Slabs::new() }),
            mapped: AtomicUsize::new(0),
        }
    }

    pub(super) fn locks(&self) -> impl Iterator<Item = &Lock<S>> {
        core::iter::once(self.unused.bare()).chain(self.supers.locks())
    }

    /// Bytes that came from the system, but for those in the pool.
    pub(super) fn bytes(&self) -> usize {
        self.supers.bytes() + self.mapped.load(Ordering::Relaxed)
    }

    /// Bytes that cost memory.
    pub(super) fn costing_bytes(&self) -> usize {
        self.supers.costing_bytes() + self.mapped.load(Ordering::Relaxed)
    }

    /// The slab that an address lies in; `None`: it is in none of ours.
    #[inline(always)]
    pub(super) fn slab_of<'a>(&self, address: usize) -> Option<&'a Slab> {
        match self.supers.of(address) {
            Some(it) => Some(it.slab_of(address)),
            None => links::at(self.singles.get(address)),
        }
    }

    /// The superslab that a slab is of; `None`: it is single.
    pub(super) fn super_of<'a>(&self, slab: &Slab) -> Option<&'a Super> {
        self.supers.of(links::address(slab))
    }

    /// A slab that is a mapping of its own: its descriptor and where it is. `None`: out of memory.
    pub(super) fn take_single(&self) -> Option<(&'static Slab, usize)> {
        let (source, arena) = (&self.supers.source, &self.supers.arena);
        let unused = self.unused.lock();
        if let Some(kept) = unused.kept.pop() {
            return Some((kept, kept.start()));
        }
        let at = source.map(SLAB, SLAB)?;
        let fresh = || links::at(arena.allocate(source, size_of::<Slab>(), align_of::<Slab>())?);
        if let Some(slab) = unused.spare.pop().or_else(fresh) {
            if self.singles.cover(arena, source, at, SLAB) {
                self.singles.set(at, links::address(slab));
                self.mapped.raise(SLAB);
                return Some((slab, at));
            }
            unused.spare.push(slab);
        }
        // SAFETY: mapped above, and nobody has seen it.
        unsafe { source.release(at, SLAB) };
        None
    }

    /// A slab that is a mapping of its own goes; or is emptied and serves again, where the system does not unmap it.
    pub(super) fn give_single(&self, slab: &Slab) {
        let unused = self.unused.lock();
        let at = slab.start();
        self.singles.set(at, 0);
        // SAFETY: it has no live block, and the map names it no more.
        if unsafe { self.supers.source.release(at, SLAB) } {
            self.mapped.lower(SLAB);
            unused.spare.push(slab);
        } else {
            // SAFETY: as above, and it is still ours.
            unsafe { self.supers.source.purge(at, SLAB) };
            self.singles.set(at, links::address(slab));
            unused.kept.push(slab);
        }
    }
}
