//! Which block a step begins and which it ends; and maps by whole numbers.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use crate::step::{Block, Frame, How, Op};

/// A map by a whole number.
pub type NumberMap<K, T> = HashMap<K, T, BuildHasherDefault<Numbers>>;

/// Numbers that count up are spread well enough by one multiplication.
#[derive(Debug, Default)]
pub struct Numbers(u64);

impl Hasher for Numbers {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 by the golden ratio. The table takes low bits and high ones: the swap gives both of them something.
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).swap_bytes();
    }
}

/// A block as it comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct New {
    pub block: Block,
    /// By which call. That of `realloc` has none of its own: it is taken for `malloc`.
    pub how: How,
    pub size: u64,
    /// As requested, or 0.
    pub align: u64,
    pub address: u64,
    /// From where, or 0.
    pub frame: Frame,
}

impl Op {
    /// The block that is gone from now on.
    pub fn gone(&self) -> Option<Block> {
        match *self {
            Self::Free { block, .. } | Self::Reallocate { old: block, .. } => Some(block),
            _ => None,
        }
    }

    /// The block that is there from now on.
    pub fn made(&self) -> Option<New> {
        match *self {
            Self::Allocate { block, how, size, align, address, frame } => {
                Some(New { block, how, size, align, address, frame })
            }
            Self::Reallocate { block, size, address, frame, .. } => {
                Some(New { block, how: How::Malloc, size, align: 0, address, frame })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realloc_is_an_end_and_a_begin() {
        let op = Op::Reallocate { old: 3, block: 9, size: 70, address: 0x40, frame: 0 };
        assert_eq!(op.gone(), Some(3));
        assert_eq!(op.made().map(|new| (new.block, new.size)), Some((9, 70)));
        assert_eq!(Op::ThreadStart.made(), None);
    }

    #[test]
    fn numbers_in_a_row_are_spread() {
        let mut live: NumberMap<u64, u64> = NumberMap::default();
        (0..10_000).for_each(|block| assert!(live.insert(block, block * 2).is_none()));
        assert_eq!(live.remove(&77), Some(154));
        assert_eq!(live.len(), 9_999);
    }
}
