//! A pool: one piece of memory that was added, with its record in front and a sentinel behind.
//!
//! ```text
//! start                                                                    start + len
//!   │ pad │ record │ block │ block │ … │ block │ sentinel │ pad │
//!                                                size 0, never free
//! ```
//!
//! - **pool-T6** the blocks of a pool follow each other without a gap from the record to the sentinel.
//! - **pool-T7** pools do not overlap, and each is in the list once.

use base::bits::{align_down, align_up};
use base::{AddError, RemoveError};

use core::ptr::NonNull;

use super::bins::Table;
use super::block::{Block, PREV_FREE, USED, WORD};
use super::control::Control;
use super::tier::Tier;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Pool(*mut Record);

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Record {
    /// The pool added before.
    next: Pool,
    /// As it was added.
    start: *mut u8,
    len: usize,
}

/// Where things lie in a piece of memory.
struct Plan {
    record: usize,
    first: usize,
    sentinel: usize,
}

/// From the record to the first block, whose payload is then aligned.
const fn first_offset(grain: usize) -> usize {
    align_up(size_of::<Record>() + WORD, grain) - WORD
}

fn plan<C: Control>(start: usize, len: usize, largest: usize) -> Result<Plan, AddError> {
    let end = start.checked_add(len).ok_or(AddError::Wraps)?;
    // Below `BINS` a block's address would pass for a bin's number (bins-T5).
    let low = if start < C::BINS { C::BINS } else { start };
    if low > end || end - low < first_offset(C::GRAIN) + C::LISTED + 2 * C::GRAIN {
        return Err(AddError::TooSmall);
    }
    let record = align_up(low, C::GRAIN);
    let first = record + first_offset(C::GRAIN);
    let sentinel = align_down(end, C::GRAIN) - WORD;
    if sentinel - first > largest {
        return Err(AddError::TooLarge);
    }
    Ok(Plan { record, first, sentinel })
}

impl Pool {
    pub(super) const NONE: Pool = Pool(core::ptr::null_mut());

    pub(super) fn get(self) -> Option<Pool> {
        if self.0.is_null() { None } else { Some(self) }
    }

    fn record(self) -> Record {
        // SAFETY: a pool in the list has its record (pool-T7).
        unsafe { self.0.read() }
    }

    pub(super) fn next(self) -> Pool {
        self.record().next
    }

    pub(super) fn start(self) -> *mut u8 {
        self.record().start
    }

    pub(super) fn len(self) -> usize {
        self.record().len
    }

    pub(super) fn end(self) -> usize {
        self.start().addr() + self.len()
    }

    pub(super) fn contains(self, address: usize) -> bool {
        address.wrapping_sub(self.start().addr()) < self.len()
    }

    pub(super) fn first(self, grain: usize) -> Block {
        Block(self.0.wrapping_byte_add(first_offset(grain)).cast())
    }

    pub(super) fn sentinel(self, grain: usize) -> Block {
        let address = align_down(self.end(), grain) - WORD;
        Block(self.start().with_addr(address).cast())
    }

    fn write(self, record: Record) {
        // SAFETY: the record's words are the allocator's, in front of the first block.
        unsafe { self.0.write(record) }
    }
}

impl<C: Control, T: Tier> Table<C, T> {
    pub(super) fn pools(self) -> impl Iterator<Item = Pool> {
        // SAFETY: the control block is ours.
        let newest = unsafe { (*self.head()).pools };
        core::iter::successors(newest.get(), |pool| pool.next().get())
    }

    /// The largest block that the bins and the tier's headers can describe.
    fn largest(self) -> usize {
        let largest = C::largest(self.address());
        let sealed = 1 << (super::tier::SUMMED_BITS - 1);
        if T::CANARIES && largest > sealed { sealed } else { largest }
    }

    fn pool_at(self, start: *mut u8) -> Option<Pool> {
        self.pools().find(|pool| pool.start() == start)
    }

    /// Takes `[start, start + len)` as a pool of one free block. O(pools).
    /// The caller promises: as [`base::AddMemory::add_memory`].
    pub(super) unsafe fn add(self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if start.is_null() {
            return Err(AddError::Null);
        }
        let plan = plan::<C>(start.addr(), len, self.largest())?;
        let overlaps =
            |pool: Pool| pool.start().addr() < start.addr() + len && start.addr() < pool.end();
        if self.pools().any(overlaps) {
            return Err(AddError::Overlaps);
        }
        let pool = Pool(start.with_addr(plan.record).cast());
        // SAFETY: the control block is ours.
        let head = unsafe { &mut *self.head() };
        pool.write(Record { next: head.pools, start, len });
        head.pools = pool;
        let size = plan.sentinel - plan.first;
        head.total += size;
        let block = pool.first(C::GRAIN);
        // SAFETY: `plan` found room for the sentinel in the memory that the caller gives.
        unsafe { block.above(size).set_header::<T>(USED) };
        // SAFETY: the words from the first block to the sentinel are the caller's gift, in no bin.
        unsafe { self.release(block, size) };
        Ok(())
    }

    /// Makes `size` bytes at `block`, which follow a used block, one free block and lists it.
    /// The caller promises: the bytes are the allocator's, in no block of a bin, and a block follows them.
    pub(super) unsafe fn release(self, block: Block, size: usize) {
        let next = block.above(size);
        // SAFETY: a block follows.
        let header = unsafe { next.header::<T>() };
        // SAFETY: as above.
        unsafe { next.set_header::<T>(header | PREV_FREE) };
        // SAFETY: the bytes are free, and in no bin.
        unsafe { self.list(block, size) };
    }

    /// Gives up the pool added at `start`. O(pools).
    pub(super) fn remove(self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let pool = self.pool_at(start).ok_or(RemoveError::Unknown)?;
        let (first, sentinel) = (pool.first(C::GRAIN), pool.sentinel(C::GRAIN));
        let size = sentinel.address() - first.address();
        // SAFETY: by pool-T6 a block is first in the pool.
        let header = unsafe { first.header::<T>() };
        // A pool that was truncated may be a crumb.
        if header & USED != 0 || Self::size_of(header) != size {
            return Err(RemoveError::InUse);
        }
        // SAFETY: it is free, so in a bin (bins-T3).
        unsafe { self.unlink_any(first) };
        // No reference is kept: `pools` reads the same block.
        let head = self.head();
        // SAFETY: the control block is ours.
        unsafe { (*head).total -= size };
        match self.pools().find(|above| above.next() == pool) {
            Some(above) => above.write(Record { next: pool.next(), ..above.record() }),
            // SAFETY: as above.
            None => unsafe { (*head).pools = pool.next() },
        }
        let start = NonNull::new(start).ok_or(RemoveError::Unknown)?;
        Ok(NonNull::slice_from_raw_parts(start, pool.len()))
    }

    /// Makes the pool added at `start` `len` bytes long, which is not less than it was. O(pools).
    /// The caller promises: the bytes behind it are the caller's gift, as for [`add`](Self::add).
    pub(super) unsafe fn extend(self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let Some(pool) = self.pool_at(start) else { return Err(AddError::Null) };
        // Not by `plan`: one that was truncated may be shorter than any that can be added.
        let end = start.addr().checked_add(len).ok_or(AddError::Wraps)?;
        let sentinel = align_down(end, C::GRAIN).saturating_sub(WORD);
        let old = pool.sentinel(C::GRAIN);
        let more = sentinel.checked_sub(old.address()).ok_or(AddError::TooSmall)?;
        if sentinel - pool.first(C::GRAIN).address() > self.largest() {
            return Err(AddError::TooLarge);
        }
        let overlaps = |other: Pool| {
            other != pool
                && other.start().addr() < start.addr() + len
                && pool.end() < other.end()
                && other.start().addr() >= pool.end()
        };
        if self.pools().any(overlaps) {
            return Err(AddError::Overlaps);
        }
        // SAFETY: by pool-T6 the sentinel has a header.
        let below = unsafe { old.header::<T>() } & PREV_FREE;
        if below == 0 && more < Self::SMALLEST {
            return Err(AddError::TooSmall);
        }
        pool.write(Record { len, ..pool.record() });
        // SAFETY: the control block is ours.
        unsafe { (*self.head()).total += more };
        // The caller's pointer covers what is new as well.
        let (mut block, mut size) = (Block(start.with_addr(old.address()).cast()), more);
        if below != 0 {
            // SAFETY: the block below the old sentinel is free.
            let free = unsafe { self.size_below(old) };
            block = block.below(free);
            size += free;
            // SAFETY: it is in a bin (bins-T3).
            unsafe { self.unlink_any(block) };
        }
        // SAFETY: the new sentinel lies below the new end.
        unsafe { block.above(size).set_header::<T>(USED) };
        // SAFETY: the bytes are the caller's gift and what was free below them.
        unsafe { self.release(block, size) };
        Ok(())
    }

    /// Cuts the pool added at `start` to `len` bytes, or to as few as are possible, and says to
    /// how many. O(pools).
    pub(super) fn truncate(self, start: *mut u8, len: usize) -> Result<usize, RemoveError> {
        let pool = self.pool_at(start).ok_or(RemoveError::Unknown)?;
        let (first, old) = (pool.first(C::GRAIN), pool.sentinel(C::GRAIN));
        // SAFETY: by pool-T6 the sentinel has a header.
        let below = unsafe { old.header::<T>() } & PREV_FREE;
        if below == 0 || len >= pool.len() {
            return Ok(pool.len());
        }
        // SAFETY: the block below it is free.
        let free = unsafe { self.size_below(old) };
        let block = old.below(free);
        let wanted = align_down(start.addr().saturating_add(len), C::GRAIN).saturating_sub(WORD);
        // Below the new sentinel a legal free block must be left, or none, but never no block.
        let cut = if wanted <= block.address() && block != first {
            block.address()
        } else {
            wanted.max(block.address() + if block == first { C::LISTED } else { Self::SMALLEST })
        };
        if cut >= old.address() {
            return Ok(pool.len());
        }
        let len = (cut + WORD - start.addr()).max(len);
        // SAFETY: it is free, so in a bin (bins-T3).
        unsafe { self.unlink_any(block) };
        pool.write(Record { len, ..pool.record() });
        // SAFETY: the control block is ours.
        unsafe { (*self.head()).total -= old.address() - cut };
        let left = cut - block.address();
        // SAFETY: the free block gave room for the new sentinel.
        unsafe { block.above(left).set_header::<T>(USED) };
        if left != 0 {
            // SAFETY: the rest of the free block, which is in no bin now.
            unsafe { self.release(block, left) };
        }
        Ok(len)
    }

    /// Makes every pool one free block again. O(bins and pools).
    pub(super) fn reset(self) {
        self.clear_bins();
        // As if all were freed at once, which notes the peak.
        // SAFETY: the control block is ours.
        self.count_free(unsafe { (*self.head()).used });
        for pool in self.pools() {
            let (block, sentinel) = (pool.first(C::GRAIN), pool.sentinel(C::GRAIN));
            // SAFETY: by pool-T6 the sentinel lies behind the pool's last block.
            unsafe { sentinel.set_header::<T>(USED) };
            // SAFETY: nothing in the pool is in a bin or used any more.
            unsafe { self.release(block, sentinel.address() - block.address()) };
        }
    }
}
