//! Walking and checking, without recursion and in memory of fixed size.

use core::ops::ControlFlow;

use base::Piece;
use base::check::{Broken, ensure};

use super::bins::Table;
use super::block::{Block, END, FLAGS, PREV_FREE, USED};
use super::control::Control;
use super::map::BITS;
use super::placement::Placement;
use super::pool::Pool;
use super::tier::Tier;

#[derive(Default)]
struct Sum {
    free: usize,
    used_bytes: usize,
    bytes: usize,
}

impl<C: Control, T: Tier> Table<C, T> {
    /// Shows every block to `visit`, pool by pool, upward in each.
    pub(super) fn walk(self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        for pool in self.pools() {
            let mut block = pool.first(C::GRAIN);
            let sentinel = pool.sentinel(C::GRAIN);
            while block != sentinel {
                // SAFETY: by pool-T6 blocks follow each other up to the sentinel.
                let header = unsafe { block.header::<T>() };
                let (at, len) = (block.address(), Self::size_of(header));
                if visit(Piece { at, len, used: header & USED != 0 }).is_break() {
                    return;
                }
                block = block.above(len);
            }
        }
    }

    /// The three phases: every pool's blocks, every bin's list, the bitmap.
    pub(super) fn check(self) -> Result<(), Broken> {
        let mut sum = Sum::default();
        for pool in self.pools() {
            self.check_pool(pool, &mut sum)?;
        }
        // SAFETY: the control block is ours.
        let head = unsafe { &*self.head() };
        ensure(head.used == sum.used_bytes, "used bytes are those of the used blocks", head.used)?;
        ensure(head.total == sum.bytes, "total bytes are those of all blocks", head.total)?;
        let mut listed = 0;
        for word in 0..C::WORDS {
            let bits = self.bits(word);
            ensure(self.bits(C::WORDS + word) == 0, "zero words follow the bitmap", word)?;
            for bit in 0..BITS {
                let bin = word * BITS + bit;
                let set = bits >> bit & 1 == 1;
                // A bin beyond the end of a control block cut short has no list to look at.
                if set {
                    listed += self.check_bin(bin, sum.free)?;
                }
            }
        }
        ensure(listed == sum.free, "bins-T3: every free block is in the bin of its size", listed)
    }

    /// Phase one: the pool's blocks tile it, flags and sizes agree, no two free ones touch.
    fn check_pool(self, pool: Pool, sum: &mut Sum) -> Result<(), Broken> {
        let (mut block, sentinel) = (pool.first(C::GRAIN), pool.sentinel(C::GRAIN));
        let mut below = None;
        loop {
            let at = block.address();
            ensure(at <= sentinel.address(), "pool-T6: blocks end at the sentinel", at)?;
            // SAFETY: it lies between the first block and the sentinel.
            let header = unsafe { block.header::<T>() };
            let (size, free) = (Self::size_of(header), header & USED == 0);
            let says = header & PREV_FREE != 0;
            ensure(says == below.is_some(), "block-T1: PREV_FREE tells of the block below", at)?;
            if let Some(below) = below {
                // SAFETY: the block below is free.
                let noted = unsafe { self.size_below(block) };
                ensure(noted == below, "block-T2: a free block's last word is its size", at)?;
            }
            if block == sentinel {
                return ensure(size == 0 && !free, "pool-T6: the sentinel is used, of size 0", at);
            }
            ensure(!(free && says), "block-T2: no two free blocks are neighbours", at)?;
            let legal =
                size >= Self::SMALLEST && size.is_multiple_of(C::GRAIN) && size <= C::LARGEST;
            ensure(legal, "block-T1: a size is a multiple of the grain, and a block's", at)?;
            ensure(size <= sentinel.address() - at, "pool-T6: blocks end at the sentinel", at)?;
            sum.bytes += size;
            if free {
                sum.free += 1;
            } else {
                sum.used_bytes += size;
            }
            below = free.then_some(size);
            block = block.above(size);
        }
    }

    /// Phase two: the list's links agree and its blocks are free and of the bin's sizes. How many
    /// they are; more than `most` is a circle.
    fn check_bin(self, bin: usize, most: usize) -> Result<usize, Broken> {
        let mut prev = None;
        let mut block = self.first(bin);
        let mut listed = 0;
        ensure(!block.is_none(), "bins-T4: a bin's bit says whether it has a block", bin)?;
        while !block.is_none() {
            let at = block.address();
            listed += 1;
            ensure(listed <= most, "bins-T3: a bin's list holds each block once", at)?;
            ensure(
                self.pools().any(|pool| pool.contains(at)),
                "bins-T3: a listed block is a pool's",
                at,
            )?;
            // SAFETY: it lies in a pool.
            let header = unsafe { block.header::<T>() };
            ensure(header & FLAGS == 0, "bins-T3: a listed block is free", at)?;
            let (next_at, prev_at) = if Self::is_crumb(header) { (0, 1) } else { (1, 2) };
            let head = if Self::is_crumb(header) { Block::bin(END) } else { Block::bin(bin) };
            ensure(
                Self::bin(Self::size_of(header)) == bin,
                "bins-T3: a listed block has its bin's size",
                at,
            )?;
            // SAFETY: it is free and listed.
            let noted = unsafe { block.link(prev_at) };
            ensure(
                noted == prev.unwrap_or(head),
                "bins-T5: a block knows the one before, or its bin",
                at,
            )?;
            prev = Some(block);
            // SAFETY: as above.
            block = unsafe { block.link(next_at) };
            if block == Block::bin(END) {
                break;
            }
        }
        Ok(listed)
    }

    /// A payload size that can surely be had: that of the first block of the highest bin.
    pub(super) fn largest_free<P: Placement>(self) -> usize {
        let mut word = C::WORDS;
        while word > 0 {
            word -= 1;
            let bits = self.bits(word);
            if bits != 0 {
                let bin = word * BITS + bits.ilog2() as usize;
                // SAFETY: by bins-T4 the bin is not empty.
                let header = unsafe { self.first(bin).header::<T>() };
                return P::payload_of(Self::size_of(header));
            }
        }
        0
    }
}
