//! A radix map of three levels: from an address to a word, for pages of any size.
//!
//! ```text
//! address  [ root │ 12 bits │ 12 bits │ offset in the page: SHIFT bits ]      48 bits
//!            │       │         └► leaf: 4,096 words
//!            │       └► node: 4,096 leaves
//!            └► root: ROOT nodes, in the map itself
//! ```
//!
//! - **radix-Q1** a node and a leaf are zero at first, and stay for ever.
//!
//! Who may write a word is the user's business; any thread may read it. Three loads a look, no lock. A leaf is 32 KiB of
//! addresses, of which what is written costs memory.
//!
//! Layer *page*. After the page map of TCMalloc (Ghemawat and Menage, "TCMalloc: Thread-Caching Malloc").
use base::sync::{AtomicUsize, Ordering};

use crate::{Arena, System};

/// log2 of the words in a node and a leaf.
const BITS: u32 = 12;
const WORDS: usize = 1 << BITS;
/// Bits of an address that a program can have.
const ADDRESS: u32 = 48;

/// The map. A page has `1 << SHIFT` bytes; `ROOT` is as many nodes as cover all addresses.
#[derive(Debug)]
pub struct RadixMap<const SHIFT: u32, const ROOT: usize> {
    root: [AtomicUsize; ROOT],
}

type Words = [AtomicUsize; WORDS];

fn words<'a>(at: usize) -> Option<&'a Words> {
    // SAFETY: 0, or the address of a node or leaf, which stays (radix-Q1).
    unsafe { core::ptr::with_exposed_provenance::<Words>(at).as_ref() }
}

impl<const SHIFT: u32, const ROOT: usize> RadixMap<SHIFT, ROOT> {
    /// Without entries.
    pub const fn new() -> Self {
        const { assert!(ROOT == 1 << (ADDRESS - SHIFT - 2 * BITS), "the root covers all addresses") };
        Self { root: [const { AtomicUsize::new(0) }; ROOT] }
    }

    /// The word of the page that `address` lies in; 0 where none was set.
    #[inline(always)]
    pub fn get(&self, address: usize) -> usize {
        self.word(address).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn word(&self, address: usize) -> Option<&AtomicUsize> {
        let page = address >> SHIFT;
        let node = words(self.root.get(page >> (2 * BITS))?.load(Ordering::Acquire))?;
        let leaf = words(node[page >> BITS & (WORDS - 1)].load(Ordering::Acquire))?;
        Some(&leaf[page & (WORDS - 1)])
    }

    /// Makes nodes and leaves for all pages of `[at, at + len)`. `false`: out of memory, or beyond all addresses. One
    /// thread at a time.
    pub fn cover<S: System>(&self, arena: &Arena<S>, source: &S, at: usize, len: usize) -> bool {
        let step = WORDS << SHIFT;
        let first = at & !(step - 1);
        (first..at + len).step_by(step).all(|address| self.grow(arena, source, address).is_some())
    }

    /// The leaf for an address is there afterwards.
    fn grow<S: System>(&self, arena: &Arena<S>, source: &S, address: usize) -> Option<()> {
        let page = address >> SHIFT;
        let node = below(arena, source, self.root.get(page >> (2 * BITS))?)?;
        below(arena, source, &node[page >> BITS & (WORDS - 1)])?;
        Some(())
    }

    /// Whether the page that `address` lies in is [covered](Self::cover).
    pub fn has(&self, address: usize) -> bool {
        self.word(address).is_some()
    }

    /// Sets the word of the page that `address` lies in, which is [covered](Self::cover).
    pub fn set(&self, address: usize, value: usize) {
        if let Some(word) = self.word(address) {
            word.store(value, Ordering::Release);
        }
    }

    /// Calls `visit` with every page that has a word, in order of addresses; it answers at which address to go on.
    pub fn walk(&self, mut visit: impl FnMut(usize, usize) -> usize) {
        let (leaf_len, node_len) = (WORDS << SHIFT, (WORDS << SHIFT) * WORDS);
        let mut at = 0;
        while at >> SHIFT >> (2 * BITS) < ROOT {
            let page = at >> SHIFT;
            let Some(node) = words(self.root[page >> (2 * BITS)].load(Ordering::Acquire)) else {
                at = (at & !(node_len - 1)) + node_len;
                continue;
            };
            let Some(leaf) = words(node[page >> BITS & (WORDS - 1)].load(Ordering::Acquire)) else {
                at = (at & !(leaf_len - 1)) + leaf_len;
                continue;
            };
            at = match leaf[page & (WORDS - 1)].load(Ordering::Acquire) {
                0 => at + (1 << SHIFT),
                word => visit(at, word).max(at + (1 << SHIFT)),
            };
        }
    }
}

/// What a word of a node leads to, made if it is not there yet.
fn below<'a, S: System>(arena: &Arena<S>, source: &S, word: &AtomicUsize) -> Option<&'a Words> {
    if let Some(there) = words(word.load(Ordering::Relaxed)) {
        return Some(there);
    }
    let at = arena.allocate(source, size_of::<Words>(), 64)?;
    word.store(at, Ordering::Release);
    words(at)
}

#[cfg(test)]
mod tests {
    use source::os::Os;

    use super::*;

    #[test]
    fn a_word_is_found_by_every_address_of_its_page_and_by_no_other() {
        static MAP: RadixMap<13, 2048> = RadixMap::new();
        let arena = Arena::new();
        assert!(MAP.cover(&arena, &Os, 0x7000_0000_0000, 64 << 20));
        MAP.set(0x7000_0000_2000, 7);
        MAP.set(0x7000_03ff_e000, 9);
        assert_eq!(MAP.get(0x7000_0000_2000), 7);
        assert_eq!(MAP.get(0x7000_0000_3fff), 7);
        assert_eq!(MAP.get(0x7000_0000_4000), 0);
        assert_eq!(MAP.get(0x7000_03ff_ffff), 9, "another leaf");
        assert_eq!((MAP.get(0x1000), MAP.get(usize::MAX)), (0, 0), "never covered, no address");
        assert!(!MAP.cover(&arena, &Os, 1 << 48, 1), "beyond all addresses");
        let mut seen = [0; 2];
        let mut count = 0;
        MAP.walk(|at, word| {
            seen[count] = at + word;
            count += 1;
            0
        });
        assert_eq!(seen, [0x7000_0000_2007, 0x7000_03ff_e009]);
    }
}
