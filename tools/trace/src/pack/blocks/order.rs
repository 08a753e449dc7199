//! What is done with an address is done in an order that can have been.
//!
//! A free is stamped before the call and an allocation after it, so who gets an address that another thread has freed is
//! stamped later, but for some tens of nanoseconds: processors read their counter before the loads in front of it are done, and
//! times are coarse. An event that cannot be yet, as its address is still live or not live yet, waits until it can be, while its
//! thread goes on, and so do the thread's later events of that address.
//!
//! ```text
//! thread 1   malloc A ───────────────── free A          stamped 12
//! thread 2                malloc A                      stamped 11: waits for the free
//!
//! thread 1   malloc A ───────────────── free A, malloc A                 stamped 12, 13: the free finds no block
//! thread 2                                               free A          stamped 11: it has taken the block before
//! ```
//!
//! In the second case thread 1's `malloc` must not wait for its own `free`: it may pass it where another thread has done something
//! with that address a moment ago. Then the two frees have changed places, which is no more than they differ by.

use super::pending::{Deed, New, Waiting};
use super::{Blocks, Realloc};
use crate::about::StrangeKind;
use crate::addresses::Found;
use crate::error::TraceError;
use crate::step::Op;

impl Blocks {
    /// Something is done with an address: now, or when it can be.
    pub(super) fn come(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
        deed: Deed,
    ) -> Result<(), TraceError> {
        let can_be = self.is_live(address) == deed.needs_live();
        if self.pending.is_empty() && can_be {
            return self.done(thread, time, address, deed);
        }
        let is_next = !self.pending.has(address, thread);
        if can_be && (is_next || self.recent.has_another(address, thread)) {
            self.done(thread, time, address, deed)?;
            return self.settle(address);
        }
        let doing = &mut self.threads[thread];
        doing.waiting += 1;
        let deed = match deed {
            Deed::Move => {
                doing.reallocates = Realloc::Waits(address);
                Deed::Free(None)
            }
            other => other,
        };
        self.pending.add(thread, time, address, deed);
        // Of one thread alone the events are in order as they are written.
        if self.threads.len() == 1 { self.judge_late(u64::MAX) } else { Ok(()) }
    }

    pub(super) fn is_live(&self, address: u64) -> bool {
        matches!(self.live.get(address), Found::Live(..))
    }

    /// What waits for this address is done, as far as it can be now.
    fn settle(&mut self, address: u64) -> Result<(), TraceError> {
        while let Some(waiting) = self.pending.take_ready(address, self.is_live(address)) {
            self.done(waiting.thread, waiting.time, address, waiting.deed)?;
            self.has_waited(&waiting)?;
        }
        Ok(())
    }

    pub(super) fn has_waited(&mut self, waiting: &Waiting) -> Result<(), TraceError> {
        let doing = &mut self.threads[waiting.thread];
        doing.waiting -= 1;
        match doing.ended.take_if(|_| doing.waiting == 0) {
            Some(time) => self.ended(waiting.thread, time),
            None => Ok(()),
        }
    }

    /// What has waited too long cannot have been as it was recorded.
    pub(super) fn judge_late(&mut self, now: u64) -> Result<(), TraceError> {
        while let Some((address, waiting)) = self.pending.take_late(now) {
            let Waiting { thread, time, deed, .. } = waiting;
            let found = self.live.get(address);
            match (found, deed.needs_live()) {
                (Found::Live(block, size), false) => {
                    // Of what was there at a fork, the parent's other threads may have freed some meanwhile.
                    if block >= self.inherited {
                        self.strange(StrangeKind::UnseenFree, thread, time, address)?;
                    }
                    self.live.remove(address);
                    self.step(thread, time, Op::Free { block, touched: None }, size)?;
                    self.done(thread, time, address, deed)?;
                }
                (Found::Live(..), true) | (_, false) => {
                    self.done(thread, time, address, deed)?;
                }
                (Found::Dead, true) => {
                    self.strange(StrangeKind::DoubleFree, thread, time, address)?
                }
                (Found::Unknown, true) => {
                    self.strange(StrangeKind::UnknownFree, thread, time, address)?;
                }
            }
            self.has_waited(&waiting)?;
            self.settle(address)?;
        }
        Ok(())
    }

    /// Something was done with an address, which is live or not, as it must be for that.
    pub(super) fn done(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
        deed: Deed,
    ) -> Result<(), TraceError> {
        if self.threads.len() > 1 {
            self.recent.note(address, thread, time);
        }
        let (op, gone) = match deed {
            Deed::Allocate(New { how, size, align, frame, old }) => {
                let (block, _) = self.packer.next();
                self.live.insert(address, block, size);
                match old {
                    Some((old, gone)) => {
                        (Op::Reallocate { old, block, size, address, frame }, gone)
                    }
                    None => (Op::Allocate { block, how, size, align, address, frame }, 0),
                }
            }
            Deed::Free(touched) => {
                let Found::Live(block, size) = self.live.remove(address) else { return Ok(()) };
                (Op::Free { block, touched }, size)
            }
            Deed::Move => {
                let Found::Live(block, size) = self.live.remove(address) else { return Ok(()) };
                self.threads[thread].reallocates = Realloc::Of(address, block, size);
                return Ok(());
            }
        };
        self.step(thread, time, op, gone)
    }
}
