//! The free blocks as a tree that is sorted one way from left to right and another from top to
//! bottom.
//!
//! ```text
//! by address, largest on top (First, Next, Worst)   by size, shuffled top (Best)
//!
//!              ┌─── 96 ───┐                                   ┌── 48 ──┐
//!          ┌─ 64 ─┐       80                               ┌─ 32       96
//!         48      32                                       32        64 ┘└ …
//! address ──────────────────────►                     size ────────────────►
//! ```
//!
//! - **tree-T1** everything to the left of a block stands [`before`](Order::before) it, everything to
//!   the right after it.
//! - **tree-T2** everything below a block stands not [`above`](Order::above) it. With tree-T1 this leaves
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
use core::hint::select_unpredictable;
use core::marker::PhantomData;

use super::block::{Block, Link};

/// How a tree is sorted. Both are strict orders without ties between different blocks.
pub trait Order {
    /// Whether left to right means from low addresses to high.
    const BY_ADDRESS: bool;

    fn before(a: Block, b: Block) -> bool;

    fn above(a: Block, b: Block) -> bool;

    /// Whether that can be told at a glance.
    fn surely_above(a: Block, b: Block) -> bool;
}

/// From low addresses to high, the largest on top.
#[derive(Debug)]
pub enum ByAddress {}

/// The smallest first; the lower address first among equals.
#[derive(Debug)]
pub enum SmallestFirst {}

impl Order for ByAddress {
    const BY_ADDRESS: bool = true;

    #[inline]
    fn before(a: Block, b: Block) -> bool {
        a.address() < b.address()
    }

    /// Equal sizes are shuffled, or holes of one size would stand in a row.
    #[inline]
    fn above(a: Block, b: Block) -> bool {
        let (of_a, of_b) = (a.hole_size(), b.hole_size());
        if of_a == of_b { shuffled(a) > shuffled(b) } else { of_a > of_b }
    }

    #[inline]
    fn surely_above(a: Block, b: Block) -> bool {
        a.hole_size() > b.hole_size()
    }
}

impl Order for SmallestFirst {
    const BY_ADDRESS: bool = false;

    #[inline]
    fn before(a: Block, b: Block) -> bool {
        (a.hole_size(), a.address()) < (b.hole_size(), b.address())
    }

    #[inline]
    fn above(a: Block, b: Block) -> bool {
        shuffled(a) > shuffled(b)
    }

    #[inline]
    fn surely_above(_: Block, _: Block) -> bool {
        false
    }
}

/// The address, put out of order. Each step can be undone, so two addresses never become one;
/// the fold keeps equal distances, which holes of one size have, from coming out in a row.
#[inline]
fn shuffled(block: Block) -> usize {
    #[cfg(target_pointer_width = "64")]
    const ODD: usize = 0x9e37_79b9_7f4a_7c15;
    #[cfg(target_pointer_width = "32")]
    const ODD: usize = 0x9e37_79b9;
    let spread = block.address().wrapping_mul(ODD);
    (spread ^ (spread >> (usize::BITS / 2))).wrapping_mul(ODD)
}

/// The tree. Changed through `&self`, so that a [`Link`] to its root stays good meanwhile.
pub struct Tree<O> {
    root: Cell<Option<Block>>,
    order: PhantomData<fn(O)>,
}

impl<O: Order> Tree<O> {
    pub const fn new() -> Self {
        Self { root: Cell::new(None), order: PhantomData }
    }

    #[inline]
    pub fn root(&self) -> Link {
        Link::root(&self.root)
    }

    #[inline]
    pub fn insert(&self, new: Block) {
        let mut link = self.root();
        while let Some(at) = link.get()
            && O::above(at, new)
        {
            link = select_unpredictable(O::before(new, at), at.left(), at.right());
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
            let is_before = O::before(at, new);
            select_unpredictable(is_before, before, after).set(rest);
            let inner = select_unpredictable(is_before, at.right(), at.left());
            before = select_unpredictable(is_before, inner, before);
            after = select_unpredictable(is_before, after, inner);
            rest = inner.get();
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
            link = select_unpredictable(O::before(block, at), at.left(), at.right());
        }
        link
    }

    /// Takes the block that `link` points to out: what hung on it is zipped together.
    #[inline]
    pub fn remove_at(&self, link: Link) {
        let Some(old) = link.get() else { return };
        let (mut link, mut left, mut right) = (link, old.left().get(), old.right().get());
        while let (Some(l), Some(r)) = (left, right) {
            let left_rises = O::above(l, r);
            link.set(select_unpredictable(left_rises, left, right));
            link = select_unpredictable(left_rises, l.right(), r.left());
            let below = link.get();
            left = select_unpredictable(left_rises, below, left);
            right = select_unpredictable(left_rises, right, below);
        }
        link.set(left.or(right));
    }

    /// Puts `rest`, the end of the block that `link` points to, into the tree in its place.
    #[inline]
    pub fn shrink_at(&self, link: Link, rest: Block) {
        if O::BY_ADDRESS {
            self.sink_at(link, rest);
        } else {
            self.remove_at(link);
            self.insert(rest);
        }
    }

    /// Puts `new` between the same blocks to the left and right as the block that `link` points
    /// to, and as far down as it belongs.
    #[inline]
    fn sink_at(&self, link: Link, new: Block) {
        let Some(old) = link.get() else { return };
        let (left, right) = (old.left().get(), old.right().get());
        let stays = |below: Option<Block>| below.is_none_or(|below| O::surely_above(new, below));
        if !stays(left) || !stays(right) {
            return Self::sink_below(link, new, left, right);
        }
        link.set(Some(new));
        new.left().set(left);
        new.right().set(right);
    }

    /// [`sink_at`](Self::sink_at) over what hung on the old block.
    #[inline(never)]
    fn sink_below(mut link: Link, new: Block, mut left: Option<Block>, mut right: Option<Block>) {
        loop {
            let from_left = match (left, right) {
                (Some(l), Some(r)) => O::above(l, r),
                (only, _) => only.is_some(),
            };
            let top = select_unpredictable(from_left, left, right);
            let Some(rises) = top.filter(|top| O::above(*top, new)) else { break };
            link.set(top);
            link = select_unpredictable(from_left, rises.right(), rises.left());
            let below = link.get();
            left = select_unpredictable(from_left, below, left);
            right = select_unpredictable(from_left, right, below);
        }
        link.set(Some(new));
        new.left().set(left);
        new.right().set(right);
    }

    /// Makes `size` bytes from `block` on a free block: a block that was given back, with its
    /// neighbours where they are free. Their places in the tree become this one's.
    #[inline]
    pub fn merge(&self, block: Block, size: usize, previous: bool, next: Option<Block>) {
        if O::BY_ADDRESS {
            if !previous && next.is_some() && next == self.root.get() {
                return self.grow_root(block, size);
            }
            // The previous block's links, which are to be this one's.
            let swallowed = previous.then(|| (block.left().get(), block.right().get()));
            block.make_free(size);
            self.swallow(block, swallowed, next);
        } else {
            if previous {
                self.remove_at(self.find(block));
            }
            if let Some(next) = next {
                self.remove_at(self.find(next));
            }
            block.make_free(size);
            self.insert(block);
        }
    }

    /// [`merge`](Self::merge) with the block on top, which is the largest already.
    #[inline]
    fn grow_root(&self, block: Block, size: usize) {
        let Some(old) = self.root.replace(Some(block)) else { return };
        block.left().set(old.left().get());
        block.right().set(old.right().get());
        block.make_free_before_known(size);
    }

    /// [`insert`](Self::insert) that takes two others out on its way: the block that was at the
    /// same address until it grew, by its links, and the one that it grew over. With addresses
    /// from left to right both lie where the cut along `new` comes by; and both were smaller, so
    /// they are below.
    #[inline]
    fn swallow(
        &self,
        new: Block,
        previous: Option<(Option<Block>, Option<Block>)>,
        next: Option<Block>,
    ) {
        let mut link = self.root();
        while let Some(at) = link.get()
            && O::above(at, new)
        {
            link = select_unpredictable(O::before(new, at), at.left(), at.right());
        }
        let mut rest = link.get();
        link.set(Some(new));
        let (mut before, mut after) = (new.left(), new.right());
        while let Some(at) = rest {
            if rest == next {
                // All that is left of it stands before `new`, and the previous block last.
                let (left, right) = (at.left().get(), at.right().get());
                before.set(left);
                after.set(right);
                if let Some((left, _)) = previous {
                    while let Some(at) = before.get()
                        && at != new
                    {
                        before = at.right();
                    }
                    before.set(left);
                }
                return;
            }
            if let Some((left, right)) = previous
                && at == new
            {
                // All that is right of it stands after `new`, and the next block first.
                before.set(left);
                after.set(right);
                if let Some(next) = next {
                    while let Some(at) = after.get()
                        && at != next
                    {
                        after = at.left();
                    }
                    after.set(next.right().get());
                }
                return;
            }
            let is_before = O::before(at, new);
            select_unpredictable(is_before, before, after).set(rest);
            let inner = select_unpredictable(is_before, at.right(), at.left());
            before = select_unpredictable(is_before, inner, before);
            after = select_unpredictable(is_before, after, inner);
            rest = inner.get();
        }
        before.set(None);
        after.set(None);
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
    #[inline]
    pub fn largest(&self) -> usize {
        self.root().get().map_or(0, Block::hole_size)
    }

    /// The link to the lowest block of at least `size` bytes: down to the left for as long as
    /// what is there is large enough.
    #[inline]
    pub fn lowest(&self, size: usize) -> Option<Link> {
        let mut link = self.root();
        let mut at = link.get()?;
        if at.hole_size() < size {
            return None;
        }
        while let Some(left) = at.left().get()
            && left.hole_size() >= size
        {
            link = at.left();
            at = left;
        }
        Some(link)
    }

    /// The link to the lowest block of at least `size` bytes that ends above `from`.
    #[inline]
    pub fn lowest_above(&self, size: usize, from: usize) -> Option<Link> {
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

impl<O> fmt::Debug for Tree<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("root", &self.root.get()).finish()
    }
}
