//! What the tests share.
extern crate std;

use std::vec::Vec;

use base::AddMemory as _;
use page::bitmap::BitmapPages;

use crate::PAGE;

/// Memory for a few pages.
pub(crate) struct Memory(Vec<[u64; PAGE / 8]>);

impl Memory {
    /// Room for `pages` pages, one of which is the page allocator's own, and one is lost to alignment.
    pub(crate) fn new(pages: usize) -> Self {
        // Not zero: what is shown must have been written.
        Self(std::vec![[0xa5a5_a5a5_a5a5_a5a5; PAGE / 8]; pages + 2])
    }

    /// Hands them out.
    pub(crate) fn pages(&mut self) -> BitmapPages {
        let mut pages = BitmapPages::new();
        // SAFETY: the memory outlives what the test makes of it, and nobody else uses it.
        unsafe { pages.add_memory(self.0.as_mut_ptr().cast(), self.0.len() * PAGE) }.unwrap();
        pages
    }
}

/// Numbers that look random (xorshift64, Marsaglia 2003).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Less than `below`.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}
