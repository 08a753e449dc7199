//! How many blocks of which size lived for how long: sizes by powers of two, lifetimes by powers of ten.

/// Sizes of up to 2^4, 2^5, … 2^30 bytes, and larger.
pub(crate) const SIZES: usize = 28;
const LEAST_SIZE: u32 = 4;
/// Below 100 ns, 1 µs, … 100 s, longer, and those that were never freed.
pub(crate) const LIVES: usize = 12;
const LEAST_LIFE: u64 = 100;

pub(crate) const LIFE_NAMES: [&str; LIVES] = [
    "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s",
    "longer", "kept",
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) blocks: u64,
    pub(crate) bytes: u64,
}

impl Sum {
    pub(crate) fn add(&mut self, size: u64) {
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(size);
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Sums by size and lifetime.
#[derive(Debug, Clone)]
pub(crate) struct Lifetimes {
    pub(crate) sums: [[Sum; LIVES]; SIZES],
}

impl Lifetimes {
    pub(crate) fn new() -> Self {
        Self { sums: [[Sum::default(); LIVES]; SIZES] }
    }

    /// A block of this size lived for these nanoseconds; `None`: it was never freed.
    pub(crate) fn add(&mut self, size: u64, life: Option<u64>) {
        let row = (u64::BITS - size.saturating_sub(1).leading_zeros()).saturating_sub(LEAST_SIZE);
        let column = life.map_or(LIVES - 1, |life| {
            let ends = (0..LIVES - 2).map(|n| LEAST_LIFE * 10_u64.pow(n as u32));
            ends.take_while(|end| *end <= life).count()
        });
        self.sums[(row as usize).min(SIZES - 1)][column].add(size);
    }

    /// The rows from the first to the last that has a block: each one's name, and its sums.
    pub(crate) fn rows(&self) -> Vec<(String, &[Sum; LIVES])> {
        let has = |row: &[Sum; LIVES]| row.iter().any(|sum| sum.blocks > 0);
        let first = self.sums.iter().position(has).unwrap_or(0);
        let last = self.sums.iter().rposition(has).map_or(0, |last| last + 1);
        (first..last).map(|row| (size_name(row), &self.sums[row])).collect()
    }
}

/// How many blocks of a size were allocated, and how many of them were freed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BySize {
    pub(crate) name: String,
    pub(crate) allocated: u64,
    pub(crate) freed: u64,
}

impl Lifetimes {
    /// The same rows, by how many there were.
    pub(crate) fn by_size(&self) -> Vec<BySize> {
        let row = |(name, sums): (String, &[Sum; LIVES])| {
            let allocated = sums.iter().map(|sum| sum.blocks).sum();
            BySize { name, allocated, freed: allocated - sums[LIVES - 1].blocks }
        };
        self.rows().into_iter().map(row).collect()
    }
}

fn size_name(row: usize) -> String {
    if row == SIZES - 1 {
        return "larger".to_owned();
    }
    let bytes = (1u64 << (row as u32 + LEAST_SIZE)) as f64;
    format!("≤ {}", show::number::Unit::Bytes.tick(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_in_one_sum() {
        let mut lifetimes = Lifetimes::new();
        for (size, life) in [(0, Some(0)), (16, Some(99)), (17, Some(100)), (64, None)] {
            lifetimes.add(size, life);
        }
        lifetimes.add(u64::MAX, Some(u64::MAX));
        let rows = lifetimes.rows();
        assert_eq!(rows[0], ("≤ 16 B".to_owned(), &lifetimes.sums[0]));
        assert_eq!(rows[0].1[0], Sum { blocks: 2, bytes: 16 });
        assert_eq!(rows[1].1[1].blocks, 1, "17 bytes, 100 ns");
        assert_eq!(rows[2].1[LIVES - 1].blocks, 1, "never freed");
        let by_size = lifetimes.by_size();
        let counts = |row: usize| (by_size[row].allocated, by_size[row].freed);
        assert_eq!([0, 1, 2].map(counts), [(2, 2), (1, 1), (1, 0)]);
        let (name, last) = &rows[SIZES - 1];
        assert_eq!((name.as_str(), last[LIVES - 2].blocks), ("larger", 1));
        assert!(Lifetimes::new().rows().is_empty());
    }
}
