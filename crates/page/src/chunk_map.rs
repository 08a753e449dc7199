//! A map of two levels: from an address to a word, for chunks of some MiB.
//!
//! ```text
//! address  [ root: 13 bits │ the rest │ offset in the chunk: SHIFT bits ]      48 bits
//!            │               └► leaf: a word for each chunk
//!            └► root: 8,192 leaves, in the map itself
//! ```
//!
//! - **chunk-map-Q2** a leaf is zero at first, and stays for ever.
//!
//! As [`RadixMap`](crate::RadixMap) with one level less: two loads a look, no lock. A leaf of chunks of 4 MiB is 64 KiB of
//! addresses, of which what is written costs memory.
//!
//! Layer *page*.
use base::sync::{AtomicUsize, Ordering};

use crate::{Arena, System};

/// Bits of an address that a program can have.
const ADDRESS: u32 = 48;
/// log2 of the leaves.
const ROOT: u32 = 13;

/// The map. A chunk has `1 << SHIFT` bytes.
#[derive(Debug)]
pub struct ChunkMap<const SHIFT: u32> {
    root: [AtomicUsize; 1 << ROOT],
}

impl<const SHIFT: u32> ChunkMap<SHIFT> {
    /// log2 of the words in a leaf.
    const LEAF: u32 = ADDRESS - ROOT - SHIFT;

    /// Without entries.
    pub const fn new() -> Self {
        Self { root: [const { AtomicUsize::new(0) }; 1 << ROOT] }
    }

    /// The word of the chunk that `address` lies in; 0 where none was set.
    #[inline(always)]
    pub fn get(&self, address: usize) -> usize {
        let root = address >> (SHIFT + Self::LEAF);
        let leaf = if root < self.root.len() { self.root[root].load(Ordering::Acquire) } else { 0 };
        if leaf == 0 {
            return 0;
        }
        // SAFETY: one of the leaf's words.
        unsafe { &*Self::word(leaf, address) }.load(Ordering::Relaxed)
    }

    /// A chunk's word in its leaf: one of `1 << LEAF`, which stay (chunk-map-Q2).
    #[inline(always)]
    fn word(leaf: usize, address: usize) -> *const AtomicUsize {
        let index = address >> SHIFT & ((1 << Self::LEAF) - 1);
        core::ptr::with_exposed_provenance::<AtomicUsize>(leaf).wrapping_add(index)
    }

    /// Whether there is a leaf for the chunk at `at`.
    pub fn has(&self, at: usize) -> bool {
        let leaf = self.root.get(at >> (SHIFT + Self::LEAF));
        leaf.is_some_and(|leaf| leaf.load(Ordering::Acquire) != 0)
    }

    /// Makes the leaf for the chunk at `at`. `false`: out of memory, or beyond all addresses. One thread at a time.
    pub fn cover<S: System>(&self, arena: &Arena<S>, source: &S, at: usize) -> bool {
        let Some(slot) = self.root.get(at >> (SHIFT + Self::LEAF)) else { return false };
        if slot.load(Ordering::Relaxed) == 0 {
            let bytes = size_of::<usize>() << Self::LEAF;
            let Some(leaf) = arena.allocate(source, bytes, 64) else { return false };
            slot.store(leaf, Ordering::Release);
        }
        true
    }

    /// Sets the word of the chunk that `address` lies in, which is [covered](Self::cover).
    pub fn set(&self, address: usize, value: usize) {
        let leaf = self.root.get(address >> (SHIFT + Self::LEAF));
        let leaf = leaf.map_or(0, |leaf| leaf.load(Ordering::Relaxed));
        if leaf != 0 {
            // SAFETY: one of the leaf's words.
            unsafe { &*Self::word(leaf, address) }.store(value, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use source::os::Os;

    use super::*;

    #[test]
    fn a_word_is_found_by_every_address_of_its_chunk_and_by_no_other() {
        static MAP: ChunkMap<22> = ChunkMap::new();
        let arena = Arena::new();
        assert!(MAP.cover(&arena, &Os, 0x7000_0000_0000));
        MAP.set(0x7000_0040_0000, 7);
        assert_eq!(MAP.get(0x7000_0040_0000), 7);
        assert_eq!(MAP.get(0x7000_007f_ffff), 7);
        assert_eq!((MAP.get(0x7000_0000_0000), MAP.get(0x7000_0080_0000)), (0, 0));
        assert_eq!((MAP.get(0x1000), MAP.get(usize::MAX)), (0, 0), "never covered, no address");
        assert!(!MAP.cover(&arena, &Os, 1 << 48), "beyond all addresses");
    }
}
