//! An owner's chunks: pieces come from those that have some, and chunks come and go.
//!
//! ```text
//! pieces wanted ─► roomy ─ a row of free ones? ─► it             else a chunk of the pool, or the system
//! pieces free   ─► chunk all free? ─► pool        much is free? what nobody needed for a while goes
//!
//! free pieces   0 ──── little ──────────────────────────── limit = what is in use, or the floor
//!                        ▲ the least there were for a quarter of a second goes    ▲ what is beyond goes at once
//! ```
//!
//! - **owned-P3** a chunk is on `roomy` if it has a free piece, else on `packed`.
//! - **owned-P4** `dirty` is the number of their free pieces whose memory could go, `used` of those in use.
//!
//! The owner's thread alone. O(chunks looked at, at most 64); a system call a row of pieces that is given back, of twice what
//! was freed and 1 MiB at most in one call.
use base::Broken;
use base::check::ensure;
use base::sync::{AtomicBool, AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use page::System;
use policy::keep;
use policy::table::{AT_A_LOOK, AT_ONCE};

use super::{Chunk, Chunks, PIECE};
use crate::links::{self, List};
use crate::regret::Regret;

/// Bytes of free pieces that an owner keeps in any case.
const LITTLE: usize = 2 << 20;
/// The floor, above which it keeps no more than is in use: less than a whole process keeps, as other threads cannot have it.
pub(crate) const FLOOR: usize = 8 << 20;
/// What the floor rises to while what went back is needed again.
const MOST_FLOOR: usize = 64 << 20;
/// How much has to be needed again for that: 1 MiB, as an owner is one of many.
const REGRET: usize = 1 << 20;
/// Slow paths between two looks at the clock.
const CALLS: u32 = 64;
/// Chunks that are looked at for a row of pieces.
const LOOKS: usize = 64;

/// The chunks of one owner. All zero is none.
#[derive(Debug)]
pub(crate) struct Owned<C> {
    roomy: List<C>,
    packed: List<C>,
    dirty: AtomicUsize,
    used: AtomicUsize,
    /// The least `dirty` since the tick `since`.
    low: AtomicUsize,
    since: AtomicU32,
    calls: AtomicU32,
    regret: Regret,
    /// Whether its thread ends.
    ends: AtomicBool,
}

/// What pieces are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// How many, in a row.
    pub(crate) count: usize,
    /// Not the first of a chunk, which has the head.
    pub(crate) whole: bool,
}

impl<C: Chunk> Owned<C> {
    /// A chunk is this owner's from now on.
    pub(crate) fn push(&self, chunk: &C) {
        self.list_of(chunk).push(chunk);
        self.dirty.raise(chunk.dirty());
        self.used.raise(chunk.used());
    }

    /// A chunk is its no more. `None`: there is none left.
    pub(crate) fn pop(&self) -> Option<&'static C> {
        let chunk = self.roomy.pop().or_else(|| self.packed.pop())?;
        self.clean(chunk.dirty());
        self.used.lower(chunk.used());
        Some(chunk)
    }

    /// Bytes of free pieces that cost memory.
    pub(super) fn kept(&self) -> usize {
        self.dirty() * PIECE
    }

    fn dirty(&self) -> usize {
        self.dirty.load(Ordering::Relaxed)
    }

    /// Pieces cost memory no more.
    fn clean(&self, count: usize) {
        self.dirty.lower(count);
        self.low.store(self.low.load(Ordering::Relaxed).min(self.dirty()), Ordering::Relaxed);
    }

    fn list_of(&self, chunk: &C) -> &List<C> {
        if chunk.is_full() { &self.packed } else { &self.roomy }
    }

    pub(crate) fn set_ends(&self, ends: bool) {
        self.ends.store(ends, Ordering::Relaxed);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.roomy.is_empty() && self.packed.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &C> {
        self.roomy.iter().chain(self.packed.iter())
    }

    /// Bytes in use; another thread's answer may be that of a moment ago.
    pub(crate) fn used_bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed) * PIECE
    }

    /// Whether owned-P3 and P4 hold. O(chunks).
    pub(crate) fn check(&self, owner: usize) -> Result<(), Broken> {
        let (mut dirty, mut used) = (0, 0);
        for chunk in self.iter() {
            let is_ours = chunk.owner() == owner;
            ensure(is_ours, "owned-P3: a chunk is its owner's", links::address(chunk))?;
            dirty += chunk.dirty();
            used += chunk.used();
        }
        let is_roomy = |chunk: &C| !chunk.is_full() && !chunk.is_all_free();
        ensure(self.roomy.iter().all(is_roomy), "owned-P3: a roomy chunk has a free piece", owner)?;
        ensure(self.packed.iter().all(C::is_full), "owned-P3: a packed chunk has none", owner)?;
        let is_sum = dirty == self.dirty.load(Ordering::Relaxed);
        ensure(is_sum, "owned-P4: free pieces that cost memory add up", dirty)?;
        ensure(used == self.used.load(Ordering::Relaxed), "owned-P4: pieces in use add up", used)
    }
}

impl<S: System, C: Chunk, const SHIFT: u32> Chunks<S, C, SHIFT> {
    /// A row of pieces for `owner`, whose record's address it is. The chunk, the first one's number, and whether all are zero.
    /// `None`: out of memory.
    pub(crate) fn take_pieces(
        &self,
        of: &Owned<C>,
        owner: usize,
        Row { count, whole }: Row,
    ) -> Option<(&'static C, usize, bool)> {
        let take = |chunk: &'static C| {
            let dirty = chunk.dirty();
            let (first, zero) = chunk.take(count, whole)?;
            of.clean(dirty - chunk.dirty());
            of.used.raise(count);
            if zero {
                of.regret.take(count * PIECE);
            }
            if chunk.is_full() {
                of.roomy.remove(chunk);
                of.packed.push(chunk);
            }
            Some((chunk, first, zero))
        };
        let near = of.roomy.iter().take(LOOKS).find_map(take);
        near.or_else(|| {
            let (chunk, zero) = self.take()?;
            chunk.open(owner, zero);
            of.push(chunk);
            take(chunk)
        })
    }

    /// Pieces are free again. The chunk may be gone after this: to the pool, or unmapped if it is not to.
    pub(crate) fn give_pieces(
        &self,
        of: &Owned<C>,
        chunk: &C,
        (first, count): (usize, usize),
        to_pool: bool,
    ) {
        of.used.lower(count);
        if chunk.is_full() {
            of.packed.remove(chunk);
            of.roomy.push(chunk);
        }
        let before = chunk.dirty();
        chunk.put(first, count);
        of.dirty.raise(chunk.dirty() - before);
        if chunk.is_all_free() {
            of.roomy.remove(chunk);
            of.clean(chunk.dirty());
            if to_pool && of.ends.load(Ordering::Relaxed) {
                self.leave(chunk);
            } else {
                self.give(chunk, to_pool);
            }
        } else if of.dirty() > LITTLE / PIECE {
            self.purge_some(of, count);
        }
    }

    /// Much is free: gives back what is beyond the limit, or was not needed for a tick. `count` pieces were freed.
    #[cold]
    fn purge_some(&self, of: &Owned<C>, count: usize) {
        let now = self.tick();
        if of.dirty() <= self.limit(of, of.regret.floor(FLOOR)) {
            return self.purge_idle(of, now);
        }
        let limit = self.limit(of, of.regret.due(now, (FLOOR, MOST_FLOOR), REGRET));
        let beyond = of.dirty().saturating_sub(keep::target(limit));
        self.purge_pieces(of, beyond.min(keep::at_once(count, AT_ONCE / PIECE)), now);
    }

    /// Pieces that may be free; `floor` in bytes.
    fn limit(&self, of: &Owned<C>, floor: usize) -> usize {
        let room = self.room_for_free(of.kept()).saturating_sub(self.pooled_bytes());
        of.used.load(Ordering::Relaxed).max(floor / PIECE).min(room / PIECE)
    }

    /// At a tick: what nobody needed since the last one goes, a part of it.
    fn purge_idle(&self, of: &Owned<C>, now: u32) {
        if of.since.replace(now) != now {
            let idle = of.low.replace(of.dirty()).saturating_sub(LITTLE / PIECE);
            self.purge_pieces(of, idle.min(AT_A_LOOK / PIECE), now);
        }
    }

    /// A slow path of the owner: now and then what a program that does little needs no more goes, and what `others` keeps, which is
    /// told the tick.
    #[inline]
    pub(crate) fn pass(&self, of: &Owned<C>, others: impl FnOnce(u32)) {
        if of.calls.raise(1).is_multiple_of(CALLS) {
            others(self.look(of));
        }
    }

    #[cold]
    fn look(&self, of: &Owned<C>) -> u32 {
        let now = self.tick();
        of.regret.calm(now);
        self.purge_idle(of, now);
        self.expire_pool(now);
        now
    }

    /// Gives back up to `most` free pieces.
    pub(super) fn purge_pieces(&self, of: &Owned<C>, most: usize, now: u32) {
        if most == 0 {
            return;
        }
        let Some(attempt) = self.attempt() else { return };
        let mut gone = 0;
        for chunk in of.roomy.iter() {
            if gone >= most || attempt.is_over() {
                break;
            }
            gone += chunk.purge(most - gone, |at, len| self.purge_in(&attempt, at, len));
        }
        of.clean(gone);
        of.regret.purged(now, gone * PIECE);
    }

    /// An owner has no thread any more, and nobody passes: beyond a little all that is free goes back.
    pub(crate) fn purge_left(&self, of: &Owned<C>) {
        if of.kept() > LITTLE {
            self.purge_pieces(of, usize::MAX, self.tick());
        }
    }

    /// Gives back all free pieces of an owner; the bytes.
    pub(crate) fn trim_pieces(&self, of: &Owned<C>) -> usize {
        // SAFETY: a free piece of a chunk that is the caller's.
        let purge = |at, len| unsafe { self.source.purge(at, len) };
        let gone = of.roomy.iter().map(|chunk| chunk.purge(usize::MAX, purge)).sum::<usize>();
        of.clean(gone);
        gone * PIECE
    }
}
