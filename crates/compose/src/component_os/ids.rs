//! Numbers: process ids, interrupt lines, handles.
//!
//! ```text
//! first ─► 1 1 0 1 0 0 0 0 …     a bit a number, 1 while it is handed out
//! ```
//!
//! - **ids-N1** bits from `len` on are 0.
use super::{AllocError, AllocResult, v1};

const BITS: usize = usize::BITS as usize;

/// Up to `WORDS` machine words' worth of numbers. O(numbers) to hand out, O(count) to give back.
#[derive(Debug)]
pub struct Ids<const WORDS: usize> {
    first: usize,
    len: usize,
    used: usize,
    taken: [usize; WORDS],
}

impl<const WORDS: usize> Ids<WORDS> {
    /// Without numbers yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { first: 0, len: 0, used: 0, taken: [0; WORDS] }
    }

    fn is_taken(&self, index: usize) -> bool {
        self.taken[index / BITS] >> (index % BITS) & 1 != 0
    }

    fn flip(&mut self, index: usize, count: usize) {
        for index in index..index + count {
            self.taken[index / BITS] ^= 1 << (index % BITS);
        }
    }

    /// Where `count` numbers from `id` on stand, if they are all among ours.
    fn index(&self, id: usize, count: usize) -> Option<usize> {
        let index = id.checked_sub(self.first)?;
        (index.checked_add(count)? <= self.len).then_some(index)
    }
}

impl<const WORDS: usize> v1::BaseAllocator for Ids<WORDS> {
    unsafe fn init(&mut self, start: usize, size: usize) -> AllocResult {
        let ends = start.checked_add(size).is_some();
        if self.len != 0 || size == 0 || size > WORDS * BITS || !ends {
            return Err(AllocError::InvalidParam);
        }
        self.first = start;
        self.len = size;
        Ok(())
    }

    /// Numbers that follow those there are.
    unsafe fn add_memory(&mut self, start: usize, size: usize) -> AllocResult {
        let end = self.first + self.len;
        if start < end && self.first < start.saturating_add(size) {
            return Err(AllocError::MemoryOverlap);
        }
        let fits = self.len.checked_add(size).is_some_and(|len| len <= WORDS * BITS);
        if start != end || !fits || start.checked_add(size).is_none() {
            return Err(AllocError::InvalidParam);
        }
        self.len += size;
        Ok(())
    }
}

impl<const WORDS: usize> v1::IdAllocator for Ids<WORDS> {
    fn alloc_id(&mut self, count: usize, align_pow2: usize) -> AllocResult<usize> {
        if count == 0 || !align_pow2.is_power_of_two() {
            return Err(AllocError::InvalidParam);
        }
        let mut id = self.first;
        loop {
            id = id.checked_next_multiple_of(align_pow2).ok_or(AllocError::NoMemory)?;
            let index = self.index(id, count).ok_or(AllocError::NoMemory)?;
            match (index..index + count).rev().find(|index| self.is_taken(*index)) {
                Some(taken) => id = self.first + taken + 1,
                None => {
                    self.flip(index, count);
                    self.used += count;
                    return Ok(id);
                }
            }
        }
    }

    fn dealloc_id(&mut self, start_id: usize, count: usize) -> AllocResult {
        let index = self.index(start_id, count).ok_or(AllocError::NotAllocated)?;
        if !(index..index + count).all(|index| self.is_taken(index)) {
            return Err(AllocError::NotAllocated);
        }
        self.flip(index, count);
        self.used -= count;
        Ok(())
    }

    fn is_allocated(&self, id: usize) -> bool {
        self.index(id, 1).is_some_and(|index| self.is_taken(index))
    }

    fn alloc_fixed_id(&mut self, id: usize) -> AllocResult {
        let index = self.index(id, 1).ok_or(AllocError::InvalidParam)?;
        if self.is_taken(index) {
            return Err(AllocError::NoMemory);
        }
        self.flip(index, 1);
        self.used += 1;
        Ok(())
    }

    fn size(&self) -> usize {
        self.len
    }

    fn used(&self) -> usize {
        self.used
    }

    fn available(&self) -> usize {
        self.len - self.used
    }
}

#[cfg(test)]
mod tests;
