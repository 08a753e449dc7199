//! Abilities: what an allocator can do beyond allocating. Lacking one is lacking the trait.

use core::fmt;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use crate::block::BlockAllocator;

/// Why a piece of memory was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddError {
    /// Its address is null.
    Null,
    /// It goes past the end of the address space.
    Wraps,
    /// Nothing fits in it once it is aligned and its own records are placed.
    TooSmall,
    /// It is more than this allocator's geometry can describe.
    TooLarge,
    /// Part of it is this allocator's already.
    Overlaps,
    /// There is no room to record another piece.
    Full,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddError::Null => "the memory's address is null",
            AddError::Wraps => "the memory goes past the end of the address space",
            AddError::TooSmall => "the memory is too small to hold a block",
            AddError::TooLarge => "the memory is larger than the allocator's geometry",
            AddError::Overlaps => "the memory overlaps what the allocator has",
            AddError::Full => "the allocator can record no further piece of memory",
        })
    }
}

impl core::error::Error for AddError {}

/// Why a piece of memory was not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemoveError {
    /// No piece begins at this address.
    Unknown,
    /// A block in it is live.
    InUse,
}

impl fmt::Display for RemoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RemoveError::Unknown => "no memory was added at this address",
            RemoveError::InUse => "a block in this memory is live",
        })
    }
}

impl core::error::Error for RemoveError {}

/// Can be given memory to allocate from, in any number of pieces unless it says otherwise.
pub trait AddMemory {
    /// Takes `[start, start + len)`; the ends are aligned inward.
    /// Errors: why not; nothing has changed then.
    /// # Safety
    /// The bytes are valid for reads and writes and nobody else's until they are removed, or as
    /// long as the allocator is used.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError>;
}

/// Can give up memory it was given.
pub trait RemoveMemory: AddMemory {
    /// Gives up the piece that was added at `start`, as it was added.
    /// Errors: it is unknown, or in use.
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError>;
}

/// Can free a block without being told its layout.
pub trait Free: BlockAllocator {
    /// Gives a block back.
    /// # Safety
    /// `block` was allocated here, is live, and is dead afterwards.
    unsafe fn free(&mut self, block: NonNull<u8>);
}

/// Knows how many bytes of a block may be used.
pub trait UsableSize: BlockAllocator {
    /// At least the size asked for.
    /// # Safety
    /// `block` was allocated here and is live.
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize;
}

/// Can grow and shrink a block where it is.
pub trait ResizeInPlace: BlockAllocator {
    /// Whether the block now has `new_size` bytes, which its layout has from then on; if not,
    /// nothing has changed.
    /// # Safety
    /// `block` was allocated here and is live.
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool;
}

/// Can tell whether an address lies in its memory.
pub trait Owns {
    /// Whether `address` lies in memory that was added. It need not be a block's.
    fn owns(&self, address: *const u8) -> bool;
}

/// Can forget every block at once.
pub trait Reset {
    /// Makes all memory free again.
    /// # Safety
    /// No block is used afterwards.
    unsafe fn reset(&mut self);
}

/// A piece of a heap: a block in use, or free memory between blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Where it begins, its header included.
    pub at: usize,
    /// Bytes, its header included.
    pub len: usize,
    /// Whether it is in use.
    pub used: bool,
}

/// Can be walked: every piece of every memory added, in address order within each.
pub trait Walk {
    /// Shows each piece to `visit` until it breaks off. O(pieces).
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>);
}

/// What an allocator counts as it goes. Bytes include headers and padding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BlockStats {
    /// Bytes that blocks can be made of: `used` plus what is free.
    pub total: usize,
    /// Bytes in use.
    pub used: usize,
    /// The most bytes ever in use.
    pub peak: usize,
    /// A size that can surely be had with the default alignment.
    pub largest_free: usize,
    /// Requests that were refused.
    pub failures: usize,
}

/// Counts as it goes.
pub trait Stats {
    /// O(1).
    fn stats(&self) -> BlockStats;
}
