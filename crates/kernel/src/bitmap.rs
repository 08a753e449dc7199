//! Pages by a bitmap: any run, at any page, with a summary that finds it in O(log pages).
//!
//! ```text
//! BitmapPages ─► pool ─► pool            in address order, each with its own state:
//!
//!   [ record │ words │ sums │   │ page │ page │ … │ page ]
//!              1 = free   ▲       0      1          n − 1
//!                         └ a tree over the words: the longest run of ones below each node,
//!                           and how many ones each begins and ends with
//! ```
//!
//! - **bitmap-M1** bit p of a pool's words is set exactly while page p is free; bits beyond the last
//!   page are 0.
//! - **bitmap-M2** every node of the tree says what is true of the words below it (see `runs`).
//! - **bitmap-M3** `used` is the number of pages without their bit, times their size.
//!
//! A run is the lowest that fits, in the lowest pool that has one. Taking and giving back are
//! O(run / word bits + log pages); an alignment above a page adds that for each run that is long
//! enough and does not fit. The state lies in the pool itself and grows with it: a bit for each
//! page and 24 to 48 bytes for each word, 0.02 % at pages of 4 KiB; a pool has up to 2^31 pages. One
//! can ask for certain pages, and give back a part of a run: nothing is kept of where a run
//! began. The summary is that of the Go runtime's page allocator, as a binary tree (Knyszek,
//! "Scaling the Go page allocator", 2019).
use core::marker::PhantomData;
use core::ptr::NonNull;

use base::{AllocatePagesAt, PageAllocator};

mod inspect;
mod memory;
mod pool;
pub(crate) mod runs;

use pool::{Pool, Pools};

/// Pages of `PAGE` bytes, a power of two, at least 64.
///
/// ```
/// use base::{AddMemory, AllocatePagesAt, PageAllocator};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let three = pages.allocate_pages(3, 4096).unwrap();
/// // SAFETY: the second of three live pages of it.
/// unsafe { pages.deallocate_pages(three.byte_add(4096), 1) };
/// assert!(pages.allocate_pages_at(three.as_ptr().wrapping_add(4096), 1));
/// ```
#[derive(Debug)]
pub struct BitmapPages<const PAGE: usize = 4096> {
    pools: Pools<PAGE>,
    total: usize,
    used: usize,
    peak: usize,
    failures: usize,
    owns: PhantomData<*mut u8>,
}

// SAFETY: the memory that it points to is its own.
unsafe impl<const PAGE: usize> Send for BitmapPages<PAGE> {}

impl<const PAGE: usize> BitmapPages<PAGE> {
    const VALID: () = assert!(
        PAGE.is_power_of_two() && PAGE >= 64,
        "a page is a power of two of bytes, and not smaller than what is known of it"
    );

    /// No memory yet.
    #[must_use]
    pub const fn new() -> Self {
        () = Self::VALID;
        Self { pools: Pools::new(), total: 0, used: 0, peak: 0, failures: 0, owns: PhantomData }
    }

    fn mark_used(&mut self, mut pool: Pool<PAGE>, first: usize, pages: usize) {
        pool.runs().set(first, pages, false);
        self.used += pages * PAGE;
        self.peak = self.peak.max(self.used);
    }
}

/// The lowest run of `pages` free pages of a pool at a multiple of `align` bytes.
fn find<const PAGE: usize>(pool: &mut Pool<PAGE>, pages: usize, align: usize) -> Option<usize> {
    let mut from = 0;
    loop {
        let run = pool.runs().first_run(pages, from)?;
        let address = pool.address(run).checked_next_multiple_of(align)?;
        let aligned = (address - pool.address(0)) / PAGE;
        if aligned > pool.pages() || pages > pool.pages() - aligned {
            return None;
        }
        match pool.runs().last_used(aligned, pages) {
            None => return Some(aligned),
            Some(used) => from = used + 1,
        }
    }
}

// SAFETY: the bits of the pages were set, so nobody has them (bitmap-M1), and are cleared.
unsafe impl<const PAGE: usize> PageAllocator for BitmapPages<PAGE> {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        if pages == 0 {
            return None;
        }
        for mut pool in self.pools.iter() {
            if let Some(first) = find(&mut pool, pages, align.max(PAGE)) {
                self.mark_used(pool, first, pages);
                return Some(pool.pointer(first));
            }
        }
        self.failures += 1;
        None
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let Some((mut pool, first)) = self.pools.page_at(start.addr().get()) else {
            debug_assert!(false, "{start:p} is no page of a pool");
            return;
        };
        pool.runs().set(first, pages, true);
        self.used -= pages * PAGE;
    }
}

impl<const PAGE: usize> AllocatePagesAt for BitmapPages<PAGE> {
    fn allocate_pages_at(&mut self, start: *mut u8, pages: usize) -> bool {
        let Some((mut pool, first)) = self.pools.page_at(start.addr()) else { return false };
        let inside = pages > 0 && pages <= pool.pages() - first;
        if !inside || pool.runs().last_used(first, pages).is_some() {
            return false;
        }
        self.mark_used(pool, first, pages);
        true
    }
}

impl<const PAGE: usize> Default for BitmapPages<PAGE> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
