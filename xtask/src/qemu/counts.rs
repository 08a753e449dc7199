//! What the measuring kernel prints, read, shown as a table, and compared with `bench/golden/icount.toml`.

mod golden;

use comfy_table::Table;
use std::collections::BTreeMap;

use crate::figures;

pub(crate) use golden::Golden;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    min: u32,
    mean: u32,
    max: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// In the order they were printed.
    allocators: Vec<String>,
    /// By allocator, entry point and situation.
    counts: BTreeMap<(String, String, String), Count>,
    /// By allocator and range of sizes: thousandths of the pool.
    fills: BTreeMap<(String, String), u32>,
}

/// The columns: a heading, and the entry point and situation it shows.
const COLUMNS: [(&str, &str, &str); 10] = [
    ("malloc, split", "malloc", "split"),
    ("exact hit", "malloc", "exact"),
    ("random", "malloc", "random"),
    ("1000 holes", "malloc", "holes"),
    ("exhaustive", "malloc", "exhaustive"),
    ("free, apart", "free", "apart"),
    ("between", "free", "between"),
    ("random", "free", "random"),
    ("1000 holes", "free", "holes"),
    ("exhaustive", "free", "exhaustive"),
];

impl Counts {
    /// Reads all `count` and `fill` lines; what else a kernel prints is passed over.
    pub(crate) fn read(printed: &str) -> Result<Self, String> {
        let mut all = Self::default();
        for line in printed.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = match words[..] {
                ["count", allocator, situation, entry, min, mean, max, _] => {
                    all.count(allocator, situation, entry, [min, mean, max])
                }
                ["fill", allocator, sizes, part] => all.fill(allocator, sizes, part),
                ["count" | "fill", ..] => None,
                _ => Some(()),
            };
            read.ok_or_else(|| format!("the kernel printed {line:?}, which is no count"))?;
        }
        Ok(all)
    }

    fn count(&mut self, allocator: &str, situation: &str, entry: &str, n: [&str; 3]) -> Option<()> {
        self.name(allocator);
        let [min, mean, max] = n.map(|n| n.parse().ok());
        let count = Count { min: min?, mean: mean?, max: max? };
        self.counts.insert((allocator.to_owned(), entry.to_owned(), situation.to_owned()), count);
        Some(())
    }

    fn fill(&mut self, allocator: &str, sizes: &str, part: &str) -> Option<()> {
        self.name(allocator);
        self.fills.insert((allocator.to_owned(), sizes.to_owned()), part.parse().ok()?);
        Some(())
    }

    fn name(&mut self, allocator: &str) {
        if !self.allocators.iter().any(|known| known == allocator) {
            self.allocators.push(allocator.to_owned());
        }
    }

    /// The largest count of an entry point in any situation.
    fn max(&self, allocator: &str, entry: &str) -> Option<u32> {
        let of = |((a, e, _), count): (&(String, String, String), &Count)| {
            (a == allocator && e == entry).then_some(count.max)
        };
        self.counts.iter().filter_map(of).max()
    }

    /// A row for each allocator, least, mean and most instructions in each situation.
    pub(crate) fn table(&self) -> Table {
        let most = ["malloc, most", "free, most", "fill 1-256", "16-4096"];
        let heads = ["allocator"].into_iter().chain(COLUMNS.map(|column| column.0)).chain(most);
        let mut table = figures::table(heads);
        for allocator in &self.allocators {
            let mut row = vec![allocator.clone()];
            row.extend(COLUMNS.map(|(_, entry, situation)| {
                let key = (allocator.clone(), entry.to_owned(), situation.to_owned());
                self.counts.get(&key).map_or_else(String::new, |count| {
                    format!("{}/{}/{}", count.min, count.mean, count.max)
                })
            }));
            let most =
                |entry| self.max(allocator, entry).map_or_else(String::new, |n| n.to_string());
            row.extend([most("malloc"), most("free")]);
            row.extend(["1-256", "16-4096"].map(|sizes| {
                let part = self.fills.get(&(allocator.clone(), sizes.to_owned()));
                part.map_or_else(String::new, |n| format!("{}.{} %", n / 10, n % 10))
            }));
            table.add_row(row);
        }
        table
    }
}

#[cfg(test)]
mod tests;
