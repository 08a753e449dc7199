//! Events that cannot be yet, until what they wait for has come.
//!
//! ```text
//! address ─► [ thread 1 frees it │ thread 1 is given it │ … ]     in the order in which they came
//! order   ─► time, address, number; time, address, number; …      who has waited longest
//! ```

use std::collections::VecDeque;

use crate::blocks::NumberMap;
use crate::pack::PATIENCE;
use crate::step::{Block, Frame, How};

/// The most events that wait: a damaged file may have as many of one time as it is long.
const MOST: usize = 1 << 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct New {
    pub(crate) how: How,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) frame: Frame,
    /// The block that a `realloc` made it of, and its size.
    pub(crate) old: Option<(Block, u64)>,
}

/// What is done with an address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Deed {
    /// Its block is freed, of which so many pages were touched, if that is known.
    Free(Option<u32>),
    /// A `realloc` of its block begins.
    Move,
    /// A block is there from now on.
    Allocate(New),
}

impl Deed {
    /// Whether it is done with a live block's address. If not it is done with one that is free.
    pub(crate) fn needs_live(&self) -> bool {
        !matches!(self, Self::Allocate(_))
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) thread: usize,
    pub(crate) time: u64,
    pub(crate) deed: Deed,
    number: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Pending {
    by_address: NumberMap<u64, VecDeque<Waiting>>,
    /// Times, addresses and numbers, of events that may have gone since.
    order: VecDeque<(u64, u64, u64)>,
    next: u64,
}

impl Pending {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Whether an event of this thread waits for what this address comes to be.
    pub(crate) fn has(&self, address: u64, thread: usize) -> bool {
        let queue = self.by_address.get(&address);
        queue.is_some_and(|queue| queue.iter().any(|waiting| waiting.thread == thread))
    }

    pub(crate) fn add(&mut self, thread: usize, time: u64, address: u64, deed: Deed) {
        let number = self.next;
        self.next += 1;
        let queue = self.by_address.entry(address).or_default();
        queue.push_back(Waiting { thread, time, deed, number });
        self.order.push_back((time, address, number));
    }

    /// The first event that can be, as the address is live or not, and whose thread has none before it here.
    pub(crate) fn take_ready(&mut self, address: u64, is_live: bool) -> Option<Waiting> {
        let queue = self.by_address.get(&address)?;
        let at = (0..queue.len()).find(|&at| {
            let is_first = !queue.range(..at).any(|earlier| earlier.thread == queue[at].thread);
            is_first && queue[at].deed.needs_live() == is_live
        })?;
        self.take(address, at)
    }

    /// The thread's last event of this address, which has not been after all.
    pub(crate) fn withdraw(&mut self, address: u64, thread: usize) -> Option<Waiting> {
        let queue = self.by_address.get(&address)?;
        let at = queue.iter().rposition(|waiting| waiting.thread == thread)?;
        self.take(address, at)
    }

    /// An event that has waited too long at this time; at `u64::MAX`, any.
    pub(crate) fn take_late(&mut self, now: u64) -> Option<(u64, Waiting)> {
        while let Some(&(time, address, number)) = self.order.front() {
            let is_late = now == u64::MAX || now.saturating_sub(time) > PATIENCE;
            if !is_late && self.order.len() <= MOST {
                return None;
            }
            self.order.pop_front();
            let queue = self.by_address.get(&address);
            let at = queue.and_then(|all| all.iter().position(|waiting| waiting.number == number));
            if let Some(waiting) = at.and_then(|at| self.take(address, at)) {
                return Some((address, waiting));
            }
        }
        None
    }

    fn take(&mut self, address: u64, at: usize) -> Option<Waiting> {
        let queue = self.by_address.get_mut(&address)?;
        let waiting = queue.remove(at);
        if queue.is_empty() {
            self.by_address.remove(&address);
        }
        waiting
    }
}
