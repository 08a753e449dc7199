//! Walking, checking and counting.
use core::ops::ControlFlow;

use base::check::ensure;
use base::{BlockStats, Broken, Check, Piece, Stats, Walk};

use super::BitmapPages;

const M1: &str = "bitmap-M1: a page's bit is set while it is free, and no bit beyond the last page";
const M3: &str = "bitmap-M3: used is the number of pages without their bit, times their size";

impl<const PAGE: usize> Walk for BitmapPages<PAGE> {
    /// Runs in use that touch are one piece. O(pages / word bits + pieces).
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        for mut pool in self.pools.iter() {
            let mut page = 0;
            while page < pool.pages() {
                let pages = pool.pages();
                let (end, free) = pool.runs().stretch(page, pages);
                let (at, len) = (pool.address(page), (end - page) * PAGE);
                if visit(Piece { at, len, used: !free }).is_break() {
                    return;
                }
                page = end;
            }
        }
    }
}

impl<const PAGE: usize> Stats for BitmapPages<PAGE> {
    /// O(pools).
    fn stats(&self) -> BlockStats {
        let longest = self.pools.iter().map(|mut pool| pool.runs().longest()).max();
        BlockStats {
            total: self.total,
            used: self.used,
            peak: self.peak,
            largest_free: longest.unwrap_or(0) * PAGE,
            failures: self.failures,
        }
    }
}

impl<const PAGE: usize> Check for BitmapPages<PAGE> {
    /// O(pages / word bits).
    fn check(&self) -> Result<(), Broken> {
        let (mut total, mut used) = (0, 0);
        for mut pool in self.pools.iter() {
            let (pages, at) = (pool.pages(), pool.address(0));
            let runs = pool.runs();
            let free: u32 = runs.words.iter().map(|word| word.count_ones()).sum();
            let beyond = runs.words.len() * usize::BITS as usize - pages;
            let last = runs.words.last().copied().unwrap_or(0);
            ensure(last.leading_zeros() as usize >= beyond, M1, at)?;
            runs.check()?;
            total += pages * PAGE;
            used += (pages - free as usize) * PAGE;
        }
        ensure(total == self.total, M3, self.total)?;
        ensure(used == self.used, M3, self.used)
    }
}
