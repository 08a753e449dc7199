//! Blocks where addresses are limited: claimed one by one, given up when they are empty.
//!
//! ```text
//! window  [ ours │ another's │ ours │ given up │ ours, 5 of 128 granules ┊        ]
//!                                      ▲ claimed again      frontier ─────┘
//! ```
//!
//! - **window-Z1** a block is ours in part only from its start on, and grows only while it is the last
//!   before the frontier.
//! - **window-Z2** the frontier sinks to the last block that is ours, but where a limit was lifted: limits that come and go use the
//!   same addresses, and the same maps, again.
//!
//! A limit may be there from the start (`ulimit -v`) or be set by the running program; either way
//! what the heap holds counts against it, and empty blocks make room for others' mappings. When it
//! is lifted, what lies behind the frontier is reserved again, and blocks are committed there.
//!
//! Layer *page*. One system call a block; a search of the blocks where one was given up.
use base::bits::{low8, low32, ones};
use base::sync::Ordering;
use source::{Claim, Mapped};

use crate::System;
use crate::block::Advice;
use crate::geometry::{BLOCK, GRANULE, GRANULES_PER_BLOCK};
use crate::heap::{Growth, PageHeap, State};
use crate::region::Hold;

/// How often addresses that are taken are passed over, by twice as many each time: a program's
/// own reservation of a terabyte is passed in 20.
const SKIPS: u32 = 24;
/// How many rows of blocks that were given up are tried: others may have them now.
const TRIES: u32 = 64;
/// Granules that are asked for when there is no room for a block: 256 KiB, 64 KiB, 16 KiB. No
/// more, for the program needs addresses too.
const PARTS: [usize; 3] = [16, 4, 1];

impl<S: System> PageHeap<S> {
    /// The limit on the process's addresses has changed: to what is asked of the system.
    /// In a signal handler that interrupted malloc nothing is done until the heap next grows.
    pub fn limit_changed(&self) {
        if S::is_busy() {
            self.limit_unseen.store(true, Ordering::Relaxed);
        } else {
            self.look_at_addresses(&mut self.state.lock());
        }
    }

    /// The heap grows: what a signal handler has changed is looked at.
    pub(crate) fn see_limit(&self, state: &mut State) {
        if self.limit_unseen.load(Ordering::Relaxed) {
            self.limit_unseen.store(false, Ordering::Relaxed);
            self.look_at_addresses(state);
        }
    }

    /// Where addresses have become limited, those that were only reserved and empty blocks are
    /// given up; where they are not any more, what nobody has taken is reserved again. The limit.
    fn look_at_addresses(&self, state: &mut State) -> Option<usize> {
        let region = &self.region;
        if region.granules() == 0 {
            return None;
        }
        let (limit, frontier) = (self.source.address_limit(), self.frontier());
        match (limit, region.is_bare()) {
            (Some(limit), false) if !region.is_small_under(limit) => {
                let hold = region.hold();
                region.limit(&self.source, limit, frontier);
                if region.is_bare() {
                    if hold == Hold::Reserved {
                        self.release_given_up(&mut state.growth);
                    }
                    self.release_blocks(state);
                    // What was given up before the limit came lies behind the frontier now (window-Z2).
                    self.sink(&mut state.growth);
                }
            }
            (None, true) => region.lift(&self.source, frontier),
            _ => (),
        }
        limit
    }

    /// Whether there may be room for `len` bytes, which the system has refused to map, when what the heap does not use has gone
    /// back. Where addresses are limited, what its blocks could not make up is asked for: who is refused again and again, with
    /// small requests between, would give blocks up and claim them each time.
    pub fn may_make_room(&self, len: usize) -> bool {
        if !self.region.is_bare() {
            return len / BLOCK <= self.region.longest_run();
        }
        let ours = self.committed_bytes();
        len <= ours || self.source.has_addresses(len - ours)
    }

    /// As [`claim`](Self::claim), with addresses for descriptors. That others have lifted the limit is seen here.
    pub(crate) fn grow_window(&self, state: &mut State, blocks: u32) -> Option<()> {
        self.claim(state, blocks)?;
        if self.region.is_bare()
            && let Some(limit) = self.look_at_addresses(state)
        {
            self.region.claim_descriptors(&self.source, self.frontier(), limit);
        }
        Some(())
    }

    /// `blocks` addresses in a row that nobody has, behind the frontier; for a single block, among
    /// those that were given up, or fewer granules than a block has. `None`: no more to be had.
    pub(crate) fn claim(&self, state: &mut State, blocks: u32) -> Option<()> {
        if blocks > 1 {
            return self.claim_row(state, blocks).then_some(());
        }
        (self.claim_rest(state)
            || self.claim_holes(state, 1)
            || self.claim_row(state, 1)
            || self.claim_part(state))
        .then_some(())
    }

    /// More of the last block, if it is ours in part (window-Z1).
    fn claim_rest(&self, state: &mut State) -> bool {
        let Some(last) = self.frontier().checked_sub(1) else { return false };
        if last < self.region.first_block() {
            return false;
        }
        let owned = usize::from(self.region.block(last).owned.load(Ordering::Relaxed));
        if owned == 0 || owned == GRANULES_PER_BLOCK {
            return false;
        }
        let rest = GRANULES_PER_BLOCK - owned;
        PARTS.into_iter().any(|count| count <= rest && self.claim_granules(state, last, count))
    }

    /// Blocks in a row among those that were given up.
    pub(crate) fn claim_holes(&self, state: &mut State, blocks: u32) -> bool {
        if blocks > state.growth.longest_hole {
            return false;
        }
        let lowest = self.region.first_block().max(state.growth.first_hole);
        let (mut first, mut tries, mut skip, mut is_first) = (lowest, 0, 0, true);
        for block in lowest..self.frontier() {
            if self.region.block(block).owned.load(Ordering::Relaxed) != 0 {
                (first, skip) = (block + 1, 0);
                continue;
            }
            if core::mem::take(&mut is_first) {
                state.growth.first_hole = block;
            }
            if first + blocks == block + 1 {
                match self.claim_at(state, first, blocks) {
                    Claim::Ours => return true,
                    Claim::Taken if tries < TRIES => first += 1 << skip,
                    Claim::Taken => break,
                    Claim::Refused => return false,
                }
                (tries, skip) = (tries + 1, skip + 1);
            }
        }
        state.growth.longest_hole = blocks - 1;
        false
    }

    fn claim_row(&self, state: &mut State, blocks: u32) -> bool {
        let Some(last) = self.region.blocks().checked_sub(blocks) else { return false };
        let mut first = self.frontier();
        for skip in 0..SKIPS {
            if first > last {
                return false;
            }
            match self.claim_at(state, first, blocks) {
                Claim::Ours => {
                    state.growth.note_hole(self.frontier());
                    self.frontier.store(first + blocks, Ordering::Relaxed);
                    return true;
                }
                Claim::Taken => first += 1 << skip,
                Claim::Refused => return false,
            }
        }
        false
    }

    pub(crate) fn claim_at(&self, state: &mut State, first: u32, blocks: u32) -> Claim {
        if !self.region.cover(&self.source, (first + blocks) as usize * GRANULES_PER_BLOCK) {
            return Claim::Refused;
        }
        let at = self.region.address_of_block(first);
        let frontier = self.frontier();
        let claim = self.region.take(&self.source, at, blocks as usize * BLOCK, frontier);
        if claim == Claim::Ours {
            self.note_taken_back(&mut state.growth, first, blocks);
            self.adopt(state, first, blocks);
        }
        claim
    }

    /// As much as there is of a block at the frontier (window-Z1).
    fn claim_part(&self, state: &mut State) -> bool {
        if !self.region.is_bare() {
            return false;
        }
        let block = self.frontier();
        let end = (block as usize + 1) * GRANULES_PER_BLOCK;
        if block >= self.region.blocks() || !self.region.cover(&self.source, end) {
            return false;
        }
        let claimed = PARTS.into_iter().any(|count| self.claim_granules(state, block, count));
        if claimed {
            self.frontier.store(block + 1, Ordering::Relaxed);
        }
        claimed
    }

    /// `count` more granules of a block, behind those that are ours.
    fn claim_granules(&self, state: &mut State, block: u32, count: usize) -> bool {
        let info = self.region.block(block);
        let owned = info.owned.load(Ordering::Relaxed);
        let at = self.region.address_of_block(block) + usize::from(owned) * GRANULE;
        if !(count * GRANULE).is_multiple_of(self.source.page_size())
            || self.source.claim(at, count * GRANULE) != Claim::Ours
        {
            return false;
        }
        let fresh = ones(u32::from(owned), base::bits::low32(count));
        info.set_dirty(info.dirty() & !fresh);
        info.set_free(info.free() | fresh);
        info.owned.store(owned + low8(count), Ordering::Relaxed);
        state.bins.update(&self.region, block);
        true
    }

    /// Gives empty blocks up, where addresses or promises of memory are short. That addresses have become so past us is seen now,
    /// and what was only reserved goes too. Returns whether there were any.
    pub fn release_empty(&self) -> bool {
        let mut state = self.state.lock();
        if !self.region.is_bare() {
            self.look_at_addresses(&mut state);
            if self.region.is_bare() {
                return true;
            }
        }
        self.region.granules() != 0 && self.gives_up() && self.release_blocks(&mut state)
    }

    pub(crate) fn release_blocks(&self, state: &mut State) -> bool {
        let mut released = 0;
        for block in self.region.first_block()..self.frontier() {
            released +=
                u32::from(self.region.block(block).is_empty() && self.release_block(state, block));
        }
        released > 0
    }

    /// Gives up an empty block: its addresses in a window, its memory's promise where the region is reserved. `false`: refused.
    pub(crate) fn release_block(&self, state: &mut State, block: u32) -> bool {
        let info = self.region.block(block);
        let len = usize::from(info.owned.load(Ordering::Relaxed)) * GRANULE;
        let at = self.region.address_of_block(block);
        match self.region.hold() {
            // SAFETY: a block without a live granule.
            Hold::Window if unsafe { self.source.release(at, len) } => {}
            Hold::Window => return false,
            Hold::Reserved => match self.decommit_block(&mut state.growth, block) {
                Mapped::Done => {}
                Mapped::Lost => {
                    // Its addresses stay taken for ever.
                    self.take_mask(state, block, u128::MAX, low32(GRANULES_PER_BLOCK));
                    return true;
                }
                Mapped::Refused | Mapped::Closed => return false,
            },
        }
        let dirty = self.dirty_free(info).count_ones();
        self.lower_dirty(state, dirty);
        // A program that needs it again soon is left more (purge-G1).
        self.purge.note_given_back(dirty);
        info.owned.store(0, Ordering::Relaxed);
        info.set_free(0);
        info.set_dirty(0);
        // Its mapping is gone, and with it what was moved there (moved-P2).
        state.growth.moved -= u32::from(info.moved.swap(0, Ordering::Relaxed));
        self.note_advice(state, block, Advice::None);
        state.growth.longest_hole = u32::MAX;
        state.growth.note_hole(block);
        self.sink(&mut state.growth);
        true
    }

    /// Blocks before the frontier that are not ours are behind it from now on (window-Z2).
    fn sink(&self, growth: &mut Growth) {
        let before = self.frontier();
        while !self.is_sunk() {
            self.frontier.store(self.frontier() - 1, Ordering::Relaxed);
        }
        self.note_sunk(growth, before - self.frontier());
    }

    /// Whether window-Z2 holds.
    pub(crate) fn is_sunk(&self) -> bool {
        let frontier = self.frontier();
        // What a lifted limit let us reserve begins behind the frontier.
        let is_lifted = self.region.hold() == Hold::Window && !self.region.is_bare();
        is_lifted
            || frontier == self.region.first_block()
            || self.region.block(frontier - 1).owned.load(Ordering::Relaxed) != 0
    }
}

#[cfg(test)]
mod tests;
