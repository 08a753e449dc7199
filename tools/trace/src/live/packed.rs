//! The rows of a group's blocks that are live, in as many bytes a column as their differences need.

/// In a number: the block is gone.
const GONE: u16 = 1 << 15;
/// A column is read as eight bytes, whatever it has: so many are behind the last.
const BEHIND: usize = 8;

#[derive(Debug)]
pub(crate) struct Packed<const N: usize> {
    /// None while all numbers from 0 on are there.
    numbers: Box<[u16]>,
    /// One after another, each with the bytes of all its columns.
    rows: Box<[u8]>,
    /// Of each column the least, and how many bytes the differences to that have.
    least: [u64; N],
    widths: [u8; N],
    live: u16,
}

impl<const N: usize> Packed<N> {
    /// Packs these, whose numbers rise.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a word has eight bytes, a group 4,096 rows"
    )]
    pub(crate) fn of(list: &[(u16, [u64; N])]) -> Self {
        let (mut least, mut most) = ([u64::MAX; N], [0; N]);
        for (_, row) in list {
            for (column, value) in row.iter().enumerate() {
                least[column] = least[column].min(*value);
                most[column] = most[column].max(*value);
            }
        }
        let widths: [u8; N] = core::array::from_fn(|column| {
            let bits = u64::BITS - most[column].saturating_sub(least[column]).leading_zeros();
            bits.div_ceil(8) as u8
        });
        let stride: usize = widths.iter().map(|width| usize::from(*width)).sum();
        let mut rows = Vec::with_capacity(list.len() * stride + BEHIND);
        for (_, row) in list {
            for (column, value) in row.iter().enumerate() {
                let bytes = (value - least[column]).to_le_bytes();
                rows.extend_from_slice(&bytes[..usize::from(widths[column])]);
            }
        }
        rows.resize(rows.len() + BEHIND, 0);
        let is_whole = list.last().is_some_and(|(last, _)| usize::from(*last) + 1 == list.len());
        let numbers = list.iter().filter(|_| !is_whole).map(|(low, _)| *low).collect();
        Self { numbers, rows: rows.into(), least, widths, live: list.len() as u16 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.live == 0
    }

    fn row(&self, at: usize) -> [u64; N] {
        let stride: usize = self.widths.iter().map(|width| usize::from(*width)).sum();
        let mut from = at * stride;
        core::array::from_fn(|column| {
            let width = u32::from(self.widths[column]);
            let word =
                self.rows[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            from += width as usize;
            self.least[column] + (word & !u64::MAX.checked_shl(8 * width).unwrap_or(0))
        })
    }

    /// Where a live block is.
    fn find(&self, low: u16) -> Option<usize> {
        if self.numbers.is_empty() {
            return (low < self.live).then_some(usize::from(low));
        }
        let at = match self.numbers.get(usize::from(low)) {
            Some(number) if number & !GONE == low => usize::from(low),
            _ => self.numbers.binary_search_by_key(&low, |number| number & !GONE).ok()?,
        };
        (self.numbers[at] == low).then_some(at)
    }

    pub(crate) fn get(&self, low: u16) -> Option<[u64; N]> {
        self.find(low).map(|at| self.row(at))
    }

    pub(crate) fn remove(&mut self, low: u16) -> Option<[u64; N]> {
        let at = self.find(low)?;
        let row = self.row(at);
        if self.numbers.is_empty() {
            self.numbers = (0..self.live).collect();
        }
        self.numbers[at] |= GONE;
        self.live -= 1;
        if usize::from(self.live) * 3 < self.numbers.len() * 2 {
            *self = Self::of(&self.rows());
        }
        Some(row)
    }

    /// Every live block's place in the group, and its row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, [u64; N])> {
        let whole = if self.numbers.is_empty() { 0..self.live } else { 0..0 };
        let numbers = whole.chain(self.numbers.iter().copied()).enumerate();
        numbers.filter(|(_, low)| *low < GONE).map(|(at, low)| (low, self.row(at)))
    }

    /// The same, listed.
    pub(crate) fn rows(&self) -> Vec<(u16, [u64; N])> {
        self.iter().collect()
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() + 2 * self.numbers.len() + size_of::<Self>()
    }
}
