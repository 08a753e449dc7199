//! Who asked for the usable size of a block in this epoch: it must not be freed before by another thread.

use std::collections::HashMap;

/// By slot, the last thread that asked.
#[derive(Debug, Default)]
pub(crate) struct Asked(HashMap<u32, u32>);

impl Asked {
    pub(crate) fn by(&mut self, slot: u32, thread: u32) {
        self.0.insert(slot, thread);
    }

    /// Whether a thread other than `thread` did.
    pub(crate) fn by_another(&self, slot: u32, thread: u32) -> bool {
        self.0.get(&slot).is_some_and(|asker| *asker != thread)
    }

    pub(crate) fn next_epoch(&mut self) {
        self.0.clear();
    }
}
