//! The pools of a fit heap: each begins with its record and ends in a sentinel.
//!
//! ```text
//! start                                                            start + len
//!   ├ ╌ ┬──────┬───────┬─────┬─────────┬─────────┬─ … ─┬──────────┬ ╌ ┤
//!       │ next │ start │ len │ block   │ block   │     │ sentinel │
//!   ├ ╌ ┴──────┴───────┴─────┴─────────┴─────────┴─ … ─┴──────────┴ ╌ ┤
//!       aligned to two words                        aligned to two words
//! ```
//!
//! - **pool-G1** the records form a list in address order, and their pools do not overlap.
//!
//! Pools that touch are not joined, so that each can be removed as it was added.
use core::iter;
use core::ptr::NonNull;

use base::AddError;
use base::bits::{align_down, align_up};

use super::block::{Block, MIN, UNIT, WORD};

const RECORD: usize = size_of::<Record>();
/// Bytes that a pool needs besides its blocks, when its ends are aligned.
const OVERHEAD: usize = RECORD + WORD;

const _: () = assert!(RECORD % UNIT == WORD, "block-H1 holds of the first block");

#[repr(C)]
struct Record {
    next: Option<Pool>,
    start: *mut u8,
    len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pool(NonNull<Record>);

impl Pool {
    #[inline]
    pub(super) fn first(self) -> Block {
        // SAFETY: by pool-G1's construction a block follows the record.
        let first = unsafe { self.0.cast::<u8>().add(RECORD) };
        // SAFETY: block-H1 holds by the assertion above, and the pool is the heap's.
        unsafe { Block::at(first) }
    }

    pub(super) fn added(self) -> (*mut u8, usize) {
        // SAFETY: the record is initialised and the heap's.
        let record = unsafe { self.0.as_ref() };
        (record.start, record.len)
    }

    fn next(self) -> Option<Pool> {
        // SAFETY: the record is initialised and the heap's.
        unsafe { self.0.as_ref() }.next
    }

    fn set_next(mut self, next: Option<Pool>) {
        // SAFETY: the record is initialised and the heap's.
        unsafe { self.0.as_mut() }.next = next;
    }

    pub(super) fn blocks_len(self) -> usize {
        let (start, len) = self.added();
        align_down(start.addr() + len, UNIT) - WORD - self.first().address()
    }

    /// Makes the pool one free block, and returns it.
    pub(super) fn clear(self) -> Block {
        let whole = self.first();
        let size = self.blocks_len();
        whole.make_used(size);
        whole.next().make_sentinel();
        whole.make_free(size);
        whole
    }

    /// Its blocks in address order.
    pub(super) fn blocks(self) -> impl Iterator<Item = Block> {
        iter::successors(Some(self.first()), |block| Some(block.next()))
            .take_while(|block| block.size() != 0)
    }
}

#[derive(Debug)]
pub(super) struct Pools {
    head: Option<Pool>,
}

impl Pools {
    pub(super) const fn new() -> Self {
        Self { head: None }
    }

    /// In address order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Pool> + use<> {
        iter::successors(self.head, |pool| pool.next())
    }

    /// Takes memory and makes it a pool without blocks yet.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn add(&mut self, start: *mut u8, len: usize) -> Result<Pool, AddError> {
        let memory = NonNull::new(start).ok_or(AddError::Null)?;
        let from = start.addr();
        let end = from.checked_add(len).ok_or(AddError::Wraps)?;
        if len > isize::MAX as usize {
            return Err(AddError::TooLarge);
        }
        let front = align_up(from, UNIT).wrapping_sub(from);
        if len < front || align_down(end, UNIT) - from < front + OVERHEAD + MIN {
            return Err(AddError::TooSmall);
        }
        let mut before = None;
        for pool in self.iter() {
            let (other, other_len) = pool.added();
            if from < other.addr() + other_len && other.addr() < end {
                return Err(AddError::Overlaps);
            }
            if other.addr() < from {
                before = Some(pool);
            }
        }
        // SAFETY: `front` is below `len`.
        let record = unsafe { memory.add(front) }.cast::<Record>();
        let next = before.map_or(self.head, Pool::next);
        // SAFETY: aligned to two words, and the caller gives room for a record.
        unsafe { record.write(Record { next, start, len }) };
        self.set_after(before, Some(Pool(record)));
        Ok(Pool(record))
    }

    pub(super) fn find(&self, start: *const u8) -> Option<Pool> {
        self.iter().find(|pool| pool.added().0.cast_const() == start)
    }

    pub(super) fn remove(&mut self, pool: Pool) {
        let before = self.iter().take_while(|other| *other != pool).last();
        self.set_after(before, pool.next());
    }

    fn set_after(&mut self, before: Option<Pool>, pool: Option<Pool>) {
        match before {
            None => self.head = pool,
            Some(before) => before.set_next(pool),
        }
    }

    /// Whether an address lies in memory that was added.
    pub(super) fn own(&self, address: *const u8) -> bool {
        self.iter().any(|pool| {
            let (start, len) = pool.added();
            (start.addr()..start.addr() + len).contains(&address.addr())
        })
    }
}
