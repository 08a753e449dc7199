//! The C library's malloc as a heap of handles, to compare with: its blocks do not move, so a handle is the block itself.

use base::{HandleAllocator, HandleError, HandleUsage};
use core::ptr::NonNull;

#[derive(Default)]
pub(crate) struct Malloc(HandleUsage);

/// A block and its length. Other than a heap's handle, it is not told from one that was freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block(NonNull<u8>, usize);

/// The bytes that glibc takes for a block: what it can hold, and its size in front of it.
fn taken(block: NonNull<u8>) -> usize {
    // SAFETY: a block of malloc.
    unsafe { libc::malloc_usable_size(block.as_ptr().cast()) + size_of::<usize>() }
}

impl HandleAllocator for Malloc {
    type Handle = Block;

    fn max_len(&self) -> usize {
        4096
    }

    fn allocate(&mut self, len: usize) -> Result<Block, HandleError> {
        self.store(&vec![0; len])
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Block, HandleError> {
        let len = bytes.len();
        // SAFETY: any length is allowed.
        let block = NonNull::new(unsafe { libc::malloc(len) }).ok_or(HandleError::NoMemory)?;
        let block = block.cast::<u8>();
        // SAFETY: a new block of as many bytes.
        unsafe { block.copy_from_nonoverlapping(NonNull::from(bytes).cast(), len) };
        self.0.objects += 1;
        self.0.payload += len;
        self.0.pages += taken(block);
        Ok(Block(block, len))
    }

    fn free(&mut self, Block(block, len): Block) -> Result<(), HandleError> {
        self.0.objects -= 1;
        self.0.payload -= len;
        self.0.pages -= taken(block);
        // SAFETY: the store frees each block once.
        unsafe { libc::free(block.as_ptr().cast()) };
        Ok(())
    }

    fn len_of(&self, block: Block) -> Result<usize, HandleError> {
        Ok(block.1)
    }

    fn bytes(&self, block: Block) -> Result<&[u8], HandleError> {
        // SAFETY: written when it was made.
        Ok(unsafe { NonNull::slice_from_raw_parts(block.0, block.1).as_ref() })
    }

    fn usage(&self) -> HandleUsage {
        self.0
    }
}
