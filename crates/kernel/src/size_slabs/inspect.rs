//! Checking and counting.
use base::check::ensure;
use base::{BlockStats, Broken, Check, Owns, Stats};

use super::SizeSlabs;
use super::class::{Class, MAX_SIZE, STEP};
use super::slab::Z1;

const Z3: &str = "size-slabs-Z3: used is the sum of what was handed out";

impl<const PAGE: usize> Stats for SizeSlabs<PAGE> {
    /// Free objects of slabs count as free, headers and the kept slabs too.
    fn stats(&self) -> BlockStats {
        let pages = self.pages.stats();
        // A size that has a class needs a slab, which is a power of two as the free pages are.
        let largest_free = match pages.largest_free {
            pages if pages > MAX_SIZE => pages,
            pages if pages >= 8 * STEP => pages / 8,
            _ => 0,
        };
        BlockStats {
            total: pages.total,
            used: self.used,
            peak: self.peak,
            largest_free,
            failures: self.failures,
        }
    }
}

impl<const PAGE: usize> Check for SizeSlabs<PAGE> {
    /// First the buddy system, then every slab with free objects; the full ones are in no list.
    /// O(memory / PAGE / 32 + free objects).
    fn check(&self) -> Result<(), Broken> {
        self.pages.check()?;
        let pages = self.pages.stats();
        let (mut live, mut slabs) = (0, 0);
        for class in Class::all() {
            let len = class.slab_len::<PAGE>();
            let (mut at, mut previous) = (self.partial[class.index()], None);
            while let Some(slab) = at {
                let address = slab.into_raw();
                ensure(self.pages.owns(address.as_ptr()), Z1, address.addr().get())?;
                slabs += len;
                ensure(slabs <= pages.used, Z1, address.addr().get())?;
                live += slab.check(class, len, previous)? * class.size();
                (previous, at) = (Some(slab), slab.next());
            }
        }
        // What is not in a listed slab is in full ones and in pages.
        ensure(live <= self.used && self.used - live <= pages.used - slabs, Z3, self.used)
    }
}
