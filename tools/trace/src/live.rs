//! Which blocks are live, by a number that each has: its address, or its place in the order of allocation.
//!
//! ```text
//! 64 shards, each a table of its own:   [ key, block, size │ empty │ key, dead │ key, block, size │ … ]
//! ```
//!
//! 24 bytes an entry. A shard that is full grows alone, so that growing never needs twice the memory of all. A key whose block
//! is gone stays as a dead one until its shard is made anew: most addresses are soon returned again, and a second free of one
//! is told from the free of an address that was never seen.

use crate::step::Block;

const SHARDS: usize = 64;
const SMALLEST: usize = 16;
const EMPTY: Block = Block::MAX;
const DEAD: Block = Block::MAX - 1;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    block: Block,
    size: u64,
}

/// What was there under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A live block and its size.
    Live(Block, u64),
    /// A block that is gone.
    Dead,
    /// Nothing, as far as is remembered.
    Unknown,
}

#[derive(Debug)]
struct Shard {
    /// A power of two of them, at least a quarter of them empty, so that an address that is not there is soon known not to be.
    entries: Vec<Entry>,
    used: usize,
    live: usize,
}

/// Live blocks by key.
#[derive(Debug)]
pub(crate) struct Live {
    shards: Vec<Shard>,
}

fn hash(key: u64) -> u64 {
    let mixed = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

impl Shard {
    fn new(len: usize) -> Self {
        Self { entries: vec![Entry { key: 0, block: EMPTY, size: 0 }; len], used: 0, live: 0 }
    }

    /// Where the key is, or where it would come to be.
    fn place(&self, key: u64, hash: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = (hash >> 6) as usize & mask;
        loop {
            let entry = &self.entries[at];
            if entry.block == EMPTY || entry.key == key {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, key: u64, hash: u64, block: Block, size: u64) {
        let at = self.place(key, hash);
        let was = core::mem::replace(&mut self.entries[at], Entry { key, block, size });
        self.used += usize::from(was.block == EMPTY);
        self.live += usize::from(was.block >= DEAD);
        if self.used * 4 > self.entries.len() * 3 {
            self.renew();
        }
    }

    /// A table without the dead, at most five eighths full.
    #[cold]
    fn renew(&mut self) {
        let len = (self.live * 8 / 5 + 1).next_power_of_two().max(SMALLEST);
        let old = core::mem::replace(self, Self::new(len));
        for entry in old.entries.into_iter().filter(|entry| entry.block < DEAD) {
            self.insert(entry.key, hash(entry.key), entry.block, entry.size);
        }
    }
}

impl Live {
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::new(SMALLEST)).collect() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
    fn shard(hash: u64) -> usize {
        hash as usize % SHARDS
    }

    /// What is there under `key`.
    pub(crate) fn get(&self, key: u64) -> Found {
        let hash = hash(key);
        let shard = &self.shards[Self::shard(hash)];
        match shard.entries[shard.place(key, hash)] {
            Entry { block: EMPTY, .. } => Found::Unknown,
            Entry { block: DEAD, .. } => Found::Dead,
            Entry { block, size, .. } => Found::Live(block, size),
        }
    }

    /// A block under `key`, instead of the one that was there.
    pub(crate) fn insert(&mut self, key: u64, block: Block, size: u64) {
        let hash = hash(key);
        self.shards[Self::shard(hash)].insert(key, hash, block, size);
    }

    /// What is live, in the order of its keys: blocks, or what else was put there, and sizes.
    pub(crate) fn all(&self) -> Vec<(Block, u64)> {
        let entries = self.shards.iter().flat_map(|shard| &shard.entries);
        let mut live: Vec<_> = entries.filter(|entry| entry.block < DEAD).collect();
        live.sort_unstable_by_key(|entry| entry.key);
        live.iter().map(|entry| (entry.block, entry.size)).collect()
    }

    /// The block under `key` is gone.
    pub(crate) fn remove(&mut self, key: u64) -> Found {
        let hash = hash(key);
        let shard = &mut self.shards[Self::shard(hash)];
        let at = shard.place(key, hash);
        let entry = &mut shard.entries[at];
        match entry.block {
            EMPTY => Found::Unknown,
            DEAD => Found::Dead,
            block => {
                entry.block = DEAD;
                shard.live -= 1;
                Found::Live(block, entry.size)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Live, SHARDS};

    #[test]
    fn what_was_put_in_is_found_until_it_is_gone() {
        let mut live = Live::new();
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
    }

    #[test]
    fn memory_follows_what_is_live() {
        let mut live = Live::new();
        for key in 0..1_000_000u64 {
            live.insert(key * 16, key, 1);
            live.remove(key * 16);
        }
        let entries: usize = live.shards.iter().map(|shard| shard.entries.len()).sum();
        assert!(entries <= SHARDS * super::SMALLEST, "{entries}");
    }
}
