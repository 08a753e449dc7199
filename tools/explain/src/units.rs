//! Where blocks have lain: a record for each 64 KiB of addresses.
//!
//! No trace says which free pages an allocator has given back; that a page was ever under a block bounds what it can have
//! kept. A block above [`MOST`] is a mapping of its own in every allocator, and is only summed.

use trace::{NumberMap, Thread};

pub(crate) const UNIT: u64 = 64 << 10;
/// Bytes of a page, for this purpose, whatever the recorded machine's are.
pub(crate) const PAGE: u64 = 4 << 10;
/// Larger blocks are not followed by units.
pub(crate) const MOST: u64 = 64 << 20;

/// So many units are followed: 128 GiB of addresses, 100 bytes each at the most.
const UNITS: usize = 2 << 20;

/// What is known of 64 KiB.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unit {
    /// Bytes of live blocks.
    pub(crate) live: u32,
    /// The most of them at one time.
    pub(crate) most: u32,
    /// Bytes of blocks that were ever allocated here.
    pub(crate) ever: u64,
    /// A bit for each page on which a block lay.
    pub(crate) touched: u16,
    /// Who allocated here last.
    pub(crate) thread: Thread,
}

impl Unit {
    /// Bytes of the pages on which a block ever lay.
    pub(crate) fn touched(&self) -> u64 {
        u64::from(self.touched.count_ones()) * PAGE
    }
}

#[derive(Debug, Default)]
pub(crate) struct Units {
    map: NumberMap<u64, Unit>,
    /// Bytes of all pages on which a block ever lay.
    pub(crate) touched: u64,
    /// Bytes of live blocks above [`MOST`].
    pub(crate) huge: u64,
    /// Whether blocks have lain on more units than are followed.
    pub(crate) is_full: bool,
}

impl Units {
    pub(crate) fn allocate(&mut self, address: u64, size: u64, thread: Thread) {
        if size > MOST {
            self.huge += size;
            return;
        }
        for (number, from, to) in pieces(address, size) {
            if self.map.len() >= UNITS && !self.map.contains_key(&number) {
                self.is_full = true;
                continue;
            }
            let unit = self.map.entry(number).or_default();
            unit.live = unit.live.saturating_add(to - from);
            unit.most = unit.most.max(unit.live);
            unit.ever += u64::from(to - from);
            unit.thread = thread;
            let before = unit.touched;
            unit.touched |= mask(from, to);
            self.touched += u64::from((unit.touched & !before).count_ones()) * PAGE;
        }
    }

    pub(crate) fn free(&mut self, address: u64, size: u64) {
        if size > MOST {
            self.huge = self.huge.saturating_sub(size);
            return;
        }
        for (number, from, to) in pieces(address, size) {
            if let Some(unit) = self.map.get_mut(&number) {
                unit.live = unit.live.saturating_sub(to - from);
            }
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Unit> {
        self.map.get(&number)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Unit> {
        self.map.values()
    }
}

/// The units under a block: each one's number, and where in it the block begins and ends.
fn pieces(address: u64, size: u64) -> impl Iterator<Item = (u64, u32, u32)> {
    let end = address.saturating_add(size.max(1));
    let (first, last) = (address / UNIT, (end - 1) / UNIT);
    (first..=last).map(move |number| {
        let start = number * UNIT;
        let within = |at: u64| u32::try_from(at.saturating_sub(start).min(UNIT)).unwrap_or(0);
        (number, within(address), within(end))
    })
}

/// A bit for each page between two places of a unit.
fn mask(from: u32, to: u32) -> u16 {
    let page = u32::try_from(PAGE).unwrap_or(1);
    let (first, last) = (from / page, (to.max(from + 1) - 1) / page);
    let ones = (1_u32 << (last - first + 1)) - 1;
    u16::try_from((ones << first) & 0xffff).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_over_a_seam_lies_in_both_units() {
        let mut units = Units::default();
        units.allocate(UNIT - 16, 48, 3);
        let (low, high) = (units.get(0).unwrap(), units.get(1).unwrap());
        assert_eq!((low.live, low.touched), (16, 0x8000));
        assert_eq!((high.live, high.touched, high.thread), (32, 1, 3));
        assert_eq!(units.touched, 2 * PAGE);
        units.free(UNIT - 16, 48);
        assert!(units.iter().all(|unit| unit.live == 0 && unit.most > 0));
        assert_eq!(units.touched, 2 * PAGE);
    }

    #[test]
    fn whole_units_and_huge_blocks() {
        let mut units = Units::default();
        units.allocate(UNIT, 2 * UNIT, 0);
        assert_eq!(units.touched, 2 * UNIT);
        units.allocate(0, MOST + 1, 0);
        assert_eq!((units.touched, units.huge), (2 * UNIT, MOST + 1));
        units.free(0, MOST + 1);
        assert_eq!(units.huge, 0);
        for number in 0..=UNITS as u64 {
            units.allocate(number * UNIT, 16, 0);
        }
        assert_eq!((units.map.len(), units.is_full), (UNITS, true));
        units.free(UNITS as u64 * UNIT, 16);
        // A damaged trace may name any address.
        units.allocate(u64::MAX - 8, 4096, 0);
        units.free(u64::MAX - 8, 4096);
    }
}
