//! The page heap's invariants, block by block and bin by bin.
use base::check::ensure;
use base::sync::Ordering;
use base::{Broken, Check};

use super::PageHeap;
use crate::System;
use crate::bins::{BINS, Bins, EMPTY_DIRTY, NIL};

impl<S: System> Check for PageHeap<S> {
    fn check(&self) -> Result<(), Broken> {
        let state = self.state.lock();
        if self.region.granules() == 0 {
            return Ok(());
        }
        let (mut taken, mut dirty, mut queued) = (0, 0, 0);
        for block in self.region.first_block()..self.frontier() {
            let info = self.region.block(block);
            let owned = info.owned();
            let at = self.region.address_of_block(block);
            ensure(info.free() & !owned == 0, "heap-H3: only what is ours is free", at)?;
            let taken_here = owned & !info.free();
            ensure(taken_here & !info.dirty() == 0, "block-B1: a taken granule is dirty", at)?;
            let bin = usize::from(info.bin.load(Ordering::Relaxed)).checked_sub(1);
            ensure(
                bin == Bins::proper(info),
                "block-B2: a block is in the bin of its longest run",
                at,
            )?;
            let is_queued = info.queued.load(Ordering::Relaxed) != 0;
            ensure(
                is_queued || self.dirty_free(info) == 0,
                "dirty-blocks-B3: a dirty block is queued",
                at,
            )?;
            queued += usize::from(is_queued);
            taken += taken_here.count_ones() as usize;
            dirty += self.dirty_free(info).count_ones() as usize;
        }
        ensure(self.is_sunk(), "window-Z2: a bare window ends with a block that is ours", taken)?;
        ensure(taken == self.live.load(Ordering::Relaxed), "heap-H1: live granules add up", taken)?;
        ensure(
            dirty == self.dirty.load(Ordering::Relaxed),
            "heap-H1: dirty granules add up",
            dirty,
        )?;
        self.check_moved(&state.growth)?;
        self.check_given_up(&state.growth)?;
        self.check_seams(&state)?;
        state.dirty.check(&self.region, self.region.blocks() as usize, queued)?;
        for bin in 0..BINS {
            let mut block = state.bins.first(bin);
            let mut before = NIL;
            while block != NIL {
                let info = self.region.block(block);
                let at = self.region.address_of_block(block);
                let here = usize::from(info.bin.load(Ordering::Relaxed)) == bin + 1;
                ensure(here, "block-B2: a listed block knows its bin", at)?;
                let back = info.prev.load(Ordering::Relaxed) == before;
                ensure(back, "block-B2: bin links go both ways", at)?;
                before = block;
                block = info.next.load(Ordering::Relaxed);
            }
            ensure(
                state.bins.last(bin) == before,
                "block-B2: a bin's tail is its last block",
                bin,
            )?;
            let has_bit = state.bins.occupied() >> bin & 1 != 0;
            ensure(has_bit == (before != NIL), "block-B2: a bin with a block has its bit", bin)?;
        }
        let oldest = state.bins.last(EMPTY_DIRTY);
        ensure(oldest == NIL || dirty >= 1, "heap-H1: an empty dirty block is counted", dirty)
    }
}
