//! Who freed what whom allocated: blocks by the two threads, the busiest of them by name and the others together.

use std::collections::HashMap;

use trace::Thread;

use crate::lifetimes::Sum;

/// So many threads have a row and a column of their own.
const NAMED: usize = 12;

/// So many pairs have a sum of their own while they are gathered; later ones are of others, and so are their threads.
const PAIRS: usize = 1 << 16;
const OTHERS: Thread = Thread::MAX;

/// Sums while they are gathered.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    sums: HashMap<(Thread, Option<Thread>), Sum>,
    last: Option<((Thread, Option<Thread>), Sum)>,
}

/// Rows: who allocated. Columns: who freed; the last one: nobody did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matrix {
    pub(crate) names: Vec<String>,
    pub(crate) sums: Vec<Vec<Sum>>,
}

impl Pairs {
    /// `freed` is `None` for a block that was never freed.
    pub(crate) fn add(&mut self, allocated: Thread, freed: Option<Thread>, size: u64) {
        let key = (allocated, freed);
        // Most blocks are freed by the same thread as the last one was.
        match &mut self.last {
            Some((last, sum)) if *last == key => sum.add(size),
            _ => {
                self.flush();
                let mut sum = Sum::default();
                sum.add(size);
                self.last = Some((key, sum));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((mut key, sum)) = self.last.take() {
            if self.sums.len() >= PAIRS && !self.sums.contains_key(&key) {
                key = (OTHERS, key.1.map(|_| OTHERS));
            }
            self.sums.entry(key).or_default().join(sum);
        }
    }

    /// All of it; `threads` are the names.
    pub(crate) fn finish(mut self, threads: &[String]) -> Matrix {
        self.flush();
        let mut busy: HashMap<Thread, u64> = HashMap::new();
        for ((allocated, freed), sum) in &self.sums {
            *busy.entry(*allocated).or_default() += sum.blocks;
            if let Some(freed) = freed {
                *busy.entry(*freed).or_default() += sum.blocks;
            }
        }
        busy.remove(&OTHERS);
        let mut named: Vec<Thread> = busy.keys().copied().collect();
        named.sort_by_key(|thread| (core::cmp::Reverse(busy[thread]), *thread));
        let rest = named.split_off(named.len().min(NAMED));
        named.sort_unstable();
        let name = |thread: &Thread| match threads.get(*thread as usize) {
            Some(name) if !name.is_empty() => format!("{thread} {name}"),
            _ => format!("{thread}"),
        };
        let mut names: Vec<String> = named.iter().map(name).collect();
        match &rest[..] {
            [] => {}
            [one] => names.push(name(one)),
            more => names.push(format!("{} others", more.len())),
        }
        let place = |thread: Thread| named.binary_search(&thread).unwrap_or(named.len());
        let mut sums = vec![vec![Sum::default(); names.len() + 1]; names.len()];
        for ((allocated, freed), sum) in &self.sums {
            sums[place(*allocated)][freed.map_or(names.len(), place)].join(*sum);
        }
        Matrix { names, sums }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_allocate_and_columns_free() {
        let mut pairs = Pairs::default();
        for (allocated, freed) in [(0, Some(0)), (0, Some(1)), (0, Some(0)), (1, None)] {
            pairs.add(allocated, freed, 10);
        }
        let matrix = pairs.finish(&["main".to_owned()]);
        assert_eq!(matrix.names, ["0 main", "1"]);
        let blocks: Vec<Vec<u64>> =
            matrix.sums.iter().map(|row| row.iter().map(|sum| sum.blocks).collect()).collect();
        assert_eq!(blocks, [[2, 1, 0], [0, 0, 1]]);
    }

    #[test]
    fn many_threads_are_others_together() {
        let mut pairs = Pairs::default();
        for thread in 0..100 {
            (0..=thread).for_each(|_| pairs.add(thread, Some(thread), 1));
        }
        let matrix = pairs.finish(&[]);
        assert_eq!(matrix.names.len(), NAMED + 1);
        assert_eq!(matrix.names[NAMED], "88 others");
        let all = |matrix: &Matrix| matrix.sums.iter().flatten().map(|sum| sum.blocks).sum::<u64>();
        assert_eq!(all(&matrix), 5050);
        let mut pairs = Pairs::default();
        for n in 0..100_000 {
            pairs.add(n % 400, Some(n / 400), 1);
        }
        assert!(pairs.sums.len() <= PAIRS + 1);
        assert_eq!(all(&pairs.finish(&[])), 100_000);
    }
}
