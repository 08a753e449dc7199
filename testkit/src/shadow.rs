//! `Shadow`: a second, naive account of every live block.
//!
//! - **S1** every block in `live` was returned by the allocator and not freed since.
//! - **S2** the usable extents of two blocks in `live` share no byte.
//! - **S3** a block's bytes are its pattern's, over its usable extent.
//!
//! The allocator is right when it never makes S2 or S3 false. A block of no usable bytes counts
//! as one byte, so its address is its own.
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;

use crate::pattern::{Mismatch, Pattern, Samples, first_nonzero};
use crate::wrong::Wrong;

/// The alignment of every block that no other was asked for.
pub const DEFAULT_ALIGN: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub size: usize,
    /// A power of two.
    pub align: usize,
    pub zeroed: bool,
}

#[derive(Debug)]
pub struct Block {
    pointer: *mut u8,
    size: usize,
    align: usize,
    usable: usize,
    pattern: Pattern,
    /// Which allocation of its thread it was.
    number: u64,
}

// SAFETY: a block is the only account of its memory, so it moves between threads as the memory does.
unsafe impl Send for Block {}

impl Block {
    pub fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    pub fn address(&self) -> usize {
        self.pointer.addr()
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn align(&self) -> usize {
        self.align
    }

    /// Verifies the contents over the usable extent (S3).
    /// Errors: [`Wrong::Contents`].
    pub fn verify(&self) -> Result<(), Wrong> {
        // SAFETY: by S1 the block is live, and by S3 it was written over its usable extent.
        let bytes = unsafe { core::slice::from_raw_parts(self.pointer, self.usable) };
        self.pattern.verify(bytes, self.usable).map_err(|mismatch| Wrong::Contents {
            address: self.address(),
            size: self.size,
            mismatch,
        })
    }

    fn fill(&self) {
        // SAFETY: by S1 the block is live and ours, and valid for its usable extent.
        let bytes = unsafe {
            core::slice::from_raw_parts_mut(self.pointer.cast::<MaybeUninit<u8>>(), self.usable)
        };
        self.pattern.fill(bytes);
    }

    /// The first byte after the block; at least one past its start.
    fn end(&self) -> usize {
        self.address() + self.usable.max(1)
    }
}

/// Every live block, by address.
#[derive(Debug)]
pub struct Shadow {
    live: BTreeMap<usize, Block>,
    seed: u64,
    bytes: usize,
    small_align: usize,
    samples: Samples,
}

impl Shadow {
    /// No live blocks. No two shadows in a process use the same patterns, so what an earlier run
    /// left in memory does not pass for this one's.
    pub fn new() -> Shadow {
        static SHADOWS: AtomicU64 = AtomicU64::new(1);
        let seed = SHADOWS.fetch_add(1, Ordering::Relaxed);
        Shadow {
            live: BTreeMap::new(),
            seed: seed << 32,
            bytes: 0,
            small_align: DEFAULT_ALIGN,
            samples: Samples::ALL,
        }
    }

    /// Blocks of less than [`DEFAULT_ALIGN`] bytes need only be aligned to `small_align` where no
    /// alignment was asked for: C allows that, heapwright's own `Malloc` does not.
    pub fn with_small_align(self, small_align: usize) -> Shadow {
        Shadow { small_align, ..self }
    }

    pub fn with_samples(self, samples: Samples) -> Shadow {
        Shadow { samples, ..self }
    }

    pub fn len(&self) -> usize {
        self.live.len()
    }

    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn get(&self, address: usize) -> Option<&Block> {
        self.live.get(&address)
    }

    /// The addresses of all live blocks, the oldest first: an order that does not depend on where
    /// blocks lie, and so is the same in every run of a program.
    pub fn by_age(&self) -> Vec<usize> {
        let mut blocks: Vec<&Block> = self.live.values().collect();
        blocks.sort_by_key(|block| block.number);
        blocks.into_iter().map(Block::address).collect()
    }

    /// Accounts for a new block: its alignment, extent, place and zeroes; then fills it.
    /// # Safety
    /// `pointer` was just returned for `request` and not freed, and the allocator means it to be
    /// valid for `usable` bytes.
    pub unsafe fn allocated(
        &mut self,
        pointer: *mut u8,
        usable: usize,
        request: Request,
    ) -> Result<(), Wrong> {
        let block = self.describe(pointer, usable, request);
        self.place(&block, request)?;
        if request.zeroed {
            // SAFETY: the caller has it from the allocator, and `place` found it apart from all others.
            let bytes = unsafe { core::slice::from_raw_parts(pointer, request.size) };
            if let Some((offset, found)) = first_nonzero(bytes) {
                let (address, size) = (pointer.addr(), request.size);
                return Err(Wrong::NotZero { address, size, offset, found });
            }
        }
        block.fill();
        self.insert(block);
        Ok(())
    }

    /// Accounts for `old`, already taken out, having become `pointer`: what is kept, then as
    /// [`allocated`](Self::allocated).
    /// # Safety
    /// As [`allocated`](Self::allocated); `old` is dead.
    pub unsafe fn reallocated(
        &mut self,
        old: &Block,
        pointer: *mut u8,
        usable: usize,
        request: Request,
    ) -> Result<(), Wrong> {
        let block = self.describe(pointer, usable, request);
        self.place(&block, request)?;
        let kept = old.size.min(request.size);
        // SAFETY: the caller has it from the allocator, and the kept bytes were written in `old`.
        let bytes = unsafe { core::slice::from_raw_parts(pointer, kept) };
        old.pattern.verify(bytes, old.usable).map_err(|mismatch: Mismatch| Wrong::NotKept {
            from: old.address(),
            old: old.size,
            to: pointer.addr(),
            new: request.size,
            mismatch,
        })?;
        block.fill();
        self.insert(block);
        Ok(())
    }

    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.live.values()
    }

    /// Takes the block at `address` out without verifying it; `None` when none is live there.
    pub fn take(&mut self, address: usize) -> Option<Block> {
        let block = self.live.remove(&address)?;
        self.bytes -= block.size;
        Some(block)
    }

    /// Puts a block back, or one that another shadow gave up.
    /// Errors: [`Wrong::Overlap`] with one of this shadow's.
    pub fn put(&mut self, block: Block) -> Result<(), Wrong> {
        self.apart(&block)?;
        self.insert(block);
        Ok(())
    }

    /// Verifies the contents of every live block.
    /// Errors: the first that changed, by address.
    pub fn verify(&self) -> Result<(), Wrong> {
        self.live.values().try_for_each(Block::verify)
    }

    fn describe(&mut self, pointer: *mut u8, usable: usize, request: Request) -> Block {
        self.seed += 1;
        let number = self.seed;
        // The blocks of a program take turns too, in the same order in every run.
        let samples = self.samples.turned(number & u64::from(u32::MAX));
        let pattern = Pattern::new(pointer.addr(), self.seed).with_samples(samples);
        Block { pointer, size: request.size, align: request.align, usable, pattern, number }
    }

    fn place(&self, block: &Block, request: Request) -> Result<(), Wrong> {
        let (address, usable) = (block.address(), block.usable);
        let weak = request.align == DEFAULT_ALIGN && request.size < DEFAULT_ALIGN;
        let align = if weak { self.small_align } else { request.align };
        if !address.is_multiple_of(align) {
            return Err(Wrong::Misaligned { address, align });
        }
        if usable < request.size {
            return Err(Wrong::Usable { address, usable, size: request.size });
        }
        if address.checked_add(usable.max(1)).is_none() {
            return Err(Wrong::Wraps { address, usable });
        }
        self.apart(block)
    }

    fn apart(&self, block: &Block) -> Result<(), Wrong> {
        let below = self.live.range(..block.end()).next_back();
        match below {
            Some((_, other)) if other.end() > block.address() => Err(Wrong::Overlap {
                address: block.address(),
                usable: block.usable,
                with: other.address(),
                with_usable: other.usable,
            }),
            _ => Ok(()),
        }
    }

    fn insert(&mut self, block: Block) {
        self.bytes += block.size;
        self.live.insert(block.address(), block);
    }
}
