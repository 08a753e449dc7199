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
//! tree finds the same block in O(depth). Terms and comparisons: Knuth, "The Art
//! of Computer Programming" 1, 2.5; Wilson et al., "Dynamic Storage Allocation", 1995.
//!
//! Alignments above two words are not in the tree. Of the blocks that are large enough, but for the gap in front,
//! the first [`LOOKS`] are looked at one by one; if none fits, the first that fits wherever it lies is taken; and only where
//! there is no such block, all are looked at. To look at all of them first took thirty times TLSF's time.
use super::block::{Block, Link, MIN, UNIT};
use super::tree::{ByAddress, Order, SmallestFirst, Tree};

/// What a policy has to say; sealed.
pub trait Choose: Sized {
    type Order: Order;
    /// The policy before its first choice.
    const START: Self;

    /// The block for `size` bytes. O(depth).
    fn choose(&self, holes: &Tree<Self::Order>, size: usize) -> Option<Link>;

    /// The block for `size` bytes with a payload at a multiple of `align`, more than [`UNIT`]. O(depth); where none is large
    /// enough wherever it lies, that for each block.
    fn choose_aligned(&self, holes: &Tree<Self::Order>, size: usize, align: usize) -> Option<Link>;

    /// A request was served up to this address.
    #[inline]
    fn served(&mut self, _end: usize) {}

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

/// The largest block that fits; the lowest among equals.
#[derive(Debug, Clone, Copy)]
pub struct Worst(());

impl Policy for First {}
impl Policy for Next {}
impl Policy for Best {}
impl Policy for Worst {}

/// Blocks that are looked at one by one for an alignment.
pub(super) const LOOKS: usize = 8;

/// Bytes of a block that has room for `size` at any multiple of `align`, wherever it lies.
pub(super) const fn always_fits(size: usize, align: usize) -> usize {
    size.saturating_add(align + MIN - UNIT)
}

/// The first of the next few blocks that fits, else the first behind them that always does. `next` is the first block of at least
/// so many bytes behind another one, or of all.
fn soon(
    next: impl Fn(usize, Option<Block>) -> Option<Link>,
    size: usize,
    align: usize,
) -> Option<Link> {
    let mut behind = None;
    for _ in 0..LOOKS {
        let link = next(size, behind)?;
        let hole = link.get()?;
        if hole.fits(size, align) {
            return Some(link);
        }
        behind = Some(hole);
    }
    next(always_fits(size, align), behind)
}

/// The lowest block above `from` that [`soon`] finds.
fn soon_above(holes: &Tree<ByAddress>, from: usize, size: usize, align: usize) -> Option<Link> {
    let next =
        |size, behind: Option<Block>| holes.lowest_above(size, behind.map_or(from, Block::end));
    soon(next, size, align)
}

/// The first block above `from` that fits.
fn first_aligned(
    holes: &Tree<ByAddress>,
    mut from: usize,
    size: usize,
    align: usize,
) -> Option<Link> {
    loop {
        let link = holes.lowest_above(size, from)?;
        let hole = link.get()?;
        if hole.fits(size, align) {
            return Some(link);
        }
        from = hole.end();
    }
}

impl Choose for First {
    type Order = ByAddress;
    const START: Self = First(());

    #[inline]
    fn choose(&self, holes: &Tree<ByAddress>, size: usize) -> Option<Link> {
        holes.lowest(size)
    }

    fn choose_aligned(&self, holes: &Tree<ByAddress>, size: usize, align: usize) -> Option<Link> {
        soon_above(holes, 0, size, align).or_else(|| first_aligned(holes, 0, size, align))
    }

    #[inline]
    fn largest(holes: &Tree<ByAddress>) -> usize {
        holes.largest()
    }
}

impl Choose for Next {
    type Order = ByAddress;
    const START: Self = Next { rover: 0 };

    #[inline]
    fn choose(&self, holes: &Tree<ByAddress>, size: usize) -> Option<Link> {
        holes.lowest_above(size, self.rover).or_else(|| holes.lowest(size))
    }

    fn choose_aligned(&self, holes: &Tree<ByAddress>, size: usize, align: usize) -> Option<Link> {
        soon_above(holes, self.rover, size, align)
            .or_else(|| soon_above(holes, 0, size, align))
            .or_else(|| first_aligned(holes, 0, size, align))
    }

    #[inline]
    fn served(&mut self, end: usize) {
        self.rover = end;
    }

    #[inline]
    fn largest(holes: &Tree<ByAddress>) -> usize {
        holes.largest()
    }
}

impl Choose for Best {
    type Order = SmallestFirst;
    const START: Self = Best(());

    #[inline]
    fn choose(&self, holes: &Tree<SmallestFirst>, size: usize) -> Option<Link> {
        holes.first(|hole| hole.hole_size() >= size)
    }

    fn choose_aligned(
        &self,
        holes: &Tree<SmallestFirst>,
        size: usize,
        align: usize,
    ) -> Option<Link> {
        let next = |size, behind: Option<Block>| {
            let is_behind = |hole| behind.is_none_or(|behind| SmallestFirst::before(behind, hole));
            holes.first(|hole| hole.hole_size() >= size && is_behind(hole))
        };
        soon(next, size, align).or_else(|| {
            let mut behind = None;
            loop {
                let link = next(size, behind)?;
                behind = link.get().filter(|hole| !hole.fits(size, align));
                if behind.is_none() {
                    return Some(link);
                }
            }
        })
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
    type Order = ByAddress;
    const START: Self = Worst(());

    #[inline]
    fn choose(&self, holes: &Tree<ByAddress>, size: usize) -> Option<Link> {
        let largest = holes.largest();
        if largest < size {
            return None;
        }
        holes.lowest(largest)
    }

    /// Looks at every block that is large enough, unless a largest one fits.
    fn choose_aligned(&self, holes: &Tree<ByAddress>, size: usize, align: usize) -> Option<Link> {
        let fits = |link: &Link| link.get().is_some_and(|hole| hole.fits(size, align));
        let link = self.choose(holes, size)?;
        if fits(&link) {
            return Some(link);
        }
        let mut found: Option<(usize, Link)> = None;
        let mut from = 0;
        while let Some(link) = first_aligned(holes, from, size, align)
            && let Some(hole) = link.get()
        {
            if found.is_none_or(|(largest, _)| hole.hole_size() > largest) {
                found = Some((hole.hole_size(), link));
            }
            from = hole.end();
        }
        found.map(|(_, link)| link)
    }

    #[inline]
    fn largest(holes: &Tree<ByAddress>) -> usize {
        holes.largest()
    }
}
