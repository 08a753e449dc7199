//! Addresses whose blocks have been live for long, in a few bytes each: neighbours are alike.
//!
//! ```text
//! 512 KiB from 0x7f0000000000 on   ─► [ place: 15 bits, block and size above the least of all ] …    6 to 10 bytes a block
//! ```

use crate::blocks::NumberMap;
use crate::live::Packed;
use crate::step::Block;

/// Addresses are told apart in units of 2 to this many bytes; others do not settle.
const UNIT: u32 = 4;
/// A group has 2 to this many units.
const GROUP: u32 = 15;
/// Of a group with fewer blocks the group itself takes more than they.
const FEW: usize = 16;

/// By the number of their group.
#[derive(Debug, Default)]
pub(super) struct Settled {
    groups: NumberMap<u64, Packed<2>>,
}

/// An address with its block and the block's size.
pub(super) type Row = (u64, Block, u64);

fn split(address: u64) -> Option<(u64, u16)> {
    let unit = address >> UNIT;
    let is_whole = unit << UNIT == address;
    is_whole.then_some((unit >> GROUP, (unit % (1 << GROUP)) as u16))
}

impl Settled {
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    pub(super) fn get(&self, address: u64) -> Option<(Block, u64)> {
        let (group, place) = split(address)?;
        self.groups.get(&group)?.get(place).map(|[block, size]| (block, size))
    }

    pub(super) fn remove(&mut self, address: u64) -> Option<(Block, u64)> {
        let (number, place) = split(address)?;
        let group = self.groups.get_mut(&number)?;
        let [block, size] = group.remove(place)?;
        if group.is_empty() {
            self.groups.remove(&number);
        }
        Some((block, size))
    }

    /// Takes these, sorted by address, none of which it has; those that have too few neighbours are returned.
    pub(super) fn settle(&mut self, rows: &[Row]) -> Vec<Row> {
        let mut left = Vec::new();
        let group_of = |row: &Row| split(row.0).map(|(group, _)| group);
        for rows in rows.chunk_by(|a, b| group_of(a) == group_of(b)) {
            let number = group_of(&rows[0]);
            let Some(number) =
                number.filter(|group| rows.len() >= FEW || self.groups.contains_key(group))
            else {
                left.extend_from_slice(rows);
                continue;
            };
            let mut all = self.groups.remove(&number).map_or_else(Vec::new, |group| group.rows());
            all.extend(rows.iter().filter_map(|&(address, block, size)| {
                split(address).map(|(_, place)| (place, [block, size]))
            }));
            all.sort_unstable_by_key(|(place, _)| *place);
            self.groups.insert(number, Packed::of(&all));
        }
        left
    }
}
