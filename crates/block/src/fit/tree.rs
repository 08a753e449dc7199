//! The free blocks as a tree that is sorted one way from left to right and another from top to
//! bottom.
//!
//! ```text
//! by address, largest on top (First, Next)          by size, shuffled top (Best, Worst)
//!
//!              ┌─── 96 ───┐                                   ┌── 48 ──┐
//!          ┌─ 64 ─┐       80                               ┌─ 32       96
//!         48      32                                       32        64 ┘└ …
//! address ──────────────────────►                     size ────────────────►
//! ```
//!
//! - **T1** everything to the left of a block stands [`before`](Order::before) it, everything to
//!   the right after it.
//! - **T2** everything below a block stands not [`above`](Order::above) it. With T1 this leaves
//!   exactly one tree for a set of blocks.
//!
//! With the largest on top the lowest block that is large enough is found by a walk down that
//! never looks back: nothing below a block that is too small can be large enough (Stephenson,
//! "Fast Fits", SOSP 1983: Cartesian trees). Where the top is shuffled it is a treap (Seidel and
//! Aragon, "Randomized Search Trees", 1996). Inserting, removing and finding are O(depth): about
//! 2 ln n for n holes; at worst n, when sizes rise or fall with the address all along the heap.
//! Links lie in the free blocks, so the tree costs one word.
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

use super::block::{Block, Link};

/// How a tree is sorted. Both are strict orders without ties between different blocks.
pub trait Order {
    /// Whether `a` stands to the left of `b`.
    fn before(a: Block, b: Block) -> bool;

    /// Whether `a` stands above `b`.
    fn above(a: Block, b: Block) -> bool;
}

/// From low addresses to high, the largest on top.
#[derive(Debug)]
pub enum ByAddress {}

/// The smallest first; the lower address first among equals.
#[derive(Debug)]
pub enum SmallestFirst {}

/// The largest first; the lower address first among equals.
#[derive(Debug)]
pub enum LargestFirst {}

impl Order for ByAddress {
    #[inline]
    fn before(a: Block, b: Block) -> bool {
        a.address() < b.address()
    }

    /// Equal sizes are shuffled, or holes of one size would stand in a row.
    #[inline]
    fn above(a: Block, b: Block) -> bool {
        let (of_a, of_b) = (a.hole_size(), b.hole_size());
        of_a > of_b || of_a == of_b && shuffled(a) > shuffled(b)
    }
}

impl Order for SmallestFirst {
    #[inline]
    fn before(a: Block, b: Block) -> bool {
        (a.hole_size(), a.address()) < (b.hole_size(), b.address())
    }

    #[inline]
    fn above(a: Block, b: Block) -> bool {
        shuffled(a) > shuffled(b)
    }
}

impl Order for LargestFirst {
    #[inline]
    fn before(a: Block, b: Block) -> bool {
        (b.hole_size(), a.address()) < (a.hole_size(), b.address())
    }

    #[inline]
    fn above(a: Block, b: Block) -> bool {
        shuffled(a) > shuffled(b)
    }
}

/// The address, put out of order: times an odd number, so two addresses never become one.
#[inline]
fn shuffled(block: Block) -> usize {
    #[cfg(target_pointer_width = "64")]
    const ODD: usize = 0x9e37_79b9_7f4a_7c15;
    #[cfg(target_pointer_width = "32")]
    const ODD: usize = 0x9e37_79b9;
    block.address().wrapping_mul(ODD)
}

/// The tree. Changed through `&self`, so that a [`Link`] to its root stays good meanwhile.
pub struct Tree<O> {
    root: Cell<Option<Block>>,
    order: PhantomData<fn(O)>,
}

impl<O: Order> Tree<O> {
    /// No block.
    pub const fn new() -> Self {
        Self { root: Cell::new(None), order: PhantomData }
    }

    /// The link to the block on top.
    #[inline]
    pub fn root(&self) -> Link {
        Link::root(&self.root)
    }

    /// Puts a free block where it belongs.
    #[inline]
    pub fn insert(&self, new: Block) {
        let mut link = self.root();
        while let Some(at) = link.get()
            && O::above(at, new)
        {
            link = if O::before(new, at) { at.left() } else { at.right() };
        }
        // What hangs here is cut in two along `new`:
        //
        //   link ─► at              link ─► new
        //          ╱  ╲      ⟹            ╱   ╲
        //         …    …              before   after
        let mut rest = link.get();
        link.set(Some(new));
        let (mut before, mut after) = (new.left(), new.right());
        while let Some(at) = rest {
            if O::before(at, new) {
                before.set(rest);
                before = at.right();
                rest = before.get();
            } else {
                after.set(rest);
                after = at.left();
                rest = after.get();
            }
        }
        before.set(None);
        after.set(None);
    }

    /// The link that points to a block of the tree.
    #[inline]
    pub fn find(&self, block: Block) -> Link {
        let mut link = self.root();
        while let Some(at) = link.get()
            && at != block
        {
            link = if O::before(block, at) { at.left() } else { at.right() };
        }
        link
    }

    /// Takes the block that `link` points to out: what hung on it is zipped together.
    #[inline]
    pub fn remove_at(&self, link: Link) {
        let Some(old) = link.get() else { return };
        let (mut link, mut left, mut right) = (link, old.left().get(), old.right().get());
        while let (Some(l), Some(r)) = (left, right) {
            if O::above(l, r) {
                link.set(left);
                link = l.right();
                left = link.get();
            } else {
                link.set(right);
                link = r.left();
                right = link.get();
            }
        }
        link.set(left.or(right));
    }

    /// Puts `new` in the place of the block that `link` points to: between the same blocks to
    /// the left and right, and as far down as it belongs.
    #[inline]
    pub fn sink_at(&self, link: Link, new: Block) {
        let Some(old) = link.get() else { return };
        let (mut link, mut left, mut right) = (link, old.left().get(), old.right().get());
        while let Some(top) = upper::<O>(left, right)
            && O::above(top, new)
        {
            link.set(Some(top));
            if left == Some(top) {
                link = top.right();
                left = link.get();
            } else {
                link = top.left();
                right = link.get();
            }
        }
        link.set(Some(new));
        new.left().set(left);
        new.right().set(right);
    }

    /// The link to the first block, from left to right, of which `from_here` holds; it holds of
    /// all that follow too.
    #[inline]
    pub fn first(&self, from_here: impl Fn(Block) -> bool) -> Option<Link> {
        let mut link = self.root();
        let mut found = None;
        while let Some(at) = link.get() {
            if from_here(at) {
                found = Some(link);
                link = at.left();
            } else {
                link = at.right();
            }
        }
        found
    }
}

impl Tree<ByAddress> {
    /// The link to the lowest block of at least `size` bytes that ends above `from`.
    #[inline]
    pub fn lowest(&self, size: usize, from: usize) -> Option<Link> {
        let mut link = self.root();
        let mut found = None;
        while let Some(at) = link.get()
            && at.hole_size() >= size
        {
            if at.address() + at.hole_size() > from {
                found = Some(link);
                link = at.left();
            } else {
                link = at.right();
            }
        }
        found
    }
}

/// The one of two subtrees whose top stands above the other's.
#[inline]
fn upper<O: Order>(left: Option<Block>, right: Option<Block>) -> Option<Block> {
    match (left, right) {
        (Some(l), Some(r)) => Some(if O::above(l, r) { l } else { r }),
        (one, None) | (None, one) => one,
    }
}

impl<O> fmt::Debug for Tree<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("root", &self.root.get()).finish()
    }
}
