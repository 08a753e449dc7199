//! The buddy system: blocks of 2^order units, split in halves and joined with their other half.
//!
//! ```text
//! order 3  ┌───────────────────────────────┐
//!          │               7               │      a block's number: its middle, counted in
//! order 2  ├───────────────┬───────────────┤      half units from the pool's beginning
//!          │       3       │      11       │
//! order 1  ├───────┬───────┼───────┬───────┤      state   one bit for each number, set while
//!          │   1   │   5   │   9   │  13   │              that block is free
//! order 0  ├───┬───┼───┬───┼───┬───┼───┬───┤      lists   the free blocks of each order, linked
//!          │ 0 │ 2 │ 4 │ 6 │ 8 │10 │12 │14 │              through themselves
//!          └───┴───┴───┴───┴───┴───┴───┴───┘
//! ```
//!
//! - **buddy-B1** a block's bit is set exactly when it is in the list of its order; `non_empty` has a
//!   bit for each list that is not empty.
//! - **buddy-B2** a block of order k begins at a multiple of 2^k units, counted from address 0, and
//!   lies in one pool; free blocks do not overlap.
//! - **buddy-B3** of two buddies at most one is free: free ones are joined.
//! - **buddy-B4** `total` is what all pools have in units, `used` is `total` without the free blocks.
//!
//! Free memory is an owned value, a [`Chunk`]: splitting consumes one and gives two, joining
//! consumes two, the lists take and give them. So a byte is never free twice, and what is unsafe
//! is confined to the links in free blocks (`lists`) and the state bits (`pool`).
//!
//! The state takes two bits for each unit and lies in the pool itself, of any size and
//! alignment: addresses are what blocks are aligned to, so each is aligned to its size. Taking
//! and giving are O(orders), whatever the number of free blocks. Several pools, of which the
//! one that was added last is found first. Nothing is known of a block in use: its user names
//! its size again.
//!
//! Layer *kernel*: [`BuddyPages`] hands out pages; with smaller units the same type hands out
//! blocks (`block::buddy`). Knowlton, "A Fast Storage Allocator", 1965; Knuth, "The Art of
//! Computer Programming" 1, 2.5.
use core::marker::PhantomData;
use core::ptr::NonNull;

mod blocks;
mod chunk;
mod count;
mod inspect;
mod lists;
mod memory;
mod pages;
mod pool;

pub use chunk::Chunk;

use lists::Lists;
use pool::Pool;

/// Pages of `PAGE` bytes in runs of any length.
pub type BuddyPages<const PAGE: usize = 4096> = Buddy<PAGE>;

/// The buddy system over units of `UNIT` bytes, a power of two and at least two words.
///
/// ```
/// use base::{AddMemory, PageAllocator};
/// use heapwright_kernel_allocators::buddy::BuddyPages;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut pages = BuddyPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let three = pages.allocate_pages(3, 4096).unwrap();
/// // SAFETY: three live pages of it.
/// unsafe { pages.deallocate_pages(three, 3) };
/// ```
#[derive(Debug)]
pub struct Buddy<const UNIT: usize> {
    lists: Lists<UNIT>,
    pools: Option<Pool>,
    total: usize,
    used: usize,
    peak: usize,
    failures: usize,
    owns: PhantomData<*mut u8>,
}

// SAFETY: the memory that it points to is its own.
unsafe impl<const UNIT: usize> Send for Buddy<UNIT> {}

impl<const UNIT: usize> Buddy<UNIT> {
    const VALID: () = assert!(
        UNIT.is_power_of_two() && UNIT >= 2 * size_of::<usize>(),
        "a unit is a power of two, and holds the two links of a free block"
    );

    /// No memory yet.
    #[must_use]
    pub const fn new() -> Self {
        () = Self::VALID;
        Self {
            lists: Lists::new(),
            pools: None,
            total: 0,
            used: 0,
            peak: 0,
            failures: 0,
            owns: PhantomData,
        }
    }

    /// The order of the smallest block with `size` bytes; `size` at most `isize::MAX` + 1.
    #[inline]
    #[must_use]
    pub const fn order_of(size: usize) -> u32 {
        count::log2_up::<UNIT>(if size < UNIT { UNIT } else { size })
    }

    /// A free block of this order, split off the smallest that has one. O(orders). `None`: there
    /// is none; it counts as a failure.
    #[inline]
    pub fn take(&mut self, order: u32) -> Option<Chunk> {
        let Some(mut chunk) = self.lists.pop(order) else {
            self.failures += 1;
            return None;
        };
        // A chunk has a pool.
        let pool = self.pool_of(chunk.address())?;
        let number = Pool::number::<UNIT>(pool.offset(&chunk), chunk.len());
        pool.mark_used(number);
        if chunk.order() > order {
            chunk = self.split_to(chunk, number, order, pool);
        }
        self.used += chunk.len();
        self.peak = self.peak.max(self.used);
        Some(chunk)
    }

    /// The lowest part of a chunk; all upper halves go to the lists, which are empty up to its
    /// order. A half's number is half of its length, in half units, away from the whole's.
    #[inline]
    fn split_to(&mut self, mut chunk: Chunk, mut number: usize, order: u32, pool: Pool) -> Chunk {
        while chunk.order() > order {
            let (low, high) = chunk.split();
            let half = high.len() / UNIT;
            pool.mark_free(number + half);
            self.lists.push_first(high);
            (chunk, number) = (low, number - half);
        }
        chunk
    }

    /// Takes a chunk back, and joins it with its buddy for as long as that is free. O(orders).
    #[inline]
    pub fn give(&mut self, chunk: Chunk) {
        let Some(pool) = self.pool_of(chunk.address()) else {
            debug_assert!(false, "{:#x} is in no pool", chunk.address());
            return;
        };
        debug_assert!(
            pool.free_number::<UNIT>(chunk.address(), chunk.len()).is_none(),
            "{:#x} is free already",
            chunk.address()
        );
        self.used -= chunk.len();
        match pool.free_number::<UNIT>(chunk.buddy(), chunk.len()) {
            // In pieces, which stay in registers.
            Some(number) => {
                let order = chunk.order();
                self.join(chunk.into_raw(), order, number, pool);
            }
            None => self.put(chunk, pool),
        }
    }

    /// [`give`](Self::give) where the buddy is free; its number.
    #[inline(never)]
    fn join(&mut self, start: NonNull<u8>, order: u32, mut number: usize, pool: Pool) {
        // SAFETY: what `give` took apart.
        let mut chunk = unsafe { Chunk::from_raw::<UNIT>(start, order) };
        loop {
            pool.mark_used(number);
            // SAFETY: its bit was set, so by buddy-B1 it is in this list.
            let buddy = unsafe { self.lists.remove(pool.pointer(chunk.buddy()), chunk.order()) };
            chunk = chunk.join(buddy);
            match pool.free_number::<UNIT>(chunk.buddy(), chunk.len()) {
                Some(next) => number = next,
                None => return self.put(chunk, pool),
            }
        }
    }

    #[inline]
    fn put(&mut self, chunk: Chunk, pool: Pool) {
        pool.mark_free(Pool::number::<UNIT>(pool.offset(&chunk), chunk.len()));
        self.lists.push(chunk);
    }

    /// The pool that an address lies in; that of a chunk is always there.
    #[inline]
    fn pool_of(&self, address: usize) -> Option<Pool> {
        let mut at = self.pools;
        while let Some(pool) = at
            && !pool.holds(address)
        {
            at = pool.next();
        }
        at
    }
}

impl<const UNIT: usize> Default for Buddy<UNIT> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
