//! The address space in cells of equal size, each with what lives in it now. There are never more than [`MOST`]: when a
//! program spreads further, two neighbours become one and the cells twice as large.

use trace::NumberMap;

use crate::class::CLASSES;

/// Cells are no smaller: what a processor maps.
pub(crate) const LEAST_SHIFT: u32 = 12;
/// More cells than this become fewer and larger.
const MOST: usize = 16 << 10;
/// A cell that is full.
pub(crate) const FULL: u16 = u16::MAX;

/// What lives in a cell at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Shade {
    /// How much of it, of [`FULL`]; 0 only where nothing is.
    pub(crate) fill: u16,
    /// The size class of most of its bytes.
    pub(crate) size: u8,
    /// The group of threads that allocated most of its bytes.
    pub(crate) group: u8,
    /// The class of sites that most of its bytes are from.
    pub(crate) site: u8,
    /// When its bytes were allocated, on average, in nanoseconds.
    pub(crate) born: u64,
}

/// Where a block is and what is to be known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) born: u64,
    pub(crate) class: u8,
    pub(crate) group: u8,
    pub(crate) site: u8,
}

#[derive(Debug, Clone, Default)]
struct Cell {
    first: u64,
    bytes: u64,
    /// The sum of each byte's time. Wrapping: what is added is taken away again.
    born: u128,
    sizes: [u64; CLASSES],
    groups: [u64; CLASSES],
    sites: [u64; CLASSES],
}

/// The cells that were ever touched.
#[derive(Debug)]
pub(crate) struct Cells {
    /// A cell is 2 to this many bytes.
    pub(crate) shift: u32,
    places: NumberMap<u64, u32>,
    cells: Vec<(u64, Cell)>,
    /// The last place that was asked for.
    last: Option<(u64, u32)>,
}

impl Cells {
    pub(crate) fn new() -> Self {
        Self { shift: LEAST_SHIFT, places: NumberMap::default(), cells: Vec::new(), last: None }
    }

    /// A block is there from now on.
    pub(crate) fn add(&mut self, place: &Place, now: u64) {
        while (place.size >> self.shift) as usize > MOST / 2 || self.cells.len() > MOST {
            self.coarsen();
        }
        self.each(place, |cell, bytes, is_new| {
            if is_new {
                cell.first = now;
            }
            cell.bytes += bytes;
            cell.born = cell.born.wrapping_add(u128::from(bytes) * u128::from(place.born));
            cell.sizes[usize::from(place.class)] += bytes;
            cell.groups[usize::from(place.group)] += bytes;
            cell.sites[usize::from(place.site)] += bytes;
        });
    }

    /// A block that was [added](Self::add) is gone.
    pub(crate) fn remove(&mut self, place: &Place) {
        self.each(place, |cell, bytes, _| {
            cell.bytes -= bytes;
            cell.born = cell.born.wrapping_sub(u128::from(bytes) * u128::from(place.born));
            cell.sizes[usize::from(place.class)] -= bytes;
            cell.groups[usize::from(place.group)] -= bytes;
            cell.sites[usize::from(place.site)] -= bytes;
        });
    }

    /// Every cell of a block, with the bytes of it that are inside and whether nothing was there before.
    fn each(&mut self, place: &Place, mut change: impl FnMut(&mut Cell, u64, bool)) {
        let (mut at, end) = (place.address, place.address.saturating_add(place.size));
        while at < end {
            let number = at >> self.shift;
            let next = (number + 1).checked_shl(self.shift).filter(|next| *next > at);
            let next = next.unwrap_or(u64::MAX).min(end);
            let (cell, is_new) = self.cell(number);
            change(cell, next - at, is_new);
            at = next;
        }
    }

    fn cell(&mut self, number: u64) -> (&mut Cell, bool) {
        let known = match self.last {
            Some((last, place)) if last == number => Some(place),
            _ => self.places.get(&number).copied(),
        };
        let place = known.unwrap_or(self.cells.len() as u32);
        if known.is_none() {
            self.places.insert(number, place);
            self.cells.push((number, Cell::default()));
        }
        self.last = Some((number, place));
        (&mut self.cells[place as usize].1, known.is_none())
    }

    fn coarsen(&mut self) {
        let old = core::mem::take(&mut self.cells);
        self.places.clear();
        (self.shift, self.last) = (self.shift + 1, None);
        for (number, from) in old {
            let (cell, is_new) = self.cell(number >> 1);
            cell.first = if is_new { from.first } else { cell.first.min(from.first) };
            cell.bytes += from.bytes;
            cell.born = cell.born.wrapping_add(from.born);
            cell.sizes.iter_mut().zip(from.sizes).for_each(|(sum, more)| *sum += more);
            cell.groups.iter_mut().zip(from.groups).for_each(|(sum, more)| *sum += more);
            cell.sites.iter_mut().zip(from.sites).for_each(|(sum, more)| *sum += more);
        }
    }

    /// How many cells hold anything.
    pub(crate) fn held(&self) -> usize {
        self.cells.iter().filter(|(_, cell)| cell.bytes > 0).count()
    }

    /// What lives in each cell that holds anything, by rising address.
    pub(crate) fn shades(&self) -> Vec<(u64, Shade)> {
        let held = self.cells.iter().filter(|(_, cell)| cell.bytes > 0);
        let mut shades: Vec<(u64, Shade)> = held
            .map(|(number, cell)| {
                let mean = (cell.born / u128::from(cell.bytes)) as u64;
                let shade = Shade {
                    fill: fill(cell.bytes, self.shift),
                    size: most(&cell.sizes),
                    group: most(&cell.groups),
                    site: most(&cell.sites),
                    born: mean,
                };
                (*number, shade)
            })
            .collect();
        shades.sort_unstable_by_key(|(number, _)| *number);
        shades
    }

    /// Every cell that was ever touched, by rising address, and when that was first.
    pub(crate) fn touched(&self) -> Vec<(u64, u64)> {
        let mut touched: Vec<(u64, u64)> =
            self.cells.iter().map(|(number, cell)| (*number, cell.first)).collect();
        touched.sort_unstable();
        touched
    }
}

/// The share of a cell that `bytes` are.
fn fill(bytes: u64, shift: u32) -> u16 {
    let share = (u128::from(bytes) * u128::from(FULL)) >> shift;
    (share as u64).clamp(1, u64::from(FULL)) as u16
}

/// The class with the most; of equal ones the first.
fn most(bytes: &[u64; CLASSES]) -> u8 {
    let largest = bytes.iter().enumerate().rev().max_by_key(|(_, bytes)| **bytes);
    largest.map_or(0, |(class, _)| class as u8)
}

/// The same in cells that are 2 to the `by` times as large.
pub(crate) fn merged(shades: &[(u64, Shade)], by: u32) -> Vec<(u64, Shade)> {
    if by == 0 {
        return shades.to_vec();
    }
    let same = |a: &(u64, Shade), b: &(u64, Shade)| a.0 >> by == b.0 >> by;
    shades.chunk_by(same).map(|group| (group[0].0 >> by, mixed(group, by))).collect()
}

fn mixed(group: &[(u64, Shade)], by: u32) -> Shade {
    let (mut sum, mut born) = (0u64, 0u128);
    let [mut sizes, mut groups, mut sites] = [[0; CLASSES]; 3];
    for (_, shade) in group {
        let fill = u64::from(shade.fill);
        sum += fill;
        born += u128::from(fill) * u128::from(shade.born);
        sizes[usize::from(shade.size)] += fill;
        groups[usize::from(shade.group)] += fill;
        sites[usize::from(shade.site)] += fill;
    }
    Shade {
        fill: (sum >> by).clamp(1, u64::from(FULL)) as u16,
        size: most(&sizes),
        group: most(&groups),
        site: most(&sites),
        born: (born / u128::from(sum.max(1))) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: u64, size: u64) -> Place {
        Place { address, size, born: 100, class: 2, group: 1, site: 3 }
    }

    #[test]
    fn a_block_over_a_seam_is_in_both_cells() {
        let mut cells = Cells::new();
        let block = place(0x1800, 0x1000);
        cells.add(&block, 7);
        let half = Shade { fill: FULL / 2, size: 2, group: 1, site: 3, born: 100 };
        assert_eq!(cells.shades(), [(1, half), (2, half)]);
        cells.remove(&block);
        assert_eq!((cells.held(), cells.shades().len()), (0, 0));
        assert_eq!(cells.touched(), [(1, 7), (2, 7)]);
    }

    #[test]
    fn what_spreads_far_has_larger_cells() {
        let mut cells = Cells::new();
        let blocks: Vec<Place> = (0..100_000).map(|i| place(i << 16, 4096)).collect();
        blocks.iter().for_each(|block| cells.add(block, 0));
        assert!(cells.cells.len() <= MOST + 1 && cells.shift > 16, "{}", cells.shift);
        let live: u64 = cells.cells.iter().map(|(_, cell)| cell.bytes).sum();
        assert_eq!(live, 100_000 << 12);
        blocks.iter().for_each(|block| cells.remove(block));
        assert_eq!(cells.held(), 0);
    }

    #[test]
    fn no_address_or_size_is_too_large() {
        let mut cells = Cells::new();
        for block in [place(0, u64::MAX), place(u64::MAX, 5), place(u64::MAX - 5000, u64::MAX)] {
            cells.add(&block, 0);
            cells.remove(&block);
        }
        assert_eq!(cells.held(), 0);
        assert!(cells.cells.len() <= MOST);
    }

    #[test]
    fn merged_cells_are_what_larger_ones_would_have_been() {
        let shade = |fill, size| Shade { fill, size, ..Shade::default() };
        let fine = [(4, shade(FULL, 3)), (5, shade(FULL / 2, 1)), (9, shade(1, 7))];
        let coarse = merged(&fine, 1);
        assert_eq!(coarse[0], (2, shade(FULL / 4 * 3 + 2, 3)));
        assert_eq!(coarse[1], (4, shade(1, 7)), "the smallest block is still seen");
        assert_eq!(merged(&fine, 0), fine);
    }
}
