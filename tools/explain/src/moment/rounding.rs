//! What malloc uses for a block beyond what was asked for: headers and the rounding of size classes.
//!
//! glibc's rule is known. Of any other the addresses tell: two blocks of one size beside each other are as far apart as a
//! block of that size takes. Where no such pair is live, an eighth of a doubling is assumed, as most size classes have it.

use super::Placed;
use crate::facts::RoundingFrom;
use trace::NumberMap;

/// Larger blocks are not learned from neighbours: they are whole pages.
const LARGE: u64 = 32 << 10;
const PAGE: u64 = 4 << 10;
/// So many pairs of a size agree, or it is not believed.
const PAIRS: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// As glibc does on 64 bits.
    Glibc,
    Neighbours,
}

impl Rule {
    /// The rule of the malloc in this library.
    pub(crate) fn of(library: &str) -> Self {
        let name = library.split_whitespace().next().unwrap_or("");
        let name = name.rsplit('/').next().unwrap_or(name);
        let is_glibc = name.starts_with("libc.so") || name.starts_with("libc-2") || name == "glibc";
        if is_glibc { Self::Glibc } else { Self::Neighbours }
    }
}

/// What is found out on the way.
#[derive(Debug)]
pub(super) struct Rounding {
    rule: Rule,
    /// Of a size, the least distance of two neighbours, and how many pairs have it.
    least: NumberMap<u64, (u64, u32)>,
    /// Bytes of blocks of which a neighbour told, and of those of which none did.
    learned: u64,
    assumed: u64,
}

impl Rounding {
    pub(super) fn new(rule: Rule) -> Self {
        Self { rule, least: NumberMap::default(), learned: 0, assumed: 0 }
    }

    /// Sets `taken` of each block; they are in the order of their addresses.
    pub(super) fn fill(&mut self, placed: &mut [Placed]) {
        match self.rule {
            Rule::Glibc => {
                placed.iter_mut().for_each(|placed| placed.taken = as_glibc(placed.entry.size()));
            }
            Rule::Neighbours => self.learn(placed),
        }
        // Never beyond the next block: an estimate may be too large.
        for at in 1..placed.len() {
            let next = placed[at].entry.address;
            let before = &mut placed[at - 1];
            let room = next.saturating_sub(before.entry.address);
            before.taken = before.taken.min(room).max(before.entry.size());
        }
    }

    /// Where most of it is known from.
    pub(super) fn from(&self) -> RoundingFrom {
        match self.rule {
            Rule::Glibc => RoundingFrom::Rule,
            Rule::Neighbours if self.learned >= self.assumed => RoundingFrom::Addresses,
            Rule::Neighbours => RoundingFrom::Estimate,
        }
    }

    fn learn(&mut self, placed: &mut [Placed]) {
        for pair in placed.windows(2) {
            let (size, distance) =
                (pair[0].entry.size(), pair[1].entry.address.saturating_sub(pair[0].entry.address));
            if size > LARGE || distance < size || distance > 2 * size + 64 || distance == 0 {
                continue;
            }
            let known = self.least.entry(size).or_insert((distance, 0));
            *known = match distance.cmp(&known.0) {
                core::cmp::Ordering::Less => (distance, 1),
                core::cmp::Ordering::Equal => (known.0, known.1 + 1),
                core::cmp::Ordering::Greater => *known,
            };
        }
        for placed in placed {
            let size = placed.entry.size();
            match self.least.get(&size) {
                Some(&(distance, pairs)) if pairs >= PAIRS => {
                    placed.taken = distance;
                    self.learned += size;
                }
                _ => {
                    placed.taken = assume(size);
                    self.assumed += if size <= LARGE { size } else { 0 };
                }
            }
        }
    }
}

/// A chunk has 8 bytes of its own and at least 32; from 128 KiB on it is a mapping. What moves is that threshold, so that
/// larger blocks may lie in the heap: the difference is less than a page.
fn as_glibc(size: u64) -> u64 {
    if size >= 128 << 10 {
        return size.saturating_add(16).next_multiple_of(PAGE);
    }
    (size + 8).next_multiple_of(16).max(32)
}

/// Eight size classes for each doubling, but none closer than 16 bytes; whole pages above.
fn assume(size: u64) -> u64 {
    if size > LARGE {
        return size.checked_next_multiple_of(PAGE).unwrap_or(size);
    }
    let step = (size.next_power_of_two() / 16).max(16);
    size.max(1).next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Entry;

    fn fill(placed: &mut [Placed], rule: Rule) -> RoundingFrom {
        let mut rounding = Rounding::new(rule);
        rounding.fill(placed);
        rounding.from()
    }

    fn at(address: u64, size: u64) -> Placed {
        Placed { block: 0, entry: Entry::new(address, size, 0, 0, 0), taken: 0 }
    }

    #[test]
    fn glibc_by_its_rule() {
        assert_eq!([0, 1, 24, 25, 40, 41].map(as_glibc), [32, 32, 32, 48, 48, 64]);
        assert_eq!(as_glibc(128 << 10), (128 << 10) + 4096);
        assert_eq!(Rule::of("/lib/x86_64-linux-gnu/libc.so.6"), Rule::Glibc);
        assert_eq!(Rule::of("glibc 2.36"), Rule::Glibc);
        assert_eq!(Rule::of("/usr/lib/libjemalloc.so.2"), Rule::Neighbours);
    }

    #[test]
    fn others_by_their_neighbours() {
        let mut placed: Vec<Placed> = (0..8).map(|n| at(0x1000 + n * 80, 65)).collect();
        assert_eq!(fill(&mut placed, Rule::Neighbours), RoundingFrom::Addresses);
        assert!(placed.iter().all(|placed| placed.taken == 80));
        let mut alone = [at(0x1000, 100), at(0x9000, 5000)];
        assert_eq!(fill(&mut alone, Rule::Neighbours), RoundingFrom::Estimate);
        assert_eq!(alone.map(|placed| placed.taken), [112, 5120]);
    }

    #[test]
    fn a_block_does_not_reach_into_the_next_one() {
        let mut placed = [at(0x1000, 100), at(0x1068, 100)];
        fill(&mut placed, Rule::Glibc);
        assert_eq!(placed[0].taken, 104);
    }
}
