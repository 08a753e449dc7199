//! Maps by numbers that are close together: one multiplication instead of a hash against attackers.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// A map by a whole number.
pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<Multiply>>;

/// Spreads a number over all bits.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        // 2^64 divided by the golden ratio: neighbours land far apart. The map takes its place from the low bits.
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
