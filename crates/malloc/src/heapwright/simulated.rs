//! What a simulation of many processors wants to know of the flagship: its locks by name, what it holds.
//!
//! Only where everything is compiled with `--cfg simulated`; see `base::sync::simulated`.
use base::lock::Lock;
use object::central::SHARDS;
use object::size_class::CLASSES;
use page::System;
use thread::Tls;

use super::Flagship;

impl<S: System, T: Tls> Flagship<S, T> {
    /// Calls `visit` with every lock and what it guards.
    pub fn each_lock_by_name(&self, mut visit: impl FnMut(&'static str, &Lock<S>)) {
        visit("threads", self.threads.lock_for_fork());
        for shard in 0..base::bits::low32(SHARDS) {
            for class in 1..CLASSES {
                visit("shelves", self.central.shelf(shard, class).lock_for_fork());
            }
        }
        for lock in self.central.locks_of_the_set() {
            visit("set of shards", lock);
        }
        visit("huge blocks", self.huge.lock_for_fork());
        visit("descriptors", self.meta.lock_for_fork());
        visit("pages", self.pages.lock_for_fork());
    }

    /// Bytes of slabs and of large blocks.
    pub fn held_bytes(&self) -> usize {
        self.pages.live_bytes() + self.huge.bytes()
    }

    /// How many shards there are.
    pub fn shards(&self) -> u32 {
        self.central.shards()
    }

    /// From now on there are so many shards, whatever happens.
    pub fn fix_shards(&self, shards: u32) {
        self.central.fix_shards(shards);
    }
}
