//! A pool of the buddy system: its record and state bits stand before its units.
//!
//! ```text
//! start                                                              start + len
//!   ├ ╌ ┌────────┬─────────────────────┬ ╌ ┬──────┬──────┬─ … ─┬──────┬ ╌ ┤
//!       │ record │ bits: 2 for a unit  │   │ unit │ unit │     │ unit │
//!   ├ ╌ └────────┴─────────────────────┴ ╌ ┴──────┴──────┴─ … ─┴──────┴ ╌ ┤
//!     word                                 first        units_len
//! ```
//!
//! - **buddy-pool-R1** `first` and `units_len` are multiples of a unit, `bits` has a bit for each half unit.
//!
//! A block's number is the same as in the picture in [`buddy`](super), counted from `first`: for
//! a block of s units at unit u it is 2u + s − 1, and no other block has it, as u is a multiple
//! of s. The numbers of blocks that do not overlap rise with their addresses.
use core::ptr::NonNull;

use base::AddError;
use base::bits::{align_down, align_up};

use super::chunk::Chunk;

const WORD_BITS: usize = usize::BITS as usize;

struct Record {
    next: Option<Pool>,
    start: NonNull<u8>,
    len: usize,
    first: usize,
    units_len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pool(NonNull<Record>);

impl Pool {
    /// Makes memory a pool in front of `next`. All units are in use.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn create<const UNIT: usize>(
        start: *mut u8,
        len: usize,
        next: Option<Pool>,
    ) -> Result<Self, AddError> {
        let memory = NonNull::new(start).ok_or(AddError::Null)?;
        let from = start.addr();
        let to = from.checked_add(len).ok_or(AddError::Wraps)?;
        if len > isize::MAX as usize {
            return Err(AddError::TooLarge);
        }
        let mut other = next;
        while let Some(pool) = other {
            let (start, len) = pool.added();
            if from < start.addr().get() + len && start.addr().get() < to {
                return Err(AddError::Overlaps);
            }
            other = pool.next();
        }
        let record = align_up(from, align_of::<Record>());
        let words = (len / UNIT * 2).div_ceil(WORD_BITS);
        let before_units = record - from + size_of::<Record>() + words * size_of::<usize>();
        if len < before_units || len - before_units < UNIT {
            return Err(AddError::TooSmall);
        }
        let first = (from + before_units).checked_next_multiple_of(UNIT);
        let end = align_down(to, UNIT);
        let Some(first) = first.filter(|first| *first < end) else {
            return Err(AddError::TooSmall);
        };
        // SAFETY: less than `len`.
        let record = unsafe { memory.byte_add(record - from) }.cast::<Record>();
        // SAFETY: the caller's bytes, aligned.
        unsafe { record.write(Record { next, start: memory, len, first, units_len: end - first }) };
        let pool = Pool(record);
        pool.clear::<UNIT>();
        Ok(pool)
    }

    #[inline]
    fn record(&self) -> &Record {
        // SAFETY: `create` wrote it, and it is the allocator's.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn bits(self) -> NonNull<usize> {
        // SAFETY: the state stands behind the record.
        unsafe { self.0.add(1) }.cast()
    }

    /// The pool in front of which this one was made.
    #[inline]
    pub(super) fn next(self) -> Option<Pool> {
        self.record().next
    }

    pub(super) fn set_next(mut self, next: Option<Pool>) {
        // SAFETY: as for `record`.
        unsafe { self.0.as_mut() }.next = next;
    }

    pub(super) fn added(self) -> (NonNull<u8>, usize) {
        (self.record().start, self.record().len)
    }

    /// The addresses of its units: the first's, and where the last one ends.
    #[inline]
    pub(super) fn units(self) -> (usize, usize) {
        let Record { first, units_len, .. } = self.record();
        (*first, first + units_len)
    }

    #[inline]
    pub(super) fn pointer(self, address: usize) -> NonNull<u8> {
        let start = self.record().start;
        // SAFETY: the address lies in the pool.
        unsafe { start.byte_add(address - start.addr().get()) }
    }

    #[inline]
    pub(super) fn holds(self, address: usize) -> bool {
        let Record { first, units_len, .. } = self.record();
        address.wrapping_sub(*first) < *units_len
    }

    /// How far a chunk lies from the first unit.
    #[inline]
    pub(super) fn offset(self, chunk: &Chunk) -> usize {
        chunk.address() - self.record().first
    }

    /// The number of a block of `len` bytes, `offset` bytes from the first unit.
    #[inline]
    pub(super) fn number<const UNIT: usize>(offset: usize, len: usize) -> usize {
        // No pool is more than half of all memory.
        (offset * 2 + len) / UNIT - 1
    }

    #[inline]
    fn place(self, number: usize) -> (NonNull<usize>, usize) {
        // SAFETY: a block of the pool has a number below that of its last half unit (buddy-pool-R1).
        let word = unsafe { self.bits().add(number / WORD_BITS) };
        (word, 1 << (number % WORD_BITS))
    }

    /// Whether the block of this number is free as such.
    #[inline]
    fn is_free(self, number: usize) -> bool {
        let (word, bit) = self.place(number);
        // SAFETY: a word of the state.
        let word = unsafe { word.read() };
        word & bit != 0
    }

    /// Sets the bit of a chunk that goes to its list.
    #[inline]
    pub(super) fn mark_free(self, number: usize) {
        let (word, bit) = self.place(number);
        // SAFETY: a word of the state.
        unsafe { *word.as_ptr() |= bit };
    }

    /// Clears the bit of a chunk that came from its list.
    #[inline]
    pub(super) fn mark_used(self, number: usize) {
        let (word, bit) = self.place(number);
        // SAFETY: a word of the state.
        unsafe { *word.as_ptr() &= !bit };
    }

    /// The number of the block of `len` bytes at an address, if it is in the pool and free. The
    /// pool has at least `len` bytes.
    #[inline]
    pub(super) fn free_number<const UNIT: usize>(
        self,
        address: usize,
        len: usize,
    ) -> Option<usize> {
        let Record { first, units_len, .. } = self.record();
        // What is below `first` comes out longer than any pool.
        let offset = address.wrapping_sub(*first);
        if offset > units_len.wrapping_sub(len) {
            return None;
        }
        Some(Self::number::<UNIT>(offset, len)).filter(|number| self.is_free(*number))
    }

    /// Makes all units used.
    pub(super) fn clear<const UNIT: usize>(self) {
        // SAFETY: the state has a bit for each unit.
        unsafe { self.bits().write_bytes(0, self.words::<UNIT>()) };
    }

    fn words<const UNIT: usize>(self) -> usize {
        (self.record().units_len / UNIT * 2).div_ceil(WORD_BITS)
    }

    /// Every free block in address order: address and order. O(units / word bits).
    pub(super) fn free_blocks<const UNIT: usize>(self) -> impl Iterator<Item = (usize, u32)> {
        let first = self.record().first;
        (0..self.words::<UNIT>()).flat_map(move |index| {
            // SAFETY: `index` is below the words of the state.
            let word = unsafe { self.bits().add(index) };
            // SAFETY: a word of the state.
            let mut rest = unsafe { word.read() };
            core::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                // Counted from address 0, one more than a number ends in `order` zeros.
                let number = first / (UNIT / 2) + index * WORD_BITS + bit as usize + 1;
                let order = number.trailing_zeros();
                Some(((number - (1 << order)) * (UNIT / 2), order))
            })
        })
    }
}
