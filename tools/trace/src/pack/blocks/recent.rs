//! Which threads have allocated or freed at an address of late.

use crate::blocks::NumberMap;
use crate::pack::PATIENCE;

/// More than one thread.
const SEVERAL: usize = usize::MAX;

/// Threads by address: those of now, and those of before, which are forgotten when now is over.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    now: NumberMap<u64, usize>,
    before: NumberMap<u64, usize>,
    /// When now is over.
    end: u64,
}

impl Recent {
    pub(crate) fn note(&mut self, address: u64, thread: usize, time: u64) {
        if time >= self.end {
            core::mem::swap(&mut self.now, &mut self.before);
            self.now.clear();
            if time.saturating_sub(self.end) >= PATIENCE {
                self.before.clear();
            }
            self.end = time.saturating_add(PATIENCE);
        }
        let known = self.now.entry(address).or_insert(thread);
        if *known != thread {
            *known = SEVERAL;
        }
    }

    /// Whether another thread than this is among them.
    pub(crate) fn has_another(&self, address: u64, thread: usize) -> bool {
        let is_another =
            |all: &NumberMap<u64, usize>| all.get(&address).is_some_and(|&one| one != thread);
        is_another(&self.now) || is_another(&self.before)
    }
}
