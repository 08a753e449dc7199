//! Chunks of memory at multiples of their size, each with its head at its beginning: the map from addresses to them, and a
//! pool of those that are empty.
//!
//! ```text
//! address ─► map ─► chunk [ head │ … ]
//! pool    [ chunk │ chunk │ … ]   those that waited for a second are unmapped, and the oldest beyond the bound
//!           ▲ arrived: chunks of threads that end, empty and with few pages left
//! ahead   [ addresses of the next few ]   of a large heap, never touched
//! ```
//!
//! - **chunks-P1** the map names a chunk exactly while it is somebody's or in the pool.
//! - **chunks-P5** no chunk is mapped or unmapped under the pool's lock.
//! - **chunks-P6** a thread's end unmaps nothing and waits for no lock here: its chunks arrive, emptied, without one. To unmap a chunk is to
//!   wait in the kernel for all threads that are just touching memory, while those that come after wait too.
//!
//! One lock; O(pool) when a chunk becomes empty, two system calls when one comes or goes. A look in the map is two loads.
use core::ptr;

use base::bits::{align_up, index, low32};
use base::guarded::{Guarded, Inside};
use base::lock::Lock;
use base::sync::{AtomicUsize, Ordering};
use page::{Allowance, Arena, Attempt, ChunkMap, Refusals, System};
use policy::clock::is_due;
use policy::table::{REGRET, SMALL_HEAP, TICK_MS};

use crate::links::{self, List, Queue};
use crate::regret::Regret;

mod ahead;
mod beside;
mod owned;
mod pieces;

use ahead::Ahead;
use beside::Beside;
pub(crate) use beside::MIN_MAPPING;
pub(crate) use owned::{FLOOR, Owned, Row};
pub(crate) use pieces::{Chunk, PIECE, Pieces};

/// Bytes that may wait in the pool, at first and at most while what was unmapped is mapped again soon.
const LEAST: usize = 12 << 20;
const MOST: usize = 256 << 20;
/// Of a large heap an eighth may wait.
const SHARE: usize = 8;

/// What the map says of a chunk, and of one that is marked.
const OURS: usize = 1;
const MARKED: usize = 2;

#[cfg(test)]
impl<S: System, C: Chunk, const SHIFT: u32> Chunks<S, C, SHIFT> {
    pub(crate) fn mapped_bytes(&self) -> usize {
        self.mapped.load(Ordering::Relaxed)
    }

    /// Does something while this thread is inside of the pool's lock.
    pub(crate) fn while_locked(&self, work: impl FnOnce()) {
        let _inside = self.pool.lock();
        work();
    }
}

/// Chunks that wait, and addresses that never were one.
#[derive(Debug)]
struct Pool<C> {
    empty: Queue<C>,
    ahead: Ahead,
}

/// Chunks of `1 << SHIFT` bytes.
#[derive(Debug)]
pub(crate) struct Chunks<S, C, const SHIFT: u32> {
    pub(crate) source: S,
    pub(crate) arena: Arena<S>,
    map: ChunkMap<SHIFT>,
    pool: Guarded<S, Pool<C>>,
    /// Chunks on their way to the pool, each linked to the next (chunks-P6).
    arrived: AtomicUsize,
    /// Bytes that came from the system, of those in the pool, and of those in chunks that cost little.
    mapped: AtomicUsize,
    pooled: AtomicUsize,
    clean: AtomicUsize,
    beside: Beside<S>,
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
            pool: Guarded::new(Pool { empty: Queue::new(), ahead: Ahead::NONE }),
            arrived: AtomicUsize::new(0),
            mapped: AtomicUsize::new(0),
            pooled: AtomicUsize::new(0),
            clean: AtomicUsize::new(0),
            beside: Beside::new(),
            regret: Regret::new(),
            allowance: Allowance::new(),
            refusals: Refusals::new(),
        }
    }

    /// The locks, in the order in which they nest.
    pub(crate) fn locks(&self) -> [&Lock<S>; 4] {
        let [huge, kept] = self.beside.locks();
        [huge, kept, self.pool.bare(), self.arena.lock_for_fork()]
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

    pub(crate) fn pooled_bytes(&self) -> usize {
        self.pooled.load(Ordering::Relaxed)
    }

    /// Bytes that came from the system, but for chunks in the pool that cost little, and live mappings.
    pub(crate) fn costing_bytes(&self) -> usize {
        let chunks = self.mapped.load(Ordering::Relaxed);
        chunks.saturating_sub(self.clean.load(Ordering::Relaxed)) + self.beside.kept_bytes()
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

    /// A chunk from the pool or the system, and whether it is all zero. `None`: out of memory.
    pub(crate) fn take(&self) -> Option<(&'static C, bool)> {
        let pooled = || {
            let pool = self.pool();
            pool.empty.first().inspect(|&chunk| self.remove(&pool, chunk))
        };
        if self.pooled_bytes() > 0
            && let Some(pooled) = pooled()
        {
            return Some((pooled, pooled.is_clean()));
        }
        self.grow(C::LEN);
        if self.room_for_free(0) < C::LEN {
            // A memory limit, and no chunk can take the place of a mapping that waits.
            self.release_kept();
        }
        let base = self.map_one()?;
        if !self.covers(base) {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.release(base, C::LEN) };
            return None;
        }
        self.map.set(base, OURS);
        self.mapped.fetch_add(C::LEN, Ordering::Relaxed);
        Some((links::at(base)?, true))
    }

    /// Whether the map has a word for the chunk at `base`, by now. Under the lock if it had none.
    fn covers(&self, base: usize) -> bool {
        self.map.has(base) || {
            let _inside = self.pool.lock();
            self.map.cover(&self.arena, &self.source, base)
        }
    }

    /// A chunk is empty: it waits in the pool, or is unmapped if it is not to.
    pub(crate) fn give(&self, chunk: &C, to_pool: bool) {
        let base = links::address(chunk);
        if !to_pool && self.unmap(base, base + C::LEN) {
            return;
        }
        let (pool, now) = (self.pool(), self.tick());
        self.push(&pool, chunk, now);
        let room = self.room_for_free(0);
        let mut most = (self.bytes() / SHARE).max(self.regret.floor(LEAST));
        if self.pooled_bytes() > most.min(room) {
            most = most.max(self.regret.due(now, (LEAST, MOST), REGRET));
        }
        self.expire(pool, now, most.min(room));
    }

    /// A chunk of a thread that ends is empty (chunks-P6). Where much waits in the pool its pages go back first.
    pub(crate) fn leave(&self, chunk: &C) {
        let base = links::address(chunk);
        let first = base + align_up(C::HEAD, self.source.page_size());
        let is_much = self.pooled_bytes() + C::LEN > LEAST.min(self.room_for_free(0));
        // SAFETY: without a live block, and the caller's.
        if is_much && unsafe { self.source.purge(first, base + C::LEN - first) } {
            chunk.set_clean();
        }
        chunk.pieces().since.store(self.tick(), Ordering::Relaxed);
        self.count_in(chunk);
        let mut old = self.arrived.load(Ordering::Relaxed);
        loop {
            chunk.links()[0].store(old, Ordering::Relaxed);
            let put =
                self.arrived.compare_exchange_weak(old, base, Ordering::Release, Ordering::Relaxed);
            match put {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// The pool, under its lock, with all that has arrived.
    fn pool(&self) -> Inside<'_, S, Pool<C>> {
        let pool = self.pool.lock();
        let mut at = self.arrived.swap(0, Ordering::Acquire);
        while let Some(chunk) = links::at::<C>(at) {
            at = chunk.links()[0].load(Ordering::Relaxed);
            pool.empty.push_front(chunk);
        }
        pool
    }

    /// A chunk is in the pool, or on its way there.
    fn count_in(&self, chunk: &C) {
        self.pooled.fetch_add(C::LEN, Ordering::Relaxed);
        if chunk.is_clean() {
            self.clean.fetch_add(C::LEN, Ordering::Relaxed);
        }
    }

    fn push(&self, pool: &Pool<C>, chunk: &C, now: u32) {
        chunk.pieces().since.store(now, Ordering::Relaxed);
        pool.empty.push_front(chunk);
        self.count_in(chunk);
    }

    fn remove(&self, pool: &Pool<C>, chunk: &C) {
        pool.empty.remove(chunk);
        self.pooled.fetch_sub(C::LEN, Ordering::Relaxed);
        if chunk.is_clean() {
            self.clean.fetch_sub(C::LEN, Ordering::Relaxed);
        }
    }

    /// A chunk that the system does not unmap waits in the pool.
    #[cold]
    fn put_back(&self, chunk: &C) {
        self.push(&self.pool(), chunk, self.tick());
    }

    /// Unmaps what has waited for long, and what is beyond `most` bytes.
    fn expire(&self, pool: Inside<'_, S, Pool<C>>, now: u32, most: usize) {
        let gone = List::new();
        // The newest is first: the last has waited longest.
        while let Some(old) = pool.empty.last() {
            let before = self.pooled_bytes().saturating_sub(C::LEN);
            let is_old =
                is_due(old.pieces().since.load(Ordering::Relaxed), now) && before >= LEAST / 2;
            if before < most && !is_old {
                break;
            }
            self.remove(&pool, old);
            gone.push(old);
            self.regret.purged(now, C::LEN);
        }
        drop(pool);
        self.unmap_each(&gone);
    }

    /// Unmaps chunks that were taken out of the pool, to which they go back if the system keeps them; the bytes. Those that lie in a
    /// row go by one call: each waits in the kernel for all threads that are just touching memory.
    fn unmap_each(&self, chunks: &List<C>) -> usize {
        // No other list that is just being unmapped has this address.
        let mark = ptr::from_ref(chunks).addr();
        chunks.iter().for_each(|chunk| self.map.set(links::address(chunk), mark));
        let mut gone = 0;
        while let Some(chunk) = chunks.pop() {
            let (mut from, mut to) = (links::address(chunk), links::address(chunk) + C::LEN);
            let is_next = |base| self.map.get(base) == mark;
            while is_next(from - C::LEN) {
                from -= C::LEN;
                self.map.set(from, 0);
                links::at(from).inspect(|&before| chunks.remove(before));
            }
            while is_next(to) {
                self.map.set(to, 0);
                links::at(to).inspect(|&after| chunks.remove(after));
                to += C::LEN;
            }
            if self.unmap(from, to) {
                gone += to - from;
                continue;
            }
            (from..to).step_by(C::LEN).filter_map(links::at).for_each(|kept| self.put_back(kept));
        }
        gone
    }

    /// What has waited for long in the pool goes, if there is much.
    fn expire_pool(&self, now: u32) {
        self.release_old(now);
        if self.pooled_bytes() > LEAST / 2 {
            let pool = self.pool();
            self.regret.calm(now);
            self.expire(pool, now, usize::MAX);
        }
    }

    /// What may be free beside what is in use, of which `free` bytes are not: as much as a memory limit leaves.
    fn room_for_free(&self, free: usize) -> usize {
        let used = self.bytes().saturating_add(self.huge().bytes());
        let room = self.allowance.room(used.saturating_sub(free), 1);
        room.saturating_sub(self.beside.kept_bytes())
    }

    /// The heap grows by `len` bytes: the memory limit is read while no other thread can notice the descriptor that it takes.
    fn grow(&self, len: usize) {
        let bytes = self.mapped.load(Ordering::Relaxed) + self.huge().bytes();
        let is_large = bytes.saturating_add(len) > SMALL_HEAP;
        if is_large && !self.allowance.has_looked() && self.source.is_only_thread() {
            self.look_at_memory_limit();
        }
    }

    /// A mapping is to have `more` bytes: where memory is limited, what the pool and the caller keep makes way.
    fn make_way(&self, of: Option<&Owned<C>>, more: usize) {
        self.grow(more);
        let kept = of.map_or(0, Owned::kept);
        let used = self.bytes().saturating_add(self.huge().bytes()).saturating_add(more);
        let room = self.allowance.room(used.saturating_sub(kept), 1);
        if room == usize::MAX {
            return;
        }
        let now = self.tick();
        self.release_kept();
        if self.pooled_bytes() + kept > room {
            self.expire(self.pool(), now, room.saturating_sub(kept));
        }
        if let Some(of) = of {
            let beyond = (self.pooled_bytes() + kept).saturating_sub(room);
            self.purge_pieces(of, beyond.div_ceil(PIECE), now);
        }
    }

    pub(crate) fn look_at_memory_limit(&self) {
        self.allowance.look(&self.source);
    }

    /// Unmaps a row of chunks that are on no list. `false`: the system does not; they are empty, or not even that, and can serve
    /// again.
    fn unmap(&self, from: usize, to: usize) -> bool {
        let each = || (from..to).step_by(C::LEN);
        each().for_each(|base| self.map.set(base, 0));
        // SAFETY: without a live block, and the map names them no more.
        let is_gone = unsafe { self.source.release(from, to - from) };
        if is_gone {
            self.mapped.fetch_sub(to - from, Ordering::Relaxed);
        } else {
            // SAFETY: as above, and they are still ours.
            unsafe { self.source.purge(from, to - from) };
            each().for_each(|base| self.map.set(base, OURS));
        }
        is_gone
    }

    /// Unmaps all of the pool and what was mapped ahead; the bytes, of which the latter cost none.
    pub(crate) fn trim(&self) -> usize {
        let all = List::new();
        let mut pool = self.pool();
        while let Some(pooled) = pool.empty.first() {
            self.remove(&pool, pooled);
            all.push(pooled);
        }
        let ahead = pool.ahead.take_all();
        drop(pool);
        self.unmap_ahead(ahead);
        self.release_kept() + self.unmap_each(&all)
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
