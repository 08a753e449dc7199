//! `addresses`: where an allocator puts twenty items of 32 and of 40 bytes, and whether it gives back what was freed last
//! (kmalloc text: items of 32 bytes are beside each other, of 40 bytes they are anywhere; a private cache is a stack).
//!
//! The heap is one that others have used, as there; filling it and freeing half of it at random is what takes the time.

use super::list_walk::used_heap;
use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "addresses",
    parameters: &[
        fixed(
            "others",
            200_000,
            "blocks of 33 to 64 bytes; half of them, at random, are freed before",
        )
        .least(0),
        scaled("rounds", 60, "heaps that are used and looked at, one after the other"),
    ],
    run,
};

const ITEMS: usize = 20;
const SIZES: [usize; 2] = [32, 40];
/// Items that are freed, one after the other, before as many are allocated again: the text's, and the rest of ten.
const FREED: [&[usize]; 3] = [&[4], &[1, 8], &[0, 2, 3, 5, 6, 7, 9]];

#[derive(Debug, Default)]
struct Seen {
    distances: Vec<usize>,
    /// Items that were allocated after others had been freed, and those which are not where the last of these was.
    again: usize,
    elsewhere: usize,
}

fn run(arguments: &Arguments, results: &mut Results) {
    if heap::is_null() {
        wrong("the null allocator's addresses say nothing");
    }
    let (others, rounds) = (arguments.size("others"), arguments.get("rounds").max(1));
    let mut rng = Rng::new(arguments.seed);
    let mut all = [Seen::default(), Seen::default()];
    for _ in 0..rounds {
        let mut used = used_heap(&mut rng, others);
        for (size, seen) in SIZES.into_iter().zip(&mut all) {
            seen.look(size);
        }
        free_all(&mut used);
    }
    for (size, mut seen) in SIZES.into_iter().zip(all) {
        // Of the first heap, as the text has it.
        for (i, distance) in seen.distances.iter().take(ITEMS - 1).enumerate() {
            results.point(format_args!("{size}-bytes"), (i + 1) as f64, *distance as f64);
        }
        seen.report(size, results);
    }
    results.peak_live(others * 48 + ITEMS * SIZES[1]);
}

impl Seen {
    /// Allocates items in a row, then frees some and allocates as many, as the text does.
    fn look(&mut self, size: usize) {
        let item = |key: usize| {
            let block = Block::new(size, key as u64);
            if block.is_none() {
                wrong("no memory for an item");
            }
            block
        };
        let mut items: Vec<Block> = (0..ITEMS).map(item).collect();
        let distance = |pair: &[Block]| pair[0].as_ptr().addr().abs_diff(pair[1].as_ptr().addr());
        self.distances.extend(items.windows(2).map(distance));
        for freed in FREED {
            let mut addresses = [0; ITEMS];
            for &i in freed {
                addresses[i] = items[i].as_ptr().addr();
                items[i].replace(|| Block::NONE);
            }
            for &i in freed.iter().rev() {
                items[i] = item(i);
                self.again += 1;
                self.elsewhere += usize::from(addresses[i] != items[i].as_ptr().addr());
            }
        }
        free_all(&mut items);
    }

    fn report(&mut self, size: usize, results: &mut Results) {
        let percent = |part: usize, of: usize| 100.0 * part as f64 / of as f64;
        let apart = self.distances.iter().filter(|distance| **distance > 2 * size).count();
        let apart = percent(apart, self.distances.len());
        self.distances.sort_unstable();
        let median = self.distances[self.distances.len() / 2];
        let elsewhere = percent(self.elsewhere, self.again);
        results.value(&format!("distance_{size}"), median, "bytes");
        results.value(&format!("apart_{size}"), format_args!("{apart:.1}"), "%");
        results.value(&format!("not_last_freed_{size}"), format_args!("{elsewhere:.1}"), "%");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_allocated_is_looked_at() {
        let mut seen = Seen::default();
        seen.look(32);
        seen.look(32);
        assert_eq!(seen.distances.len(), 2 * (ITEMS - 1));
        assert!(seen.distances.iter().all(|distance| *distance >= 32), "two items overlap");
        assert_eq!(seen.again, 20);
        assert!(seen.elsewhere <= seen.again);
    }
}
