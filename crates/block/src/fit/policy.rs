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
use super::block::Link;
use super::tree::{ByAddress, Order, SmallestFirst, Tree};

/// What a policy has to say; sealed.
pub trait Choose: Sized {
    type Order: Order;
    /// The policy before its first choice.
    const START: Self;

    /// The block for `size` bytes. O(depth).
    fn choose(&self, holes: &Tree<Self::Order>, size: usize) -> Option<Link>;

    /// The block for `size` bytes with a payload at a multiple of `align`. O(depth) for each
    /// block that is large enough and does not fit.
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
        first_aligned(holes, 0, size, align)
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
        first_aligned(holes, self.rover, size, align)
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
        let mut link = self.choose(holes, size)?;
        loop {
            let refused = link.get().filter(|hole| !hole.fits(size, align));
            let Some(refused) = refused else { return Some(link) };
            link = holes.first(|hole| SmallestFirst::before(refused, hole))?;
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
