//! Chunks of memory at multiples of their size, each with its head at its beginning: the map from addresses to them, and a
//! pool of those that are empty.
//!
//! ```text
//! address ─► map ─► chunk [ head │ … ]
//! pool    [ chunk │ chunk │ … ]   those that waited for a second are unmapped, and the oldest beyond the bound
//! ```
//!
//! - **P1** the map names a chunk exactly while it is somebody's or in the pool.
//!
//! One lock; O(pool) when a chunk becomes empty, two system calls when one comes or goes. A look in the map is three loads.
use base::bits::{index, low32};
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use page::{Arena, Attempt, RadixMap, Refusals, System};
use policy::clock::is_due;
use policy::table::TICK_MS;

use crate::links::{self, Linked, List};

/// What stands at the beginning of a chunk.
pub(crate) trait Chunk: Linked + 'static {
    /// Bytes of a chunk, a power of two.
    const LEN: usize;

    /// When it came to the pool.
    fn since(&self) -> &AtomicU32;
}

/// Bytes that wait in the pool at least, and at most.
const LEAST: usize = 12 << 20;
const MOST: usize = 128 << 20;

/// The bit of a map entry that is no part of the address.
const MARK: usize = 1;

/// Chunks of `1 << SHIFT` bytes; `ROOT` as [`RadixMap`] has it.
#[derive(Debug)]
pub(crate) struct Chunks<S, C, const SHIFT: u32, const ROOT: usize> {
    pub(crate) source: S,
    pub(crate) arena: Arena<S>,
    map: RadixMap<SHIFT, ROOT>,
    empty: Guarded<S, List<C>>,
    /// Bytes that came from the system, and of those in the pool.
    mapped: AtomicUsize,
    pooled: AtomicUsize,
    refusals: Refusals,
}

impl<S: System, C: Chunk, const SHIFT: u32, const ROOT: usize> Chunks<S, C, SHIFT, ROOT> {
    pub(crate) const fn new(source: S) -> Self {
        const { assert!(C::LEN == 1 << SHIFT, "one size in two forms") };
        Self {
            source,
            arena: Arena::new(),
            map: RadixMap::new(),
            empty: Guarded::new(List::new()),
            mapped: AtomicUsize::new(0),
            pooled: AtomicUsize::new(0),
            refusals: Refusals::new(),
        }
    }

    pub(crate) fn lock_for_fork(&self) -> &Lock<S> {
        self.empty.bare()
    }

    /// Bytes that came from the system, but for those in the pool.
    pub(crate) fn bytes(&self) -> usize {
        self.mapped.load(Ordering::Relaxed) - self.pooled.load(Ordering::Relaxed)
    }

    /// Bytes in the pool.
    pub(crate) fn pooled_bytes(&self) -> usize {
        self.pooled.load(Ordering::Relaxed)
    }

    /// The chunk that an address lies in; `None`: it is in none of ours.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, address: usize) -> Option<&'a C> {
        links::at(self.map.get(address) & !MARK)
    }

    /// Marks a chunk, or takes its mark away: who may not touch the chunk can still ask for that.
    pub(crate) fn mark(&self, chunk: &C, marked: bool) {
        let base = links::address(chunk);
        self.map.set(base, base | if marked { MARK } else { 0 });
    }

    /// Whether the chunk that an address lies in is marked. It need not be there any more.
    pub(crate) fn is_marked(&self, address: usize) -> bool {
        self.map.get(address) & MARK != 0
    }

    /// A chunk from the pool or the system, and whether it is all zero. `None`: out of memory.
    pub(crate) fn take(&self) -> Option<(&'static C, bool)> {
        let empty = self.empty.lock();
        if let Some(pooled) = empty.pop() {
            self.pooled.lower(C::LEN);
            return Some((pooled, false));
        }
        let base = self.source.map(C::LEN, C::LEN)?;
        if !self.map.cover(&self.arena, &self.source, base, C::LEN) {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.release(base, C::LEN) };
            return None;
        }
        self.map.set(base, base);
        self.mapped.raise(C::LEN);
        Some((links::at(base)?, true))
    }

    /// A chunk is empty: it waits in the pool, or is unmapped if it is not to.
    pub(crate) fn give(&self, chunk: &C, to_pool: bool) {
        let now = self.tick();
        let empty = self.empty.lock();
        if !to_pool {
            self.unmap(chunk);
            return;
        }
        chunk.since().store(now, Ordering::Relaxed);
        empty.push(chunk);
        self.pooled.raise(C::LEN);
        let most = (self.bytes() / 8).clamp(LEAST, MOST);
        // The newest is first: the last has waited longest.
        while let Some((place, old)) = empty.iter().enumerate().last() {
            let before = place * C::LEN;
            let is_old = is_due(old.since().load(Ordering::Relaxed), now) && before >= LEAST / 2;
            if before < most && !is_old {
                break;
            }
            empty.remove(old);
            self.pooled.lower(C::LEN);
            self.unmap(old);
        }
    }

    fn unmap(&self, old: &C) {
        let base = links::address(old);
        self.map.set(base, 0);
        // SAFETY: it has no live block, and the map names it no more.
        if unsafe { self.source.release(base, C::LEN) } {
            self.mapped.lower(C::LEN);
            return;
        }
        // SAFETY: as above; what cannot be unmapped can at least be emptied. It is nobody's from now on.
        unsafe { self.source.purge(base, C::LEN) };
    }

    /// Unmaps all of the pool; the bytes.
    pub(crate) fn trim(&self) -> usize {
        let empty = self.empty.lock();
        let mut gone = 0;
        while let Some(old) = empty.pop() {
            self.pooled.lower(C::LEN);
            self.unmap(old);
            gone += C::LEN;
        }
        gone
    }

    /// Gives back free memory that the caller owns; not if the kernel has refused lately.
    pub(crate) fn purge(&self, at: usize, len: usize) -> bool {
        self.attempt().is_some_and(|attempt| self.purge_in(&attempt, at, len))
    }

    /// Begins to give several pieces back; `None`: the kernel has refused lately.
    pub(crate) fn attempt(&self) -> Option<Attempt<'_>> {
        self.refusals.attempt(self.tick())
    }

    /// Gives back free memory that the caller owns, unless the kernel has refused too often in this attempt.
    pub(crate) fn purge_in(&self, attempt: &Attempt<'_>, at: usize, len: usize) -> bool {
        // SAFETY: without a live block, and the caller's.
        !attempt.is_over() && attempt.note(unsafe { self.source.purge(at, len) })
    }

    fn tick(&self) -> u32 {
        low32(index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }
}
