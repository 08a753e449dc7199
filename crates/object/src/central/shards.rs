//! How many shards there are, and which one a thread uses.
//!
//! ```text
//! 8 shards, threads seen on one node      [ 0  1  2  3  4  5  6  7 ]       by the thread's number
//! on two                                  [ 0  1  2  3 │ 4  5  6  7 ]      by the node, then by the number
//!                                            first        second
//! ```
//!
//! - **shards-D1** the number of shards is a power of two and never falls: a slab stays at its shard.
//! - **shards-D2** the answer decides how long a thread waits and how far its memory is, and nothing else: a node
//!   that is wrong, or was right a moment ago, is as good as any for what must hold.
//!
//! There is one shard until locks are contended, and each time they are the number doubles. With the
//! nodes come no further shards, they only say who shares them. Nodes count in the order of their numbers as far as
//! threads were seen there: a process that is bound to some nodes uses all its shards.
//!
//! Layer *object*. [`own`](Shards::own) is a load or two for each refill.
use base::bits::low32;
use base::live::{At, Table};
use base::lock::{Guard, Lock};
use base::sync::{AtomicU32, AtomicU64, Ordering};
use page::System;
use policy::table::CONTENTION;

use super::SHARDS;

/// Nodes that are told apart; those with higher numbers count as one of them.
const NODES: u32 = 64;

/// Where a thread is: what its shard is chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which thread it is, counted from 0.
    pub thread: u32,
    /// The NUMA node of the processor that it runs on, or ran on lately; 0 if that is not known.
    pub node: u32,
}

impl Place {
    /// Of a thread without a number, or of none.
    pub const ANY: Self = Self { thread: 0, node: 0 };
}

/// The number of shards.
#[derive(Debug)]
pub(super) struct Shards<S> {
    count: AtomicU32,
    /// Held while the number changes, and by `fork`.
    pub(super) splitting: Lock<S>,
    contended: AtomicU32,
    /// A bit for each node that a thread was seen on.
    nodes: AtomicU64,
}

impl<S: System> Shards<S> {
    pub(super) const fn new() -> Self {
        Self {
            count: AtomicU32::new(1),
            splitting: Lock::new(),
            contended: AtomicU32::new(0),
            nodes: AtomicU64::new(0),
        }
    }

    pub(super) const fn show(&'static self, table: Table) -> Table {
        table.at(At::Shards, &self.count)
    }

    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn own(&self, count: u32, place: Place) -> u32 {
        if count == 1 {
            return 0;
        }
        own(count, self.seen(place.node), place)
    }

    /// The nodes that threads were seen on, `node` among them.
    #[inline]
    fn seen(&self, node: u32) -> u64 {
        let bit = 1 << (node % NODES);
        let seen = self.nodes.load(Ordering::Relaxed);
        if seen & bit == 0 { self.nodes.fetch_or(bit, Ordering::Relaxed) | bit } else { seen }
    }

    /// Enters a lock of a shard, counting whether it had to wait.
    pub(super) fn enter<'a>(&self, lock: &'a Lock<S>) -> Guard<'a, S> {
        lock.try_lock().unwrap_or_else(|| {
            self.contended.fetch_add(1, Ordering::Relaxed);
            lock.lock()
        })
    }

    /// Doubles the shards if their locks are fought over.
    #[inline]
    pub(super) fn split_if_contended(&self) {
        if self.contended.load(Ordering::Relaxed) > CONTENTION {
            self.split();
        }
    }

    #[cold]
    fn split(&self) {
        self.contended.store(0, Ordering::Relaxed);
        let Some(_guard) = self.splitting.try_lock() else { return };
        let count = self.count();
        if count < low32(SHARDS) {
            self.count.store(count * 2, Ordering::Relaxed);
        }
    }

    /// From now on there are `count`, a power of two and at most [`SHARDS`], whatever happens.
    pub(super) fn fix(&self, count: u32) {
        self.count.store(count, Ordering::Relaxed);
        // Held for good: no thread splits the shards any more.
        core::mem::forget(self.splitting.lock());
        // By a thread that goes on.
        S::end();
    }
}

/// All shards but `own` of `count`, the nearest first: those of its node come before others (shards-D1).
pub(super) fn others(count: u32, own: u32) -> impl Iterator<Item = u32> {
    (1..count).map(move |away| own ^ away)
}

/// The shard of a thread among `count`, where `seen` has a bit for each node that there are threads on, its
/// own among them. Each node has as many shards, the first of which is a multiple of their number.
fn own(count: u32, seen: u64, place: Place) -> u32 {
    let rank = (seen & ((1 << (place.node % NODES)) - 1)).count_ones();
    let nodes = seen.count_ones().next_power_of_two();
    // Where there are fewer shards than nodes, neighbouring nodes share one.
    let each = (count / nodes).max(1);
    ((rank * count / nodes) & !(each - 1)) + (place.thread & (each - 1))
}

#[cfg(test)]
mod tests;
