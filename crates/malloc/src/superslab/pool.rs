//! Where slabs come from, superslabs or mappings of their own; and which slab an address lies in.
//!
//! ```text
//! address ─► slabs: 64 KiB ─► [ class: 8 bits │ address of the descriptor ]     of a class, or a mapping of its own: malloc and free
//!        └─► supers: 2 MiB ─► the superslab that begins there                  a run, or a free slab: slow paths
//! ```
//!
//! A free finds the class by three loads, whether the slab is a part of a superslab or not, and reads nothing that the owner of the
//! slab writes: where it looked into the descriptor, each free of another thread's object fetched a cache line that the owner
//! had just written.
//!
//! - **pool-L1** the map names a slab of a class from before its first object is handed out until after its last one came back.
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use object::size_class::CLASSES;
use page::{RadixMap, System};

use super::slab::{SLAB, Slab, Slabs, Super};
use crate::chunks::Chunks;
use crate::links;

/// Where the class begins in a word of the map: above all addresses.
const CLASS: u32 = 56;

const _: () = assert!(CLASSES <= 1 << (usize::BITS - CLASS), "a class has its place");

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
    slabs: RadixMap<16, 256>,
    unused: Guarded<S, Unused>,
    /// Bytes of single slabs.
    mapped: AtomicUsize,
}

impl<S: System> Pool<S> {
    pub(super) const fn new(source: S) -> Self {
        Self {
            supers: Chunks::new(source),
            slabs: RadixMap::new(),
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

    /// The class of the slab that an address lies in; 0: it is in no slab of a class.
    #[inline(always)]
    pub(super) fn class_of(&self, address: usize) -> usize {
        self.slabs.get(address) >> CLASS
    }

    /// The slab that an address lies in; `None`: it is in none of ours.
    pub(super) fn slab_of<'a>(&self, address: usize) -> Option<&'a Slab> {
        match self.slabs.get(address) & ((1 << CLASS) - 1) {
            0 => self.supers.of(address).map(|it| it.slab_of(address)),
            at => links::at(at),
        }
    }

    /// The map has a word for the slab at `at`, by now. `false`: out of memory.
    pub(super) fn covers(&self, at: usize) -> bool {
        self.slabs.has(at) || {
            let _inside = self.unused.lock();
            self.slabs.cover(&self.supers.arena, &self.supers.source, at, SLAB)
        }
    }

    /// The map says what a slab is now, whose place it [covers](Self::covers).
    pub(super) fn name(&self, slab: &Slab) {
        self.slabs.set(slab.start(), links::address(slab) | slab.class() << CLASS);
    }

    /// The map names the slab of a superslab no more.
    pub(super) fn forget(&self, slab: &Slab) {
        self.slabs.set(slab.start(), 0);
    }

    /// The superslab that a slab is of; `None`: it is single.
    pub(super) fn super_of<'a>(&self, slab: &Slab) -> Option<&'a Super> {
        self.supers.of(links::address(slab))
    }

    /// A slab that is a mapping of its own: its descriptor, where it is, and whether it served before. `None`: out of memory.
    pub(super) fn take_single(&self) -> Option<(&'static Slab, usize, bool)> {
        let (source, arena) = (&self.supers.source, &self.supers.arena);
        let unused = self.unused.lock();
        if let Some(kept) = unused.kept.pop() {
            return Some((kept, kept.start(), true));
        }
        let at = source.map(SLAB, SLAB)?;
        let fresh = || links::at(arena.allocate(source, size_of::<Slab>(), align_of::<Slab>())?);
        if let Some(slab) = unused.spare.pop().or_else(fresh) {
            if self.slabs.cover(arena, source, at, SLAB) {
                self.slabs.set(at, links::address(slab));
                self.mapped.raise(SLAB);
                return Some((slab, at, false));
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
        self.slabs.set(at, 0);
        // SAFETY: it has no live block, and the map names it no more.
        if unsafe { self.supers.source.release(at, SLAB) } {
            self.mapped.lower(SLAB);
            unused.spare.push(slab);
        } else {
            // SAFETY: as above, and it is still ours.
            unsafe { self.supers.source.purge(at, SLAB) };
            self.slabs.set(at, links::address(slab));
            unused.kept.push(slab);
        }
    }
}
