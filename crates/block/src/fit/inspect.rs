//! Walking, checking and counting.
use core::ops::ControlFlow;

use base::check::ensure;
use base::{BlockStats, Broken, Check, Piece, Stats, Walk};

use super::block::{Block, Link, MIN, UNIT, WORD};
use super::pool::Pool;
use super::tree::Order;
use super::{Fit, Policy};

impl<P: Policy> Walk for Fit<P> {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        for block in self.pools.iter().flat_map(Pool::blocks) {
            let piece = Piece { at: block.address(), len: block.size(), used: block.is_used() };
            if visit(piece).is_break() {
                return;
            }
        }
    }
}

impl<P: Policy> Stats for Fit<P> {
    /// O(1) for first and next fit, O(depth) for best and worst fit, which keep no largest hole
    /// at hand.
    fn stats(&self) -> BlockStats {
        BlockStats {
            total: self.total,
            used: self.used,
            peak: self.peak,
            largest_free: P::largest(&self.holes).saturating_sub(WORD),
            failures: self.failures,
        }
    }
}

#[derive(Default)]
struct Sums {
    total: usize,
    used: usize,
    holes: usize,
}

impl<P: Policy> Check for Fit<P> {
    /// First the blocks of each pool, then the tree. O(blocks + holes × depth), no recursion.
    fn check(&self) -> Result<(), Broken> {
        let mut sums = Sums::default();
        let mut last_end = 0;
        for pool in self.pools.iter() {
            let (start, len) = pool.added();
            ensure(start.addr() >= last_end, G1, start.addr())?;
            last_end = start.addr() + len;
            check_pool(pool, &mut sums)?;
        }
        ensure(sums.total == self.total, F2, self.total)?;
        ensure(sums.used == self.used, F2, self.used)?;
        self.check_tree(sums.holes)
    }
}

const F1: &str = "fit-F1: every free block is in the tree, and nothing else is";
const F2: &str = "fit-F2: total is the sum of all blocks' sizes, used that of the used ones";
const H1: &str = "block-H1: blocks begin a word past a pair of words; sizes are pairs";
const H2: &str = "block-H2: a free block's neighbours are used, and its flags are 0";
const H3: &str = "block-H3: flags say whether the block before is free; a free one has a footer";
const H4: &str = "block-H4: each pool ends in a sentinel";
const T1: &str = "tree-T1: left of a block is what stands before it, right what stands after";
const T2: &str = "tree-T2: below a block is nothing that stands above it";
const G1: &str = "pool-G1: pools are in address order and do not overlap";

fn check_pool(pool: Pool, sums: &mut Sums) -> Result<(), Broken> {
    let end = pool.first().address() + pool.blocks_len();
    let mut previous_free = false;
    let mut block = pool.first();
    while block.size() != 0 {
        let (at, size) = (block.address(), block.size());
        ensure(at % UNIT == WORD && size >= MIN && size.is_multiple_of(UNIT), H1, at)?;
        ensure(size <= end - at, H4, at)?;
        ensure(block.is_previous_free() == previous_free, H3, at)?;
        sums.total += size;
        previous_free = !block.is_used();
        if previous_free {
            ensure(block.is_free(), H2, at)?;
            ensure(block.footer() == size, H3, at)?;
            sums.holes += 1;
        } else {
            sums.used += size;
        }
        block = block.next();
    }
    ensure(block.address() == end && block.is_used(), H4, block.address())?;
    ensure(block.is_previous_free() == previous_free, H3, block.address())
}

impl<P: Policy> Fit<P> {
    /// Goes through the tree from left to right, each time down from the top.
    fn check_tree(&self, holes: usize) -> Result<(), Broken> {
        let mut last: Option<Block> = None;
        for _ in 0..holes {
            let at = self.after(last, holes)?;
            let Some(at) = at else { return ensure(false, F1, last.map_or(0, Block::address)) };
            last = Some(at);
        }
        let extra = self.after(last, holes)?;
        ensure(extra.is_none(), F1, extra.map_or(0, Block::address))
    }

    /// The leftmost block to the right of `last`; checks the order on the way down.
    fn after(&self, last: Option<Block>, holes: usize) -> Result<Option<Block>, Broken> {
        let mut link: Link = self.holes.root();
        let mut found: Option<Block> = None;
        let mut above: Option<Block> = None;
        let mut depth = 0;
        while let Some(at) = link.get() {
            depth += 1;
            ensure(depth <= holes && self.is_hole(at), F1, at.address())?;
            ensure(above.is_none_or(|above| P::Order::above(above, at)), T2, at.address())?;
            above = Some(at);
            if last.is_none_or(|last| P::Order::before(last, at)) {
                ensure(found.is_none_or(|found| P::Order::before(at, found)), T1, at.address())?;
                found = Some(at);
                link = at.left();
            } else {
                link = at.right();
            }
        }
        Ok(found)
    }

    /// Whether a free block stands there, so far as can be told without a walk.
    fn is_hole(&self, block: Block) -> bool {
        let at = core::ptr::without_provenance(block.address());
        block.address() % UNIT == WORD && self.pools.own(at) && block.is_free()
    }
}
