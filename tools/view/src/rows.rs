//! The cells in rows, as they are drawn: rows in which nothing ever was are left out.
//!
//! ```text
//! 55d0_0000_0000  ████▆▂··      a row begins at a multiple of its length
//!                 ███·····      the one right behind it
//! 7f00_1234_0000  ▁▁            a far one
//! ```

use crate::cells::Shade;
use crate::pictures::{Frame, Pictures};

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Nothing that was ever used, or not until now.
    Never,
    /// It was used, and nothing is there now.
    Free,
    /// Blocks.
    Held(Shade),
}

/// Which rows there are, for a size of cells and a number of columns.
#[derive(Debug)]
pub(crate) struct Rows {
    /// A cell is 2 to this many bytes.
    pub(crate) shift: u32,
    /// A row is 2 to this many cells.
    columns: u32,
    /// The rows in which anything ever was, by their numbers.
    numbers: Vec<u64>,
    /// When each cell was first touched, by rising address.
    touched: Vec<(u64, u64)>,
}

impl Rows {
    /// Cells of 2 to `shift` bytes, 2 to `columns` in a row.
    pub(crate) fn new(pictures: &Pictures, shift: u32, columns: u32) -> Self {
        let shift = shift.max(pictures.shift);
        let by = shift - pictures.shift;
        let same = |a: &(u64, u64), b: &(u64, u64)| a.0 >> by == b.0 >> by;
        let first = |group: &[(u64, u64)]| {
            let first = group.iter().map(|(_, first)| *first).min().unwrap_or_default();
            (group[0].0 >> by, first)
        };
        let touched: Vec<(u64, u64)> = pictures.touched.chunk_by(same).map(first).collect();
        let mut numbers: Vec<u64> = touched.iter().map(|(cell, _)| cell >> columns).collect();
        numbers.dedup();
        Self { shift, columns, numbers, touched }
    }

    /// The smallest cells with which there are at most `most` rows.
    pub(crate) fn fitting(pictures: &Pictures, columns: u32, most: usize) -> Self {
        let mut rows = Self::new(pictures, pictures.shift, columns);
        while rows.len() > most && rows.shift + columns < u64::BITS - 1 {
            let larger = Self::new(pictures, rows.shift + 1, columns);
            // Far from each other, rows stay as many.
            if larger.len() == rows.len() && rows.shift >= pictures.shift + 12 {
                break;
            }
            rows = larger;
        }
        rows
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// At most the first `most` of them.
    pub(crate) fn limit(&mut self, most: usize) {
        self.numbers.truncate(most);
    }

    /// The runs of cells of a row in which anything ever was: the first, and the one behind the last.
    pub(crate) fn used(&self, row: usize) -> Vec<(usize, usize)> {
        let first = self.numbers[row] << self.columns;
        let from = self.touched.partition_point(|(cell, _)| *cell < first);
        let cells = self.touched[from..].iter().map(|(cell, _)| (cell - first) as usize);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for cell in cells.take_while(|cell| *cell < self.columns()) {
            match runs.last_mut() {
                Some((_, end)) if *end == cell => *end += 1,
                _ => runs.push((cell, cell + 1)),
            }
        }
        runs
    }

    /// How many cells a row has.
    pub(crate) fn columns(&self) -> usize {
        1 << self.columns
    }

    /// The address of a row, and whether the one above it ends there.
    pub(crate) fn address(&self, row: usize) -> (u64, bool) {
        let number = self.numbers[row];
        let follows = row > 0 && self.numbers[row - 1] + 1 == number;
        (number << (self.columns + self.shift), follows)
    }

    /// What is in the rows of this range at a moment.
    pub(crate) fn at(&self, frame: &Frame, rows: core::ops::Range<usize>) -> Vec<Vec<Spot>> {
        let shades = frame.in_cells_of(self.shift);
        let numbers = &self.numbers[rows];
        let mut spots = vec![vec![Spot::Never; self.columns()]; numbers.len()];
        let mut put = |cell: u64, spot: Spot| {
            if let Ok(row) = numbers.binary_search(&(cell >> self.columns)) {
                spots[row][(cell & (self.columns() as u64 - 1)) as usize] = spot;
            }
        };
        for (cell, first) in &self.touched {
            if *first <= frame.time {
                put(*cell, Spot::Free);
            }
        }
        shades.iter().for_each(|(cell, shade)| put(*cell, Spot::Held(*shade)));
        spots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::testing::gathered;

    #[test]
    fn rows_without_anything_are_left_out() {
        let pictures = gathered(&[(0x10_0000, 4096), (0x11_0000, 2048), (0x7f00_0000_0000, 8192)]);
        let rows = Rows::new(&pictures, 12, 4);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.address(0), (0x10_0000, false));
        assert_eq!(rows.address(1), (0x11_0000, true));
        assert_eq!(rows.address(2), (0x7f00_0000_0000, false));
        let frame = pictures.frames.last().unwrap();
        let spots = rows.at(frame, 1..3);
        let held = |spot: &Spot| matches!(spot, Spot::Held(_));
        let held: Vec<usize> =
            spots.iter().map(|row| row.iter().filter(|s| held(s)).count()).collect();
        assert_eq!(held, [1, 2]);
        assert_eq!(spots[0][1], Spot::Never);
    }

    #[test]
    fn cells_grow_until_the_rows_fit() {
        let blocks: Vec<(u64, u64)> = (0..1000).map(|i| (i << 12, 4096)).collect();
        let pictures = gathered(&blocks);
        let rows = Rows::fitting(&pictures, 4, 10);
        assert!(rows.len() <= 10 && rows.len() > 4, "{}", rows.len());
        assert!(Rows::fitting(&gathered(&[]), 6, 10).len() == 0);
    }
}
