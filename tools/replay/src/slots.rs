//! The slots of the blocks that are live: which is given, and when it may be given again.
//!
//! In an epoch that one thread has for itself a slot is free at once. In one of several threads it is kept back until the
//! epoch is over: a thread that waits for a slot to be filled must not see the block that was there before.

use std::collections::HashMap;

use ::plan::SLOTS;
use trace::{Block, Live, Row};

/// What is known of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) slot: u32,
    pub(crate) size: u64,
    /// The thread that fills the slot.
    pub(crate) thread: u32,
    /// And in which epoch.
    pub(crate) epoch: u64,
}

impl Row<4> for Held {
    fn columns(&self) -> [u64; 4] {
        [self.slot.into(), self.size, self.thread.into(), self.epoch]
    }

    fn of([slot, size, thread, epoch]: [u64; 4]) -> Self {
        let [slot, thread] = [slot, thread].map(|n| u32::try_from(n).unwrap_or_default());
        Self { slot, size, thread, epoch }
    }

    fn size(&self) -> u64 {
        self.size
    }
}

/// Slots that share a cache line are of one thread: filling them takes it from nobody.
const LINE: u32 = 8;

#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub(crate) live: Live<Held, 4>,
    /// By thread, the slots that it may fill next.
    free: HashMap<u32, Vec<u32>>,
    /// Those of threads that have ended.
    left: Vec<u32>,
    kept_back: Vec<u32>,
    /// By line, the thread whose slots it has.
    owners: Vec<u32>,
}

impl Slots {
    /// A slot for a new block; none if there is no more.
    pub(crate) fn give(&mut self, block: Block, size: u64, thread: u32, epoch: u64) -> Option<u32> {
        let own = self.free.entry(thread).or_default();
        let slot = match own.pop().or_else(|| self.left.pop()) {
            Some(slot) => slot,
            None => {
                let first = u32::try_from(self.owners.len()).ok()?.checked_mul(LINE)?;
                if u64::from(first) >= SLOTS {
                    return None;
                }
                self.owners.push(thread);
                own.extend((first + 1..first + LINE).rev());
                first
            }
        };
        self.live.insert(block, Held { slot, size, thread, epoch });
        Some(slot)
    }

    /// The slot may be given again, at once or when the epoch is over.
    pub(crate) fn release(&mut self, slot: u32, at_once: bool) {
        if at_once { self.put_back(slot) } else { self.kept_back.push(slot) }
    }

    fn put_back(&mut self, slot: u32) {
        let owner = self.owners.get((slot / LINE) as usize);
        match owner.and_then(|owner| self.free.get_mut(owner)) {
            Some(own) => own.push(slot),
            None => self.left.push(slot),
        }
    }

    pub(crate) fn next_epoch(&mut self) {
        for slot in core::mem::take(&mut self.kept_back) {
            self.put_back(slot);
        }
    }

    /// The thread has ended: others may fill its slots.
    pub(crate) fn end_thread(&mut self, thread: u32) {
        self.left.extend(self.free.remove(&thread).unwrap_or_default());
    }

    /// How many were ever given.
    pub(crate) fn len(&self) -> u64 {
        self.owners.len() as u64 * u64::from(LINE)
    }
}
