//! What a thread frees of other threads' blocks waits in chains, one for each page, and each chain goes to its page by one
//! compare-and-swap.
//!
//! ```text
//! outbox  [ page, its owner, its class │ first │ last │ how many more ] × 64      first ─► block ─► block ─► last
//!            └► the chain is long, the place is wanted for another page, much waits, a tick, a trim, the thread ends: it goes
//! ```
//!
//! A block that waits is in use for its page, which stays for that, with its class: so the first block of a chain is looked up, and
//! those that follow are compared with what is known of the page. Without this each block took a compare-and-swap, a fence and
//! the page's line from its owner.
//!
//! - **outbox-X1** while a place has a page, blocks of that page of one slice are its chain, one at least.
//! - **outbox-X2** `held` is what all chains may grow to, in bytes.
//!
//! The thread's alone. O(1); O(chains) when all go.
use base::bits::low32;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};

use super::pages::{HEAD, SEGMENT, SLICE};
use crate::links::{Chain, set_next};

/// Places for chains.
const PLACES: usize = 64;
/// A chain goes when it has so many bytes and blocks.
const CHAIN: u32 = 4096;
const BLOCKS: u32 = 16;
/// What all chains may grow to, in bytes: half of it is what a thread that sleeps keeps from the others as a rule.
const MOST: u32 = 256 << 10;
/// The largest blocks that wait.
pub(super) const MAX_WAITING: usize = 2048;

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// It waits.
    Yes,
    /// It waits, and with it the chain is due.
    Due,
    /// Not yet: a chain of its page has to [begin](Outbox::begin).
    Begins,
    /// Nothing: it is no block, or the one that came last.
    Wrong,
}

/// Blocks of one page. All zero: none.
#[derive(Debug)]
#[repr(C, align(64))]
struct Place {
    /// Where the page's slice begins; 0: no block waits.
    page: AtomicUsize,
    /// The page's owner when the chain began: another one now may have left it.
    owner: AtomicUsize,
    first: AtomicUsize,
    last: AtomicUsize,
    grid: [AtomicU32; 4],
    /// Bytes of a block.
    size: AtomicU32,
    /// Blocks that it has room for, and for how many more.
    most: AtomicU32,
    left: AtomicU32,
}

/// Where blocks begin in a page of one slice.
///
/// An offset is a multiple of 2ᵏ × odd if, multiplied by the inverse of the odd factor and rotated by k, it is small: then it is the block's
/// number (Warren, "Hacker's Delight", 10-17).
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    head: u32,
    inverse: u32,
    shift: u32,
    count: u32,
}

impl Grid {
    /// Of the slice that has this block of `size` bytes, which are some.
    pub(super) fn of(block: usize, size: usize) -> Self {
        let (head, size) = (if block % SEGMENT < SLICE { HEAD } else { 0 }, low32(size));
        let odd = size >> size.trailing_zeros();
        // Each step doubles the bits that are right, of which 3 are at first.
        let step =
            |inverse: u32, _| inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)));
        let inverse = (0..4).fold(odd, step);
        let count = low32(SLICE - head) / size;
        Self { head: low32(head), inverse, shift: size.trailing_zeros(), count }
    }

    #[inline(always)]
    pub(super) fn has(self, address: usize) -> bool {
        let offset = low32(address % SLICE).wrapping_sub(self.head);
        offset.wrapping_mul(self.inverse).rotate_right(self.shift) < self.count
    }

    fn words(self) -> [u32; 4] {
        [self.head, self.inverse, self.shift, self.count]
    }

    #[inline(always)]
    fn from_words(words: &[AtomicU32; 4]) -> Self {
        let [head, inverse, shift, count] =
            words.each_ref().map(|word| word.load(Ordering::Relaxed));
        Self { head, inverse, shift, count }
    }
}

/// The place of a block's page: pages of a segment have different ones.
#[inline(always)]
fn place_of(block: usize) -> usize {
    ((block / SLICE) ^ (block / SEGMENT)) % PLACES
}

/// The chains of a thread. All zero: none.
#[derive(Debug)]
pub(super) struct Outbox {
    places: [Place; PLACES],
    held: AtomicU32,
}

impl Outbox {
    /// A block of a page that `owner` owns comes to the chain of its page, if there is one.
    #[inline(always)]
    pub(super) fn push(&self, block: usize, owner: usize) -> Waiting {
        let place = &self.places[place_of(block)];
        if place.page.load(Ordering::Relaxed) != block & !(SLICE - 1)
            || place.owner.load(Ordering::Relaxed) != owner
        {
            return Waiting::Begins;
        }
        let first = place.first.load(Ordering::Relaxed);
        if first == block || !Grid::from_words(&place.grid).has(block) {
            return Waiting::Wrong;
        }
        set_next(block, first);
        place.first.store(block, Ordering::Relaxed);
        let left = place.left.load(Ordering::Relaxed).wrapping_sub(1);
        place.left.store(left, Ordering::Relaxed);
        if left == 0 { Waiting::Due } else { Waiting::Yes }
    }

    /// A chain begins with this block of `size` bytes; the one that is in its place goes, all of them if much may wait.
    pub(super) fn begin(
        &self,
        block: usize,
        owner: usize,
        (grid, size): (Grid, usize),
        send: impl Fn(Chain),
    ) {
        let (place, size) = (&self.places[place_of(block)], low32(size));
        let most = (CHAIN / size).max(BLOCKS);
        if self.held.load(Ordering::Relaxed) + most * size > MOST {
            self.send_all(&send);
        }
        self.take(place).into_iter().for_each(send);
        self.held.raise(most * size);
        place.owner.store(owner, Ordering::Relaxed);
        place.size.store(size, Ordering::Relaxed);
        for (word, value) in place.grid.iter().zip(grid.words()) {
            word.store(value, Ordering::Relaxed);
        }
        place.most.store(most, Ordering::Relaxed);
        place.left.store(most - 1, Ordering::Relaxed);
        place.first.store(block, Ordering::Relaxed);
        place.last.store(block, Ordering::Relaxed);
        set_next(block, 0);
        place.page.store(block & !(SLICE - 1), Ordering::Relaxed);
    }

    /// The chain that this block came to.
    pub(super) fn take_of(&self, block: usize) -> Option<Chain> {
        self.take(&self.places[place_of(block)])
    }

    fn take(&self, place: &Place) -> Option<Chain> {
        if place.page.replace(0) == 0 {
            return None;
        }
        let most = place.most.load(Ordering::Relaxed);
        self.held.lower(most * place.size.load(Ordering::Relaxed));
        let [first, last] = [&place.first, &place.last].map(|end| end.load(Ordering::Relaxed));
        Some(Chain { first, last, count: most - place.left.load(Ordering::Relaxed) })
    }

    /// All chains go.
    pub(super) fn send_all(&self, send: impl Fn(Chain)) {
        self.places.iter().filter_map(|place| self.take(place)).for_each(send);
    }
}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;

    use super::*;
    use crate::links::next_of;

    const OWNER: usize = 64;

    /// Slices in a row of one segment but its first, and an empty outbox.
    fn slices(count: usize) -> (Vec<u64>, usize, Outbox) {
        let memory = vec![0_u64; (2 * count + 2) * SLICE / 8];
        let first = memory.as_ptr().expose_provenance().next_multiple_of(SLICE);
        let is_one =
            |at: &usize| !at.is_multiple_of(SEGMENT) && at % SEGMENT + count * SLICE <= SEGMENT;
        let mut all = (0..=count).map(|slice| first + slice * SLICE);
        let base = all.find(is_one).expect("there is one on either side of a segment's end");
        // SAFETY: all zero is one without chains.
        (memory, base, unsafe { core::mem::zeroed() })
    }

    fn blocks(chain: Chain) -> Vec<usize> {
        let mut all = vec![chain.first];
        while all.last() != Some(&chain.last) {
            all.push(next_of(all[all.len() - 1]));
        }
        assert_eq!(all.len(), chain.count as usize, "outbox-X1");
        all
    }

    /// As a thread does that frees a block of `size`.
    fn free(outbox: &Outbox, block: usize, size: usize, send: impl Fn(Chain)) -> bool {
        match outbox.push(block, OWNER) {
            Waiting::Yes => {}
            Waiting::Due => outbox.take_of(block).into_iter().for_each(send),
            Waiting::Begins => {
                outbox.begin(block, OWNER, (Grid::of(block, size), size), send);
            }
            Waiting::Wrong => return false,
        }
        true
    }

    #[test]
    fn blocks_of_one_page_go_together() {
        let (_memory, base, outbox) = slices(1);
        let sent = RefCell::new(Vec::new());
        let send = |chain| sent.borrow_mut().push(blocks(chain));
        for i in 0..17 {
            assert!(free(&outbox, base + i * 256, 256, send));
        }
        let expected: Vec<usize> = (0..16).rev().map(|i| base + i * 256).collect();
        assert_eq!(*sent.borrow(), [expected], "16 blocks of 4 KiB are a chain");
        outbox.send_all(send);
        assert_eq!(sent.borrow()[1], [base + 4096]);
        outbox.send_all(send);
        assert_eq!(sent.borrow().len(), 2, "nothing is left");
    }

    #[test]
    fn what_is_no_block_or_came_last_does_not_wait() {
        let (_memory, base, outbox) = slices(1);
        let send = |_| panic!("nothing is due");
        assert!(free(&outbox, base + 48, 48, send));
        for wrong in [base + 48, base + 64, base + 47, base + 65_520] {
            assert!(!free(&outbox, wrong, 48, send), "{:#x}", wrong - base);
        }
        assert!(free(&outbox, base, 48, send) && free(&outbox, base + 65_472, 48, send));
    }

    #[test]
    fn a_place_is_one_pages_and_one_owners() {
        let (_memory, base, outbox) = slices(1);
        let sent = RefCell::new(Vec::new());
        let send = |chain| sent.borrow_mut().push(blocks(chain));
        assert!(free(&outbox, base + 16, 16, send) && free(&outbox, base, 16, send));
        assert_eq!(outbox.push(base + 32, 2 * OWNER), Waiting::Begins, "it changed hands");
        outbox.begin(base + 32, 2 * OWNER, (Grid::of(base, 16), 16), send);
        assert_eq!(*sent.borrow(), [[base, base + 16]]);
        // The same slice of the segment that is 64 further, which nobody touches before that is known.
        assert_eq!(outbox.push(base + 64 * SEGMENT, 2 * OWNER), Waiting::Begins);
        assert_eq!(place_of(base), place_of(base + 64 * SEGMENT));
    }

    #[test]
    fn a_page_may_have_another_class_the_next_time() {
        let (_memory, base, outbox) = slices(1);
        let sent = RefCell::new(Vec::new());
        let send = |chain| sent.borrow_mut().push(blocks(chain).len());
        assert!(free(&outbox, base, 16, send));
        assert_eq!(outbox.held.load(Ordering::Relaxed), 4096);
        outbox.send_all(send);
        assert!(free(&outbox, base, 2048, send));
        assert_eq!(outbox.held.load(Ordering::Relaxed), 16 * 2048);
        outbox.send_all(send);
        assert_eq!((outbox.held.load(Ordering::Relaxed), &*sent.borrow()), (0, &vec![1, 1]));
    }

    #[test]
    fn much_goes_at_once() {
        let (_memory, base, outbox) = slices(9);
        let sent = RefCell::new(0);
        let send = |chain| *sent.borrow_mut() += blocks(chain).len();
        for i in 0..9 {
            assert_eq!(*sent.borrow(), 0);
            assert!(free(&outbox, base + i * SLICE, 2048, send));
        }
        assert_eq!(*sent.borrow(), 8, "which may grow to 32 KiB each");
        assert_eq!(outbox.held.load(Ordering::Relaxed), 32 << 10);
    }
}
