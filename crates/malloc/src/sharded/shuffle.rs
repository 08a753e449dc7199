//! The order in which blocks that were never used are handed out, where it is to be hard to guess: `shuffle=on`.
//!
//! ```text
//! off   0 ─► 1 ─► 2 ─► 3 ─► …          on   5 ─► 0 ─► 7 ─► 2 ─► …          of up to 256 blocks at a time
//! ```
//!
//! A program that writes beyond a block's end then does not hit the block that it was given next. After mimalloc's secure mode. Asked
//! where fresh blocks are counted off, by nobody else; one locked addition for 4 KiB of them.
use base::bits::{index, low8};
use base::sync::{AtomicU64, Ordering};

/// Blocks that are put into an order at a time, at most and at least: of fewer the next is soon guessed.
pub(super) const MOST: usize = 256;
const LEAST: usize = 8;
/// What the state moves on by: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state that all orders come from; 0: blocks are handed out as they lie.
#[derive(Debug)]
pub(super) struct Shuffle(AtomicU64);

impl Shuffle {
    pub(super) const fn off() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Orders come from this seed from now on; 0: there is none.
    pub(super) fn set(&self, seed: u64) {
        self.0.store(seed, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// How many blocks are counted off where `most` would be without.
    pub(super) fn at_a_time(&self, most: usize) -> usize {
        most.max(if self.is_on() { LEAST } else { 1 })
    }

    /// The numbers below `count`, at most [`MOST`], in an order; `None`: in their own.
    pub(super) fn order(&self, count: usize) -> Option<[u8; MOST]> {
        if !self.is_on() {
            return None;
        }
        let mut random = mixed(self.0.fetch_add(STEP, Ordering::Relaxed));
        let mut order = [0; MOST];
        // Each number changes places with one of those before it, or stays (Fisher and Yates).
        for place in 0..count.min(MOST) {
            random = mixed(random.wrapping_add(STEP));
            let other = index(((random >> 32) * (place as u64 + 1)) >> 32);
            order[place] = order[other];
            order[other] = low8(place);
        }
        Some(order)
    }
}

/// As SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
fn mixed(state: u64) -> u64 {
    let once = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_there_once_and_no_two_orders_are_the_same() {
        let shuffle = Shuffle::off();
        assert_eq!((shuffle.order(4), shuffle.at_a_time(1)), (None, 1));
        shuffle.set(7);
        assert_eq!((shuffle.at_a_time(1), shuffle.at_a_time(100)), (8, 100));
        let mut before = Vec::new();
        for count in [1, 8, 255, 256] {
            for _ in 0..3 {
                let order = shuffle.order(count).unwrap()[..count].to_vec();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..count).map(low8).collect::<Vec<_>>());
                assert!(count == 1 || !before.contains(&order), "{order:?}");
                before.push(order);
            }
        }
        shuffle.set(0);
        assert_eq!(shuffle.order(8), None);
    }

    #[test]
    fn every_number_comes_to_every_place() {
        let shuffle = Shuffle::off();
        shuffle.set(1);
        let mut seen = [[0; 8]; 8];
        for _ in 0..8000 {
            for (place, number) in shuffle.order(8).unwrap()[..8].iter().enumerate() {
                seen[place][usize::from(*number)] += 1;
            }
        }
        let all = seen.as_flattened();
        assert!(all.iter().all(|count| (850..1150).contains(count)), "1,000 each: {seen:?}");
    }
}
