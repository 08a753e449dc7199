//! The blocks that are live: an entry each, found by the block's number.
//!
//! ```text
//! numbers    0 … 4095     4096 … 8191     8192 …
//! groups    [ 17 │ 903 ]  [ all, in order ]  [ …        those left of 4,096 numbers that follow each other
//! ```
//!
//! - **L1** a group's numbers rise, so that a block is found by bisection, or at once while none of its group is gone.
//! - **L2** at least half of a group's entries are live: 34 to 68 bytes for a live block.

use trace::{Block, Frame, Thread};

use trace::NumberMap;

const GROUP_BITS: u32 = 12;
const GROUP: u64 = 1 << GROUP_BITS;

/// What is known of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) address: u64,
    size: u64,
    /// When it, or the block that `realloc` made it from, was allocated.
    pub(crate) born: u64,
    pub(crate) thread: Thread,
    pub(crate) frame: Frame,
}

/// Addresses end here.
const ADDRESSES: u64 = 1 << 57;
/// In `size`: `realloc` has enlarged it. In `size` too, and with no other bit: it is gone.
const GROWN: u64 = 1 << 63;
const GONE: u64 = u64::MAX;

impl Entry {
    pub(crate) fn new(address: u64, size: u64, born: u64, thread: Thread, frame: Frame) -> Self {
        let (address, size) = (address & (ADDRESSES - 1), crate::bytes(size));
        Self { address, size, born, thread, frame }
    }

    /// The same as enlarged by `realloc`.
    pub(crate) fn grown(self) -> Self {
        Self { size: self.size | GROWN, ..self }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size & !GROWN
    }

    pub(crate) fn is_grown(&self) -> bool {
        self.size & GROWN != 0
    }
}

#[derive(Debug, Default)]
struct Group {
    numbers: Vec<u16>,
    entries: Vec<Entry>,
    live: usize,
}

impl Group {
    fn find(&self, low: u16) -> Option<usize> {
        if self.numbers.get(usize::from(low)) == Some(&low) {
            return Some(usize::from(low));
        }
        self.numbers.binary_search(&low).ok()
    }

    fn compact(&mut self) {
        let is_live = |entry: &Entry| entry.size != GONE;
        let mut live = self.entries.iter().map(is_live);
        self.numbers.retain(|_| live.next().unwrap_or(false));
        self.entries.retain(is_live);
        self.numbers.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}

/// All live blocks.
#[derive(Debug, Default)]
pub(crate) struct Live {
    groups: NumberMap<u64, Group>,
    /// How many.
    pub(crate) blocks: u64,
    /// What they asked for.
    pub(crate) bytes: u64,
}

impl Live {
    pub(crate) fn insert(&mut self, block: Block, entry: Entry) {
        let group = self.groups.entry(block >> GROUP_BITS).or_default();
        let low = low(block);
        if group.numbers.last().is_none_or(|&last| last < low) {
            group.numbers.push(low);
            group.entries.push(entry);
        } else {
            // A number that comes twice or late is a damaged trace's; the last one holds.
            match group.numbers.binary_search(&low) {
                Ok(at) if group.entries[at].size != GONE => {
                    self.bytes -= group.entries[at].size();
                    self.blocks -= 1;
                    group.live -= 1;
                    group.entries[at] = entry;
                }
                Ok(at) => group.entries[at] = entry,
                Err(at) => {
                    group.numbers.insert(at, low);
                    group.entries.insert(at, entry);
                }
            }
        }
        group.live += 1;
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(entry.size());
    }

    pub(crate) fn remove(&mut self, block: Block) -> Option<Entry> {
        let number = block >> GROUP_BITS;
        let group = self.groups.get_mut(&number)?;
        let at = group.find(low(block))?;
        let entry = group.entries[at];
        if entry.size == GONE {
            return None;
        }
        group.entries[at].size = GONE;
        group.live -= 1;
        self.blocks -= 1;
        self.bytes = self.bytes.saturating_sub(entry.size());
        if group.live == 0 {
            self.groups.remove(&number);
        } else if group.live * 2 < group.entries.len() {
            group.compact();
        }
        Some(entry)
    }

    /// Every live block, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Block, &Entry)> {
        self.groups.iter().flat_map(|(number, group)| {
            let first = number << GROUP_BITS;
            let all = group.numbers.iter().zip(&group.entries);
            all.filter(|(_, entry)| entry.size != GONE)
                .map(move |(&low, entry)| (first + u64::from(low), entry))
        })
    }
}

fn low(block: Block) -> u16 {
    u16::try_from(block & (GROUP - 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: u64) -> Entry {
        Entry::new(0x1000, size, 0, 0, 0)
    }

    #[test]
    fn what_is_left_is_found() {
        let mut live = Live::default();
        (0..20_000).for_each(|block| live.insert(block, entry(block)));
        for block in (0..20_000).filter(|block| block % 97 != 0) {
            assert_eq!(live.remove(block), Some(entry(block)));
            assert_eq!(live.remove(block), None);
        }
        let left: Vec<u64> = (0..20_000).filter(|block| block % 97 == 0).collect();
        let mut found: Vec<u64> = live.iter().map(|(block, _)| block).collect();
        found.sort_unstable();
        assert_eq!(found, left);
        assert_eq!((live.blocks, live.bytes), (left.len() as u64, left.iter().sum()));
        assert!(live.groups.values().all(|group| group.entries.len() <= 2 * group.live));
    }

    #[test]
    fn numbers_of_a_damaged_trace_do_not_confuse_the_sums() {
        let mut live = Live::default();
        live.insert(7, entry(10));
        live.insert(7, entry(20));
        live.insert(3, entry(5));
        live.insert(u64::MAX, entry(1));
        assert_eq!((live.blocks, live.bytes), (3, 26));
        assert_eq!(live.remove(99), None);
        assert_eq!(live.remove(7).map(|entry| entry.size()), Some(20));
        assert_eq!((live.blocks, live.bytes), (2, 6));
    }

    #[test]
    fn an_entry_keeps_its_size_when_it_grows() {
        let grown = entry(48).grown();
        assert_eq!((grown.size(), grown.is_grown(), entry(48).is_grown()), (48, true, false));
        assert_eq!(size_of::<Entry>(), 32);
    }
}
