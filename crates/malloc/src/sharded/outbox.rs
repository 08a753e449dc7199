//! What a thread frees of other threads' blocks waits in chains, one for each page, and each chain goes to its page by one
//! compare-and-swap.
//!
//! ```text
//! outbox  [ page, count │ first │ last ] × 64      first ─► block ─► block ─► last
//!            └► the chain is long, the place is wanted for another page, much waits, a tick, a trim, the thread ends: it goes
//! ```
//!
//! A block that waits is in use for its page, which stays for that. Without this each block took a compare-and-swap, a fence and
//! the page's first line from its owner, who writes to it in every malloc: `xmalloc` took 0.166 s of processor time instead of 0.129
//! (medians of five runs in turn).
//!
//! - **outbox-X1** a chain's blocks are of the page of one slice that its key names, and `count` of them.
//! - **outbox-X2** `held` is the bytes of all chains, less than [`MOST`].
//!
//! The thread's alone. O(1); O(chains) when all go.
use base::bits::low32;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};

use super::pages::{SEGMENT, SLICE};
use crate::links::set_next;

/// Places for chains.
const PLACES: usize = 64;
/// Bytes of a chain after which it goes.
const CHAIN: usize = 4096;
/// Bytes of all chains after which all go: what a thread that sleeps keeps from the others at most.
const MOST: u32 = 64 << 10;
/// The largest blocks that wait: two to a chain.
pub(super) const MAX_WAITING: usize = CHAIN / 2;

/// Blocks of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// All zero: an empty one.
#[derive(Debug)]
struct Place {
    /// Where the page's slice begins, and how many blocks wait: fewer than a slice has bytes. 0: none.
    key: AtomicUsize,
    first: AtomicUsize,
    last: AtomicUsize,
}

/// The place of a block's page: pages of a segment have different ones.
fn place_of(block: usize) -> usize {
    ((block / SLICE) ^ (block / SEGMENT)) % PLACES
}

impl Place {
    fn take(&self) -> Option<Chain> {
        let is_some = self.key.replace(0) != 0;
        let [first, last] = [&self.first, &self.last].map(|end| end.load(Ordering::Relaxed));
        is_some.then_some(Chain { first, last })
    }
}

/// The chains of a thread. All zero: none.
#[derive(Debug)]
pub(super) struct Outbox {
    held: AtomicU32,
    places: [Place; PLACES],
}

impl Outbox {
    /// A block of `size` bytes waits; chains that are due go to `send`. `false`: it is the one that came last, and does not.
    pub(super) fn push(&self, block: usize, size: usize, send: impl Fn(Chain)) -> bool {
        let place = &self.places[place_of(block)];
        let (page, key) = (block & !(SLICE - 1), place.key.load(Ordering::Relaxed));
        let mut count = key % SLICE;
        if key - count != page {
            // Its bytes stay counted until all go: they are too many rather than too few.
            place.take().into_iter().for_each(&send);
            count = 0;
        }
        let first = if count == 0 { 0 } else { place.first.load(Ordering::Relaxed) };
        if first == block {
            return false;
        }
        set_next(block, first);
        if first == 0 {
            place.last.store(block, Ordering::Relaxed);
        }
        place.first.store(block, Ordering::Relaxed);
        place.key.store(page + count + 1, Ordering::Relaxed);
        if (count + 1) * size >= CHAIN {
            place.take().into_iter().for_each(&send);
        } else if self.held.raise(low32(size)) >= MOST {
            self.send_all(send);
        }
        true
    }

    /// All chains go.
    pub(super) fn send_all(&self, send: impl Fn(Chain)) {
        self.held.store(0, Ordering::Relaxed);
        self.places.iter().filter_map(Place::take).for_each(send);
    }
}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;

    use super::*;
    use crate::links::next_of;

    /// Slices in a row, and an empty outbox.
    fn slices(count: usize) -> (Vec<u64>, usize, Outbox) {
        let memory = vec![0_u64; (count + 1) * SLICE / 8];
        let first = memory.as_ptr().expose_provenance().next_multiple_of(SLICE);
        let place = || Place { key: 0.into(), first: 0.into(), last: 0.into() };
        (memory, first, Outbox { held: 0.into(), places: core::array::from_fn(|_| place()) })
    }

    fn blocks(chain: Chain) -> Vec<usize> {
        let mut all = vec![chain.first];
        while all.last() != Some(&chain.last) {
            all.push(next_of(all[all.len() - 1]));
        }
        all
    }

    #[test]
    fn blocks_of_one_page_go_together() {
        let (_memory, base, outbox) = slices(1);
        let sent = RefCell::new(Vec::new());
        let send = |chain| sent.borrow_mut().push(blocks(chain));
        for i in 0..5 {
            assert!(outbox.push(base + i * 1024, 1024, send));
        }
        let expected: Vec<usize> = (0..4).rev().map(|i| base + i * 1024).collect();
        assert_eq!(*sent.borrow(), [expected], "4 KiB are a chain");
        outbox.send_all(send);
        assert_eq!(sent.borrow()[1], [base + 4096]);
        outbox.send_all(send);
        assert_eq!(sent.borrow().len(), 2, "nothing is left");
    }

    #[test]
    fn a_place_is_one_pages() {
        let (_memory, base, outbox) = slices(PLACES + 1);
        let sent = RefCell::new(Vec::new());
        let send = |chain| sent.borrow_mut().push(blocks(chain));
        let mut others = (1..=PLACES).map(|i| base + i * SLICE);
        let other = others.find(|&other| place_of(other) == place_of(base)).unwrap_or(base);
        assert!(outbox.push(base + 16, 16, send) && outbox.push(base, 16, send));
        assert!(!outbox.push(base, 16, send), "freed twice in a row");
        assert!(outbox.push(other + 32, 16, send));
        let before = if other == base { vec![] } else { vec![vec![base, base + 16]] };
        assert_eq!(*sent.borrow(), before);
    }

    #[test]
    fn much_goes_at_once() {
        let (_memory, base, outbox) = slices(PLACES);
        let sent = RefCell::new(0);
        let send = |chain| *sent.borrow_mut() += blocks(chain).len();
        for i in 0..PLACES {
            assert!(outbox.push(base + i * SLICE, 1024, send));
        }
        assert_eq!(*sent.borrow(), 64, "64 KiB");
    }
}
