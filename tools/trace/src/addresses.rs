//! Which block an address has, while it is live.
//!
//! ```text
//! 64 shards, each a table of its own:   [ address, block, size │ empty │ address, dead │ address, block, size │ … ]
//!       └ where there are four million: those settle, in a third of the room
//! ```
//!
//! 20 bytes an entry, 27 to 32 for a live block. A shard that is full grows alone, so that growing never needs twice the memory of
//! all. An address whose block is gone stays as a dead one until its shard is made anew: most addresses are soon returned again,
//! and a second free of one is told from the free of an address that was never seen.

mod settled;

use self::settled::{Row, Settled};
use crate::step::Block;

const SHARDS: usize = 64;
const SMALLEST: usize = 16;
/// So many live blocks settle.
const MANY: usize = 4 << 20;
/// Numbers of blocks that stand for none: below them is more than any file has.
const EMPTY: Block = (1 << 48) - 1;
const DEAD: Block = EMPTY - 1;
/// No block is larger, of no machine: what a damaged file has above this is read as this.
pub(crate) const LARGEST: u64 = (1 << 48) - 1;

/// The address, the block's number and its size, of which the latter two have 48 bits.
#[derive(Debug, Clone, Copy)]
struct Entry([u32; 5]);

#[expect(clippy::cast_possible_truncation, reason = "numbers are taken apart")]
impl Entry {
    fn new(key: u64, block: Block, size: u64) -> Self {
        let size = size.min(LARGEST);
        let high = (block >> 32) << 16 | size >> 32;
        Self([key as u32, (key >> 32) as u32, block as u32, size as u32, high as u32])
    }

    fn key(&self) -> u64 {
        u64::from(self.0[1]) << 32 | u64::from(self.0[0])
    }

    fn block(&self) -> Block {
        u64::from(self.0[4] >> 16) << 32 | u64::from(self.0[2])
    }

    fn size(&self) -> u64 {
        u64::from(self.0[4] & 0xFFFF) << 32 | u64::from(self.0[3])
    }
}

/// What was there under an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A live block and its size.
    Live(Block, u64),
    Dead,
    /// Nothing, as far as is remembered.
    Unknown,
}

#[derive(Debug)]
struct Shard {
    /// At least a quarter of them empty, so that an address that is not there is soon known not to be.
    entries: Vec<Entry>,
    used: usize,
    live: usize,
}

/// Live blocks by their addresses.
#[derive(Debug)]
pub(crate) struct Addresses {
    shards: Vec<Shard>,
    settled: Settled,
    /// Live blocks in the shards, and how many of them settle.
    live: usize,
    many: usize,
}

fn hash(key: u64) -> u64 {
    let mixed = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

impl Shard {
    fn new(len: usize) -> Self {
        Self { entries: vec![Entry::new(0, EMPTY, 0); len], used: 0, live: 0 }
    }

    /// Where the key is, or where it would come to be.
    fn place(&self, key: u64, hash: u64) -> usize {
        let len = self.entries.len();
        let mut at = (((hash >> 32) * len as u64) >> 32) as usize;
        loop {
            let entry = &self.entries[at];
            if entry.key() == key || entry.block() == EMPTY {
                return at;
            }
            at = if at + 1 == len { 0 } else { at + 1 };
        }
    }

    fn insert(&mut self, key: u64, hash: u64, block: Block, size: u64) {
        let at = self.place(key, hash);
        let was = core::mem::replace(&mut self.entries[at], Entry::new(key, block, size)).block();
        self.used += usize::from(was == EMPTY);
        self.live += usize::from(was >= DEAD);
        if self.used * 4 > self.entries.len() * 3 {
            self.renew();
        }
    }

    /// A table without the dead, at most five eighths full.
    #[cold]
    fn renew(&mut self) {
        let old = core::mem::replace(self, Self::new((self.live * 8 / 5 + 1).max(SMALLEST)));
        for entry in old.entries.into_iter().filter(|entry| entry.block() < DEAD) {
            self.insert(entry.key(), hash(entry.key()), entry.block(), entry.size());
        }
    }
}

impl Addresses {
    pub(crate) fn new() -> Self {
        Self::settling(MANY)
    }

    fn settling(many: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Shard::new(SMALLEST)).collect();
        Self { shards, settled: Settled::default(), live: 0, many }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
    fn shard(hash: u64) -> usize {
        hash as usize % SHARDS
    }

    pub(crate) fn get(&self, key: u64) -> Found {
        let hash = hash(key);
        let shard = &self.shards[Self::shard(hash)];
        let entry = &shard.entries[shard.place(key, hash)];
        match entry.block() {
            EMPTY | DEAD => {
                let gone = if entry.block() == DEAD { Found::Dead } else { Found::Unknown };
                self.settled.get(key).map_or(gone, |(block, size)| Found::Live(block, size))
            }
            block => Found::Live(block, entry.size()),
        }
    }

    /// A block under `key`, instead of the one that was there.
    pub(crate) fn insert(&mut self, key: u64, block: Block, size: u64) {
        if !self.settled.is_empty() {
            self.settled.remove(key);
        }
        self.put(key, block, size);
        if self.live >= self.many {
            self.settle();
        }
    }

    fn put(&mut self, key: u64, block: Block, size: u64) {
        let hash = hash(key);
        let shard = &mut self.shards[Self::shard(hash)];
        let before = shard.live;
        shard.insert(key, hash, block, size);
        let after = shard.live;
        self.live = self.live + after - before;
    }

    /// All that are in the shards settle, but for those with too few neighbours.
    #[cold]
    fn settle(&mut self) {
        let mut rows: Vec<Row> = Vec::with_capacity(self.live);
        for shard in &mut self.shards {
            let shard = core::mem::replace(shard, Shard::new(SMALLEST));
            let live = shard.entries.iter().filter(|entry| entry.block() < DEAD);
            rows.extend(live.map(|entry| (entry.key(), entry.block(), entry.size())));
        }
        self.live = 0;
        rows.sort_unstable_by_key(|row| row.0);
        let left = self.settled.settle(&rows);
        drop(rows);
        // What never settles must not be tried again and again.
        self.many = self.many.max(2 * left.len());
        for (key, block, size) in left {
            self.put(key, block, size);
        }
    }

    pub(crate) fn remove(&mut self, key: u64) -> Found {
        let hash = hash(key);
        let shard = &mut self.shards[Self::shard(hash)];
        let at = shard.place(key, hash);
        let entry = shard.entries[at];
        match entry.block() {
            EMPTY | DEAD => match self.settled.remove(key) {
                Some((block, size)) => {
                    // A second free of it is told from that of an unknown address.
                    self.put(key, block, size);
                    self.remove(key)
                }
                None if entry.block() == DEAD => Found::Dead,
                None => Found::Unknown,
            },
            block => {
                shard.entries[at] = Entry::new(key, DEAD, 0);
                shard.live -= 1;
                self.live -= 1;
                Found::Live(block, entry.size())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Addresses, Found, LARGEST, SHARDS};

    #[test]
    fn what_was_put_in_is_found_until_it_is_gone() {
        let mut live = Addresses::new();
        for key in 0..10_000u64 {
            live.insert(key * 16, key, key + 1);
        }
        for key in 0..10_000u64 {
            assert_eq!(live.get(key * 16), Found::Live(key, key + 1));
            assert_eq!(live.get(key * 16 + 8), Found::Unknown);
        }
        for key in (0..10_000u64).step_by(2) {
            assert_eq!(live.remove(key * 16), Found::Live(key, key + 1));
            assert_eq!(live.remove(key * 16), Found::Dead);
        }
        live.insert(0, 7, 8);
        assert_eq!((live.get(0), live.get(16)), (Found::Live(7, 8), Found::Live(1, 2)));
        live.insert(u64::MAX, 1 << 47, u64::MAX);
        assert_eq!(live.get(u64::MAX), Found::Live(1 << 47, LARGEST));
    }

    /// The same as a map, whatever settles in between.
    #[test]
    fn what_has_settled_is_found_like_any_other() {
        let mut live = Addresses::settling(1000);
        let mut map = std::collections::HashMap::new();
        let mut random = 1_u64;
        for block in 0..40_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Many close to each other, some odd, some far from all.
            let key = match random >> 61 {
                0 => (random >> 24) << 20,
                1 => (random >> 50) | 1,
                _ => ((random >> 40) % 6000) << 4,
            };
            if (random >> 33).is_multiple_of(3) {
                let found = match map.remove(&key) {
                    Some((block, size)) => Found::Live(block, size),
                    None => live.get(key),
                };
                assert_eq!(live.remove(key), found);
                assert!(!matches!(live.get(key), Found::Live(..)));
            } else {
                map.insert(key, (block, random >> 50));
                live.insert(key, block, random >> 50);
            }
        }
        assert!(!live.settled.is_empty());
        for (key, (block, size)) in map {
            assert_eq!(live.remove(key), Found::Live(block, size));
            assert_eq!(live.remove(key), Found::Dead, "a second free is one");
        }
    }

    #[test]
    fn memory_follows_what_is_live() {
        let mut live = Addresses::new();
        for key in 0..1_000_000u64 {
            live.insert(key * 16, key, 1);
            live.remove(key * 16);
        }
        let entries: usize = live.shards.iter().map(|shard| shard.entries.len()).sum();
        assert!(entries <= SHARDS * super::SMALLEST, "{entries}");
    }
}
