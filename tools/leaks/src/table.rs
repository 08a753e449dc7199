//! The recorder's table of live blocks, as the copy has it.

use trace_format::cells::{
    CELLS, REGIONS, RESIZED, UNIT_BYTES, address, frame_and_size, is_large, is_live,
};

use crate::blocks::Block;
use crate::copy::Mapping;
use crate::memory::Memory;

/// The live blocks of the table at an address, and of each mapping whether a block ever began in it.
pub(crate) fn read(
    memory: &mut Memory,
    table: u64,
    mappings: &[Mapping],
) -> (Vec<Block>, Vec<bool>) {
    let had_block = vec![false; mappings.len()];
    let mut found = Found { mappings, at: 0, had_block, live: Vec::new(), is_large: false };
    let mut regions = Vec::new();
    memory.each_word_at(table..table + REGIONS as u64 * 8, true, |at, cells| {
        regions.push(((at - table) / 8, cells));
    });
    for (region, cells) in regions {
        memory.each_word_at(cells..cells + CELLS as u64 * 4, true, |at, word| {
            let first = (at - cells) / 4;
            for (cell, bytes) in (first..).zip(word.to_le_bytes().as_chunks().0) {
                match u32::from_le_bytes(*bytes) {
                    0 => {}
                    bits => found.cell(address(region, cell), bits),
                }
            }
        });
    }
    (found.live, found.had_block)
}

/// What was found so far: cells come in the order of their addresses.
struct Found<'a> {
    mappings: &'a [Mapping],
    /// The mapping that the last cell was in, or the next one.
    at: usize,
    had_block: Vec<bool>,
    live: Vec<Block>,
    /// The size of the last block stands in the two cells behind its own.
    is_large: bool,
}

impl Found<'_> {
    fn cell(&mut self, address: u64, cell: u32) {
        while self.mappings.get(self.at).is_some_and(|mapping| mapping.range.end <= address) {
            self.at += 1;
        }
        if self.mappings.get(self.at).is_some_and(|mapping| mapping.range.start <= address) {
            self.had_block[self.at] = true;
        }
        if let Some(last) = self.live.last_mut() {
            let units = (address - last.address) / UNIT_BYTES;
            if self.is_large && units <= 2 {
                last.size |= u64::from(cell) << (u32::BITS * (units == 2) as u32);
                return;
            }
            if address - last.address < last.size {
                return;
            }
        }
        if is_live(cell) {
            self.is_large = is_large(cell);
            let (frame, size) = frame_and_size(cell);
            let frame = if frame == RESIZED { 0 } else { frame };
            self.live.push(Block { address, size: if self.is_large { 0 } else { size }, frame });
        }
    }
}

#[cfg(test)]
mod tests {
    use trace_format::cells::{GONE, cell};

    use super::*;

    #[test]
    fn blocks_of_each_size_and_what_is_inside_them() {
        let mapping = |start, end| Mapping { range: start..end, ..Mapping::default() };
        let mappings =
            [mapping(0x1000, 0x2000), mapping(0x8000, 0x9000), mapping(0x9000, 0x4_0000_0000)];
        let mut found = Found {
            mappings: &mappings,
            at: 0,
            had_block: vec![false; 3],
            live: Vec::new(),
            is_large: false,
        };
        let cells = [
            (0x8000, cell(7, 24)),
            // One that was freed before this one came.
            (0x8010, GONE),
            (0x8018, cell(0, 0)),
            (0x8020, GONE),
            (0x9000, cell(9, 5 << 30)),
            (0x9008, 1 << 30),
            (0x9010, 1),
            (0x1_0000_0000, cell(1, 1)),
            (0x1_4000_9000, cell(2, 16)),
        ];
        cells.into_iter().for_each(|(address, cell)| found.cell(address, cell));
        let block = |address, size, frame| Block { address, size, frame };
        let expected = [
            block(0x8000, 24, 7),
            block(0x8018, 0, 0),
            block(0x9000, 5 << 30, 9),
            block(0x1_4000_9000, 16, 2),
        ];
        assert_eq!(found.live, expected);
        assert_eq!(found.had_block, [false, true, true]);
    }
}
