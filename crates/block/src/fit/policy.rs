//! Which free block a request gets: first, next, best or worst fit.
//!
//! ```text
//! holes in address order:      32      96      48      64      rover after the 96
//! a request of 40 gets:                first   best    next
//!                                      worst
//! ```
//!
//! A block *fits* when it is large enough with the alignment that is asked for. Among those that
//! fit, the policy's choice is exact: where a free list would be searched from end to end, a
//! [tree](super::tree) finds the same block in O(depth). Terms and comparisons: Knuth, "The Art
//! of Computer Programming" 1, 2.5; Wilson et al., "Dynamic Storage Allocation", 1995.
use super::block::{Block, Link};
use super::tree::{ByAddress, LargestFirst, Order, SmallestFirst, Tree};

/// What a policy has to say; sealed.
pub trait Choose: Sized {
    /// How the free blocks are sorted.
    type Order: Order;
    /// Whether a block that is cut shorter keeps its place from left to right.
    const KEEPS_PLACE: bool;
    /// The policy before its first choice.
    const START: Self;

    /// The block to try next for `size` bytes: the policy's first choice, or the one it comes to
    /// after `refused`.
    fn choose(
        &self,
        holes: &Tree<Self::Order>,
        size: usize,
        refused: Option<Block>,
    ) -> Option<Link>;

    /// A request was served up to this address.
    #[inline]
    fn served(&mut self, _end: usize) {}

    /// The size of a largest hole.
    fn largest(holes: &Tree<Self::Order>) -> usize;
}

/// One of [`First`], [`Next`], [`Best`] and [`Worst`].
pub trait Policy: Choose {}

/// The lowest block that fits.
#[derive(Debug, Clone, Copy)]
pub struct First(());

/// The lowest block that fits, from where the last search ended and round.
///
/// That is, behind the block handed out last; a free block that reaches past this address counts.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    rover: usize,
}

/// The smallest block that fits; the lowest among equals.
#[derive(Debug, Clone, Copy)]
pub struct Best(());

/// The largest block, if it fits; the lowest among equals. For an alignment above two words:
/// the largest that fits.
#[derive(Debug, Clone, Copy)]
pub struct Worst(());

impl Policy for First {}
impl Policy for Next {}
impl Policy for Best {}
impl Policy for Worst {}

impl Choose for First {
    type Order = ByAddress;
    const KEEPS_PLACE: bool = true;
    const START: Self = First(());

    #[inline]
    fn choose(&self, holes: &Tree<ByAddress>, size: usize, refused: Option<Block>) -> Option<Link> {
        holes.lowest(size, refused.map_or(0, Block::end))
    }

    #[inline]
    fn largest(holes: &Tree<ByAddress>) -> usize {
        holes.root().get().map_or(0, Block::hole_size)
    }
}

impl Choose for Next {
    type Order = ByAddress;
    const KEEPS_PLACE: bool = true;
    const START: Self = Next { rover: 0 };

    #[inline]
    fn choose(&self, holes: &Tree<ByAddress>, size: usize, refused: Option<Block>) -> Option<Link> {
        let before_rover = |link: &Link| link.get().is_some_and(|hole| hole.end() <= self.rover);
        match refused.map(Block::end) {
            Some(end) if end <= self.rover => holes.lowest(size, end).filter(before_rover),
            end => holes
                .lowest(size, end.unwrap_or(self.rover))
                .or_else(|| holes.lowest(size, 0).filter(before_rover)),
        }
    }

    #[inline]
    fn served(&mut self, end: usize) {
        self.rover = end;
    }

    #[inline]
    fn largest(holes: &Tree<ByAddress>) -> usize {
        First::largest(holes)
    }
}

impl Choose for Best {
    type Order = SmallestFirst;
    const KEEPS_PLACE: bool = false;
    const START: Self = Best(());

    #[inline]
    fn choose(
        &self,
        holes: &Tree<SmallestFirst>,
        size: usize,
        refused: Option<Block>,
    ) -> Option<Link> {
        match refused {
            None => holes.first(|hole| hole.hole_size() >= size),
            Some(refused) => holes.first(|hole| SmallestFirst::before(refused, hole)),
        }
    }

    #[inline]
    fn largest(holes: &Tree<SmallestFirst>) -> usize {
        let mut link = holes.root();
        let mut largest = 0;
        while let Some(at) = link.get() {
            largest = at.hole_size();
            link = at.right();
        }
        largest
    }
}

impl Choose for Worst {
    type Order = LargestFirst;
    const KEEPS_PLACE: bool = false;
    const START: Self = Worst(());

    #[inline]
    fn choose(
        &self,
        holes: &Tree<LargestFirst>,
        size: usize,
        refused: Option<Block>,
    ) -> Option<Link> {
        let link = match refused {
            None => holes.first(|_| true),
            Some(refused) => holes.first(|hole| LargestFirst::before(refused, hole)),
        };
        link.filter(|link| link.get().is_some_and(|hole| hole.hole_size() >= size))
    }

    #[inline]
    fn largest(holes: &Tree<LargestFirst>) -> usize {
        holes.first(|_| true).and_then(Link::get).map_or(0, Block::hole_size)
    }
}
