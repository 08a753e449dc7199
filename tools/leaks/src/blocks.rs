//! The blocks that were live, by their addresses.

use trace::Frame;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// From where it was allocated, or 0.
    pub(crate) frame: Frame,
}

/// Blocks in the order of their addresses.
#[derive(Debug)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    pub(crate) fn new(mut all: Vec<Block>) -> Self {
        all.sort_unstable_by_key(|block| block.address);
        Self(all)
    }

    pub(crate) fn all(&self) -> &[Block] {
        &self.0
    }

    /// The block that a word points into: at its begin, or at one of its bytes. A block of no bytes has one.
    pub(crate) fn at(&self, word: u64) -> Option<usize> {
        if word < self.0.first()?.address {
            return None;
        }
        let place = self.0.partition_point(|block| block.address <= word).checked_sub(1)?;
        let block = self.0[place];
        (word - block.address < block.size.max(1)).then_some(place)
    }

    pub(crate) fn beginning_at(&self, word: u64) -> Option<usize> {
        self.0.binary_search_by_key(&word, |block| block.address).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_point_to_begins_and_insides() {
        let block = |address, size| Block { address, size, frame: 0 };
        let blocks = Blocks::new(vec![block(300, 0), block(100, 24), block(200, 8)]);
        let found = [99, 100, 123, 124, 200, 208, 300, 301].map(|word| blocks.at(word));
        assert_eq!(found, [None, Some(0), Some(0), None, Some(1), None, Some(2), None]);
        assert_eq!([100, 101].map(|word| blocks.beginning_at(word)), [Some(0), None]);
        assert_eq!(Blocks::new(Vec::new()).at(1), None);
    }
}
