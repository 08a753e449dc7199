//! Chunks of memory at multiples of their size, each with its head at its beginning: the map from addresses to them, and a
//! pool of those that are empty.
//!
//! ```text
//! address ─► map ─► chunk [ head │ … ]
//! pool    [ chunk │ chunk │ … ]   those that waited for a second are unmapped, and the oldest beyond the bound
//! ```
//!
//! - **P1** the map names a chunk exactly while it is somebody's or in the pool.
//! - **P5** no chunk is mapped or unmapped under the pool's lock, and no thread that takes or gives a chunk waits for it: while another
//!   is inside, the system is asked. A thread that loses the processor inside stops nobody.
//!
//! One lock; O(pool) when a chunk becomes empty, two system calls when one comes or goes. A look in the map is two loads.
use base::bits::{index, low32};
use base::guarded::{Guarded, Inside};
use base::lock::Lock;
use base::sync::{AtomicBool, AtomicUsize, OneWriter as _, Ordering};
use page::{Allowance, Arena, Attempt, ChunkMap, Refusals, System};
use policy::clock::is_due;
use policy::table::{HUGE_FROM, REGRET, SMALL_HEAP, TICK_MS};

use crate::links::{self, List};
use crate::regret::Regret;

mod owned;
mod pieces;

pub(crate) use owned::{Owned, Row};
pub(crate) use pieces::{Chunk, PIECE, Pieces};

/// Bytes that may wait in the pool, at first and at most while what was unmapped is mapped again soon.
const LEAST: usize = 12 << 20;
const MOST: usize = 256 << 20;
/// Of a large heap an eighth may wait.
const SHARE: usize = 8;

/// What the map says of a chunk, and of one that is marked.
const OURS: usize = 1;
const MARKED: usize = 2;

/// Chunks of `1 << SHIFT` bytes.
#[derive(Debug)]
pub(crate) struct Chunks<S, C, const SHIFT: u32> {
    pub(crate) source: S,
    pub(crate) arena: Arena<S>,
    map: ChunkMap<SHIFT>,
    empty: Guarded<S, List<C>>,
    /// Bytes that came from the system, and of those in the pool.
    mapped: AtomicUsize,
    pooled: AtomicUsize,
    /// Bytes in use that are in no chunk.
    beside: AtomicUsize,
    /// Whether this is the child of a fork.
    in_child: AtomicBool,
    regret: Regret,
    allowance: Allowance,
    refusals: Refusals,
}

impl<S: System, C: Chunk, const SHIFT: u32> Chunks<S, C, SHIFT> {
    pub(crate) const fn new(source: S) -> Self {
        const { assert!(C::LEN == 1 << SHIFT, "one size in two forms") };
        Self {
            source,
            arena: Arena::new(),
            map: ChunkMap::new(),
            empty: Guarded::new(List::new()),
            mapped: AtomicUsize::new(0),
            pooled: AtomicUsize::new(0),
            beside: AtomicUsize::new(0),
            in_child: AtomicBool::new(false),
            regret: Regret::new(),
            allowance: Allowance::new(),
            refusals: Refusals::new(),
        }
    }

    pub(crate) fn lock_for_fork(&self) -> &Lock<S> {
        self.empty.bare()
    }

    /// In the child of a fork: no more huge pages, each of which a child of its own would copy whole.
    pub(crate) fn note_child(&self) {
        self.in_child.store(true, Ordering::Relaxed);
    }

    /// What descriptors are made from.
    pub(crate) fn room(&self) -> (&Arena<S>, &S) {
        (&self.arena, &self.source)
    }

    /// Bytes that came from the system, but for those in the pool.
    pub(crate) fn bytes(&self) -> usize {
        // Others change both between the two loads, and a chunk that is unmapped leaves the first before the second.
        self.mapped.load(Ordering::Relaxed).saturating_sub(self.pooled.load(Ordering::Relaxed))
    }

    /// Bytes in the pool.
    pub(crate) fn pooled_bytes(&self) -> usize {
        self.pooled.load(Ordering::Relaxed)
    }

    /// Whether what is mapped now is to have huge pages, with which its owner has `used` bytes: these are many, and memory is
    /// not limited. An owner's alone count: each of a thousand threads would have 2 MiB for its first block.
    pub(crate) fn wants_huge(&self, used: usize) -> bool {
        let may = self.room_for_free(0) == usize::MAX && !self.in_child.load(Ordering::Relaxed);
        used > HUGE_FROM && may
    }

    /// The chunk that an address lies in; `None`: it is in none of ours.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, address: usize) -> Option<&'a C> {
        // The chunk's address does not wait for the map's answer.
        if self.map.get(address) == 0 { None } else { links::at(address & !(C::LEN - 1)) }
    }

    /// Marks a chunk, or takes its mark away: who may not touch the chunk can still ask for that.
    pub(crate) fn mark(&self, chunk: &C, marked: bool) {
        self.map.set(links::address(chunk), if marked { MARKED } else { OURS });
    }

    /// Whether the chunk that an address lies in is marked. It need not be there any more.
    pub(crate) fn is_marked(&self, address: usize) -> bool {
        self.map.get(address) == MARKED
    }

    /// A chunk from the pool or the system, and whether it is all zero; `huge`: it may have huge pages. `None`: out of memory.
    pub(crate) fn take(&self, huge: bool) -> Option<(&'static C, bool)> {
        if let Some(empty) = self.empty.try_lock()
            && let Some(pooled) = empty.pop()
        {
            self.pooled.lower(C::LEN);
            return Some((pooled, false));
        }
        self.grow(C::LEN);
        let base = self.source.map(C::LEN, C::LEN)?;
        if !self.covers(base) {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.release(base, C::LEN) };
            return None;
        }
        if huge {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.prefer_huge(base, C::LEN, true) };
        }
        self.map.set(base, OURS);
        self.mapped.fetch_add(C::LEN, Ordering::Relaxed);
        if let Some(_inside) = self.empty.try_lock() {
            self.regret.take(C::LEN);
        }
        Some((links::at(base)?, true))
    }

    /// Whether the map has a word for the chunk at `base`, by now. Under the lock if it had none.
    fn covers(&self, base: usize) -> bool {
        self.map.has(base) || {
            let _inside = self.empty.lock();
            self.map.cover(&self.arena, &self.source, base)
        }
    }

    /// A chunk is empty: it waits in the pool, or is unmapped if it is not to.
    pub(crate) fn give(&self, chunk: &C, to_pool: bool) {
        let inside = self.empty.try_lock().filter(|_| to_pool);
        let Some(empty) = inside else {
            if !self.unmap(chunk) {
                self.put_back(chunk);
            }
            return;
        };
        let now = self.tick();
        self.push(&empty, chunk, now);
        let room = self.room_for_free(0);
        let mut most = (self.bytes() / SHARE).max(self.regret.floor(LEAST));
        if self.pooled_bytes() > most.min(room) {
            most = most.max(self.regret.due(now, (LEAST, MOST), REGRET));
        }
        self.expire(empty, now, most.min(room));
    }

    fn push(&self, empty: &List<C>, chunk: &C, now: u32) {
        chunk.pieces().since.store(now, Ordering::Relaxed);
        empty.push(chunk);
        self.pooled.raise(C::LEN);
    }

    /// A chunk that the system does not unmap waits in the pool.
    #[cold]
    fn put_back(&self, chunk: &C) {
        self.push(&self.empty.lock(), chunk, self.tick());
    }

    /// Unmaps what has waited for long, and what is beyond `most` bytes.
    fn expire(&self, empty: Inside<'_, S, List<C>>, now: u32, most: usize) {
        let gone = List::new();
        // The newest is first: the last has waited longest.
        while let Some((place, old)) = empty.iter().enumerate().last() {
            let before = place * C::LEN;
            let is_old =
                is_due(old.pieces().since.load(Ordering::Relaxed), now) && before >= LEAST / 2;
            if before < most && !is_old {
                break;
            }
            empty.remove(old);
            gone.push(old);
            self.pooled.lower(C::LEN);
            self.regret.purged(now, C::LEN);
        }
        drop(empty);
        self.unmap_each(&gone);
    }

    /// Unmaps chunks that were taken out of the pool, to which they go back from the first on that the system keeps; the bytes.
    fn unmap_each(&self, chunks: &List<C>) -> usize {
        let (mut gone, mut is_refused) = (0, false);
        while let Some(old) = chunks.pop() {
            is_refused = is_refused || !self.unmap(old);
            if is_refused {
                self.put_back(old);
            } else {
                gone += C::LEN;
            }
        }
        gone
    }

    /// What has waited for long in the pool goes, if there is much.
    fn expire_pool(&self, now: u32) {
        if self.pooled_bytes() > LEAST / 2 {
            let empty = self.empty.lock();
            self.regret.calm(now);
            self.expire(empty, now, usize::MAX);
        }
    }

    /// What may be free beside what is in use, of which `free` bytes are not: as much as a memory limit leaves.
    fn room_for_free(&self, free: usize) -> usize {
        let used = self.bytes().saturating_add(self.beside.load(Ordering::Relaxed));
        self.allowance.room(used.saturating_sub(free), 1)
    }

    /// The heap grows by `len` bytes: the memory limit is read while no other thread can notice the descriptor that it takes.
    fn grow(&self, len: usize) {
        let bytes = self.mapped.load(Ordering::Relaxed) + self.beside.load(Ordering::Relaxed);
        let is_large = bytes.saturating_add(len) > SMALL_HEAP;
        if is_large && !self.allowance.has_looked() && self.source.is_only_thread() {
            self.look_at_memory_limit();
        }
    }

    /// `beside` bytes are in use that are in no chunk.
    pub(crate) fn note_beside(&self, beside: usize) {
        self.beside.store(beside, Ordering::Relaxed);
    }

    /// So many are now, or are about to be: where memory is limited, what the
    /// pool and the caller keep makes way.
    pub(crate) fn make_way(&self, of: Option<&Owned<C>>, beside: usize) {
        self.note_beside(beside);
        self.grow(0);
        let kept = of.map_or(0, Owned::kept);
        let room = self.room_for_free(kept);
        if room == usize::MAX {
            return;
        }
        let now = self.tick();
        if self.pooled_bytes() + kept > room {
            self.expire(self.empty.lock(), now, room.saturating_sub(kept));
        }
        if let Some(of) = of {
            let beyond = (self.pooled_bytes() + kept).saturating_sub(room);
            self.purge_pieces(of, beyond.div_ceil(PIECE), now);
        }
    }

    /// Reads the memory limit, the first time.
    pub(crate) fn look_at_memory_limit(&self) {
        self.allowance.look(&self.source);
    }

    /// Unmaps a chunk that is on no list. `false`: the system does not; it is empty, or not even that, and can serve again.
    fn unmap(&self, old: &C) -> bool {
        let base = links::address(old);
        self.map.set(base, 0);
        // SAFETY: it has no live block, and the map names it no more.
        let is_gone = unsafe { self.source.release(base, C::LEN) };
        if is_gone {
            self.mapped.fetch_sub(C::LEN, Ordering::Relaxed);
        } else {
            // SAFETY: as above, and it is still ours.
            unsafe { self.source.purge(base, C::LEN) };
            self.map.set(base, OURS);
        }
        is_gone
    }

    /// Unmaps all of the pool; the bytes.
    pub(crate) fn trim(&self) -> usize {
        let all = List::new();
        {
            let empty = self.empty.lock();
            while let Some(pooled) = empty.pop() {
                all.push(pooled);
                self.pooled.lower(C::LEN);
            }
        }
        self.unmap_each(&all)
    }

    /// Begins to give several pieces back; `None`: the kernel has refused lately.
    fn attempt(&self) -> Option<Attempt<'_>> {
        self.refusals.attempt(self.tick())
    }

    /// Gives back free memory that the caller owns, unless the kernel has refused too often in this attempt.
    fn purge_in(&self, attempt: &Attempt<'_>, at: usize, len: usize) -> bool {
        // SAFETY: without a live block, and the caller's.
        !attempt.is_over() && attempt.note(unsafe { self.source.purge(at, len) })
    }

    fn tick(&self) -> u32 {
        low32(index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }
}
