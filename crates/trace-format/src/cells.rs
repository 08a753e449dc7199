//! The table of a process's live blocks: kept in its memory by the recorder, and read there, when it has ended, by who looks for leaks.
//!
//! ```text
//! address   [ region: 64 MiB │ unit: 8 bytes ]
//! table     regions ─► cells of the region, one a unit      a region without blocks has none
//! cell      [ frame: 20 bits │ size + 1, or 4095 ]          of the unit where a block begins; those of its other units are of no meaning,
//!                                                           but that a larger size stands in the two behind it, the low half first
//! ```

/// Bytes of a region are 2 to this.
const REGION: u32 = 26;
/// Bytes of a unit are 2 to this: the least distance of two blocks.
const UNIT: u32 = 3;
/// Bits of a cell for the size.
const SIZE: u32 = 12;
/// The size stands behind.
const LARGE: u32 = (1 << SIZE) - 1;

/// Regions of a process's addresses.
pub const REGIONS: usize = 1 << (47 - REGION);
/// Cells of a region.
pub const CELLS: usize = 1 << (REGION - UNIT);
/// Bytes of addresses that a cell stands for.
pub const UNIT_BYTES: u64 = 1 << UNIT;
/// Frames with a higher number are not in a cell.
pub const MOST_FRAMES: u32 = 1 << (u32::BITS - SIZE);
/// Of a unit where a block began that is not live any more.
pub const GONE: u32 = 1 << SIZE;
/// The frame of a block that is being resized: it lives, and its memory may be another's at any moment.
pub const RESIZED: u32 = MOST_FRAMES - 1;

/// Where an address's cell is: its region, and its place there. A region that is not below [`REGIONS`] has no cells.
#[inline(always)]
#[must_use]
pub const fn place(address: u64) -> (usize, usize) {
    ((address >> REGION) as usize, (address >> UNIT) as usize % CELLS)
}

/// The address that a cell is of.
#[must_use]
pub const fn address(region: u64, cell: u64) -> u64 {
    region << REGION | cell << UNIT
}

/// The cell of a live block. Without its size, which is to stand in the two cells behind, where [`is_large`] says so.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "where it does it is not used")]
pub const fn cell(frame: u32, size: u64) -> u32 {
    let low = if size < LARGE as u64 - 1 { size as u32 + 1 } else { LARGE };
    frame << SIZE | low
}

/// Whether a live block begins where this cell is.
#[must_use]
pub const fn is_live(cell: u32) -> bool {
    cell & LARGE != 0
}

/// Whether the block's size stands in the two cells behind.
#[inline(always)]
#[must_use]
pub const fn is_large(cell: u32) -> bool {
    cell & LARGE == LARGE
}

/// The frame and, unless it is [large](is_large), the size of a live block.
#[must_use]
pub const fn frame_and_size(cell: u32) -> (u32, u64) {
    (cell >> SIZE, (cell & LARGE) as u64 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_blocks_come_back() {
        for at in [8, 0x7fff_ffff_fff8, 1 << 26, (1 << 26) - 8] {
            let (region, cell) = place(at);
            assert!(region < REGIONS && cell < CELLS, "{at:x}");
            assert_eq!(address(region as u64, cell as u64), at);
        }
        for (frame, size) in [(0, 0), (1, 24), (MOST_FRAMES - 1, 4093)] {
            let cell = cell(frame, size);
            assert!(is_live(cell) && !is_large(cell), "{frame} {size}");
            assert_eq!(frame_and_size(cell), (frame, size));
        }
        assert!(is_large(cell(3, 4094)) && is_large(cell(0, u64::from(u32::MAX))));
        assert!(!is_live(GONE) && !is_live(0));
    }
}
