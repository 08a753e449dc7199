//! The slots of the blocks that are live: which is given, and when it may be given again.
//!
//! In an epoch that one thread has for itself a slot is free at once. In one of several threads it is kept back until the
//! epoch is over: a thread that waits for a slot to be filled must not see the block that was there before.

use std::collections::HashMap;

use plan::SLOTS;
use trace::Block;

/// A live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Live {
    pub(crate) slot: u32,
    pub(crate) size: u64,
    /// The thread that fills the slot.
    pub(crate) thread: u32,
    /// And in which epoch.
    pub(crate) epoch: u64,
}

/// All slots.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    live: HashMap<Block, Live>,
    free: Vec<u32>,
    kept_back: Vec<u32>,
    /// How many were ever given.
    all: u32,
}

impl Slots {
    /// A slot for a new block; none if there is no more.
    pub(crate) fn give(&mut self, block: Block, size: u64, thread: u32, epoch: u64) -> Option<u32> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if u64::from(self.all) < SLOTS => {
                self.all += 1;
                self.all - 1
            }
            None => return None,
        };
        self.live.insert(block, Live { slot, size, thread, epoch });
        Some(slot)
    }

    /// The block takes over the slot of another.
    pub(crate) fn hand_on(&mut self, block: Block, live: Live) {
        self.live.insert(block, live);
    }

    pub(crate) fn get(&self, block: Block) -> Option<Live> {
        self.live.get(&block).copied()
    }

    /// The block is gone. Its slot stays taken.
    pub(crate) fn take(&mut self, block: Block) -> Option<Live> {
        self.live.remove(&block)
    }

    /// The slot may be given again, at once or when the epoch is over.
    pub(crate) fn release(&mut self, slot: u32, at_once: bool) {
        if at_once { &mut self.free } else { &mut self.kept_back }.push(slot);
    }

    /// The epoch is over.
    pub(crate) fn next_epoch(&mut self) {
        self.free.append(&mut self.kept_back);
    }

    /// How many were ever given.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.all)
    }
}
