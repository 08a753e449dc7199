//! Where superslabs and slabs come from: the map from addresses to them, and the pool of superslabs that are empty.
//!
//! ```text
//! address ─► supers: 2 MiB ─► the superslab that begins there
//!        └─► singles: 64 KiB ─► the descriptor of a slab that is a mapping of its own
//! pool    [ superslab │ superslab │ … ]   at most 64, of which those that waited for a second are unmapped
//! ```
//!
//! - **P1** the map names a superslab exactly while it is somebody's or in the pool.
//!
//! One lock; O(pool) when a superslab becomes empty. A look in the map is three loads.
use base::bits::{index, low32};
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use page::{Arena, RadixMap, Refusals, System};
use policy::clock::is_due;
use policy::table::TICK_MS;

use super::slab::{SLAB, SUPER, Slab, Super, Supers};
use super::switches::Switches;
use crate::links;

/// Superslabs that wait in the pool at least: 8 MiB.
const LEAST: usize = 4;
/// And at most.
const MOST: usize = 64;

/// The pool, and the map.
#[derive(Debug)]
pub(super) struct Pool<S> {
    pub(super) source: S,
    pub(super) arena: Arena<S>,
    supers: RadixMap<21, 8>,
    singles: RadixMap<16, 256>,
    state: Guarded<S, State>,
    /// Bytes of superslabs and single slabs that came from the system, and of those in the pool.
    mapped: AtomicUsize,
    pooled: AtomicUsize,
    refusals: Refusals,
}

#[derive(Debug)]
struct State {
    empty: Supers,
    /// Descriptors of single slabs that are not in use.
    spare: links::List<Slab>,
}

impl<S: System> Pool<S> {
    pub(super) const fn new(source: S) -> Self {
        Self {
            source,
            arena: Arena::new(),
            supers: RadixMap::new(),
            singles: RadixMap::new(),
            state: Guarded::new(State { empty: Supers::new(), spare: links::List::new() }),
            mapped: AtomicUsize::new(0),
            pooled: AtomicUsize::new(0),
            refusals: Refusals::new(),
        }
    }

    pub(super) fn lock_for_fork(&self) -> &Lock<S> {
        self.state.bare()
    }

    /// Bytes that came from the system, but for those in the pool.
    pub(super) fn bytes(&self) -> usize {
        self.mapped.load(Ordering::Relaxed) - self.pooled.load(Ordering::Relaxed)
    }

    /// Bytes in the pool.
    pub(super) fn pooled_bytes(&self) -> usize {
        self.pooled.load(Ordering::Relaxed)
    }

    /// The slab that an address lies in; `None`: it is in none of ours.
    #[inline(always)]
    pub(super) fn slab_of<'a>(&self, address: usize) -> Option<&'a Slab> {
        let base = self.supers.get(address);
        match Super::at(base) {
            Some(it) => Some(it.slab_of(address)),
            None => links::at(self.singles.get(address)),
        }
    }

    /// The superslab that a slab is of; `None`: it is single.
    pub(super) fn super_of<'a>(&self, slab: &Slab) -> Option<&'a Super> {
        Super::at(self.supers.get(links::address(slab)))
    }

    /// Gives free memory back; not if the kernel has refused lately.
    pub(super) fn purge(&self, at: usize, len: usize) -> bool {
        let Some(attempt) = self.refusals.attempt(self.tick()) else { return false };
        // SAFETY: whole slabs without a live block, which the caller owns.
        attempt.note(unsafe { self.source.purge(at, len) })
    }

    fn tick(&self) -> u32 {
        low32(index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }

    /// A superslab with all slabs free, from the pool or the system. `None`: out of memory.
    pub(super) fn take(&self, owner: usize) -> Option<&'static Super> {
        let state = self.state.lock();
        if let Some(pooled) = state.empty.pop() {
            self.pooled.lower(SUPER);
            pooled.open(owner, false);
            return Some(pooled);
        }
        let base = self.source.map(SUPER, SUPER)?;
        if !self.supers.cover(&self.arena, &self.source, base, SUPER) {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.release(base, SUPER) };
            return None;
        }
        let fresh = Super::at(base)?;
        fresh.open(owner, true);
        self.supers.set(base, base);
        self.mapped.raise(SUPER);
        Some(fresh)
    }

    /// A superslab is empty: it waits in the pool, or is unmapped.
    pub(super) fn give(&self, empty: &Super, switches: &Switches) {
        let now = self.tick();
        let state = self.state.lock();
        if !switches.reuse_pool() {
            self.unmap(empty);
            return;
        }
        empty.since.store(now, Ordering::Relaxed);
        state.empty.push(empty);
        self.pooled.raise(SUPER);
        let most = (self.bytes() / SUPER / 4).clamp(LEAST, MOST);
        // The newest is first: the last has waited longest.
        while let Some((place, old)) = state.empty.iter().enumerate().last() {
            let is_old = is_due(old.since.load(Ordering::Relaxed), now) && place >= LEAST / 2;
            if place < most && !is_old {
                break;
            }
            state.empty.remove(old);
            self.pooled.lower(SUPER);
            self.unmap(old);
        }
    }

    fn unmap(&self, old: &Super) {
        let base = old.base();
        self.supers.set(base, 0);
        // SAFETY: it has no live block, and the map names it no more.
        if unsafe { self.source.release(base, SUPER) } {
            self.mapped.lower(SUPER);
            return;
        }
        // SAFETY: as above; what cannot be unmapped can at least be emptied. It is nobody's from now on.
        unsafe { self.source.purge(base, SUPER) };
    }

    /// Unmaps all of the pool; the bytes.
    pub(super) fn trim(&self) -> usize {
        let state = self.state.lock();
        let mut gone = 0;
        while let Some(old) = state.empty.pop() {
            self.pooled.lower(SUPER);
            self.unmap(old);
            gone += SUPER;
        }
        gone
    }

    /// A slab that is a mapping of its own: its descriptor and where it is. `None`: out of memory.
    pub(super) fn take_single(&self) -> Option<(&'static Slab, usize)> {
        let state = self.state.lock();
        let at = self.source.map(SLAB, SLAB)?;
        let slab = state.spare.pop().or_else(|| {
            links::at(self.arena.allocate(&self.source, size_of::<Slab>(), align_of::<Slab>())?)
        });
        match slab.filter(|_| self.singles.cover(&self.arena, &self.source, at, SLAB)) {
            Some(slab) => {
                self.singles.set(at, links::address(slab));
                self.mapped.raise(SLAB);
                Some((slab, at))
            }
            None => {
                // SAFETY: mapped above, and nobody has seen it.
                unsafe { self.source.release(at, SLAB) };
                None
            }
        }
    }

    /// A slab that is a mapping of its own goes.
    pub(super) fn give_single(&self, slab: &Slab) {
        let state = self.state.lock();
        let at = slab.start();
        self.singles.set(at, 0);
        state.spare.push(slab);
        // SAFETY: it has no live block, and the map names it no more.
        if unsafe { self.source.release(at, SLAB) } {
            self.mapped.lower(SLAB);
        }
    }
}
