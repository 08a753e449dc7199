//! How full pages are: of 4 KiB, which is what goes back to the system, and of 64 KiB, as allocators carve them.

use super::Placed;
use crate::units::{PAGE, UNIT};

/// What the addresses say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// Pages with a block by tenths of how full they are.
    pub(super) full: [u64; 10],
    /// 64 KiB pieces with a block, likewise.
    pub(super) units: [u64; 10],
    /// Bytes of all pages with a block.
    covered: u64,
    /// Bytes of the blocks.
    used: u64,
}

impl Pages {
    /// Adds blocks in the order of their addresses.
    pub(super) fn add(&mut self, placed: &[Placed]) {
        self.covered += spread(placed, PAGE, &mut self.full) * PAGE;
        spread(placed, UNIT, &mut self.units);
        self.used += placed.iter().map(|placed| placed.taken.max(1)).sum::<u64>();
    }

    /// Free bytes in the pages with a block.
    pub(super) fn free(&self) -> u64 {
        self.covered.saturating_sub(self.used)
    }
}

/// Counts pieces of `piece` bytes by how full they are; returns how many there are.
fn spread(placed: &[Placed], piece: u64, tenths: &mut [u64; 10]) -> u64 {
    let (mut at, mut used, mut pieces) = (None, 0, 0);
    let mut close = |at: Option<u64>, used: u64| {
        if at.is_some() {
            pieces += 1;
            let tenth = (used.min(piece).max(1) * 10).div_ceil(piece) - 1;
            tenths[crate::place(tenth)] += 1;
        }
    };
    let mut whole = 0;
    for block in placed {
        let (start, end) = (block.entry.address, block.end());
        let (first, last) = (start / piece, (end - 1) / piece);
        if at != Some(first) {
            close(at, used);
            (at, used) = (Some(first), 0);
        }
        if first == last {
            used += end - start;
            continue;
        }
        used += piece - start % piece;
        close(at, used);
        whole += last - first - 1;
        (at, used) = (Some(last), end - last * piece);
    }
    close(at, used);
    tenths[9] += whole;
    pieces + whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Entry;

    fn of(placed: &[Placed]) -> Pages {
        let mut pages = Pages::default();
        pages.add(placed);
        pages
    }

    fn at(address: u64, size: u64) -> Placed {
        Placed { block: 0, entry: Entry::new(address, size, 0, 0, 0), taken: size }
    }

    #[test]
    fn pages_are_counted_once() {
        let found = of(&[at(0, 400), at(400, 9), at(4096, 4096), at(8192 + 4000, 200)]);
        // 409 bytes are a tenth; 4,096 all; of the last block 96 bytes lie on one page and 104 on the next.
        assert_eq!(found.full, [3, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((found.covered, found.free()), (4 * 4096, 4 * 4096 - 409 - 4096 - 200));
        assert_eq!(found.units.iter().sum::<u64>(), 1);
    }

    #[test]
    fn a_large_block_covers_whole_pages() {
        let found = of(&[at(100, 10 * 4096)]);
        assert_eq!(found.covered, 11 * 4096);
        assert_eq!(found.full[9], 10);
        // Addresses of a damaged trace overlap.
        let odd = of(&[at(0, 1 << 20), at(0, 1 << 20), at(u64::MAX - 4, 100)]);
        assert!(odd.covered >= 1 << 20);
    }
}
