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

use base::AddError;
use base::bits::{align_down, align_up};
use base::memories::{Memories, Memory};

use super::block::{Block, MIN, UNIT, WORD};

const RECORD: usize = Memory::<()>::RECORD;
/// Bytes that a pool needs besides its blocks, when its ends are aligned.
const OVERHEAD: usize = RECORD + WORD;

const _: () = assert!(RECORD % UNIT == WORD, "block-H1 holds of the first block");

#[derive(Debug, Clone, Copy)]
pub(super) struct Pool(pub(super) Memory<()>);

impl Pool {
    #[inline]
    pub(super) fn first(self) -> Block {
        // SAFETY: by pool-G1's construction a block follows the record; block-H1 holds by the assertion above.
        unsafe { Block::at(self.0.behind()) }
    }

    pub(super) fn blocks_len(self) -> usize {
        let (start, len) = self.0.added();
        align_down(start.addr().get() + len, UNIT) - WORD - self.first().address()
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

    /// Takes memory and makes it a pool without blocks yet.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn add(
        pools: &mut Memories<()>,
        start: *mut u8,
        len: usize,
    ) -> Result<Self, AddError> {
        let (memory, end) = pools.admit(start, len)?;
        let from = start.addr();
        let front = align_up(from, UNIT).wrapping_sub(from);
        if len < front || align_down(end, UNIT) - from < front + OVERHEAD + MIN {
            return Err(AddError::TooSmall);
        }
        let below = pools.below(start);
        // SAFETY: aligned to two words, and the caller gives room for a record.
        Ok(Self(unsafe { pools.insert((memory, len), front, (), below) }))
    }
}
