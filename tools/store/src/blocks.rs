//! A heap of handles over any allocator of blocks, so that kmalloc and malloc can be compared with those that have handles.
//!
//! ```text
//! handle   │ generation │ row │ ─► table │ block │ length │ generation │ ─► kmalloc, malloc
//! ```
use base::{HandleAllocator, HandleError, HandleUsage, Map};
use core::fmt;
use core::ptr::NonNull;
use kernel::SourcePages;
use kernel::kmalloc::{Kmalloc, Options};
use source::PageSource;

/// The most bytes of a block here.
const MOST: usize = 4096;

/// Allocates blocks that do not move.
///
/// # Safety
///
/// A block has as many bytes as were asked for, and is nobody else's until it is freed.
pub unsafe trait Blocks {
    /// A block of `len` bytes, at least 1; uninitialised.
    fn take(&mut self, len: usize) -> Option<NonNull<u8>>;

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// It was taken here for `len` bytes, and nobody uses it any more.
    unsafe fn give(&mut self, block: NonNull<u8>, len: usize);

    /// Bytes of the memory that blocks are in, as far as the allocator says.
    fn bytes(&self) -> usize;
}

/// kmalloc over pages of a system.
pub struct KernelBlocks<S: PageSource>(Kmalloc<SourcePages<S>>);

impl<S: PageSource> KernelBlocks<S> {
    /// Of a range of `len` bytes.
    pub fn new(source: S, len: usize) -> Self {
        Self(Kmalloc::new(SourcePages::new(source, len), Options::default()))
    }
}

impl<S: PageSource> fmt::Debug for KernelBlocks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KernelBlocks").field(&self.bytes()).finish()
    }
}

// SAFETY: kmalloc's blocks.
unsafe impl<S: PageSource> Blocks for KernelBlocks<S> {
    fn take(&mut self, len: usize) -> Option<NonNull<u8>> {
        self.0.allocate(len)
    }

    unsafe fn give(&mut self, block: NonNull<u8>, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free(block) };
    }

    fn bytes(&self) -> usize {
        self.0.pages().usage().used
    }
}

/// The malloc of the C library.
#[derive(Debug, Default)]
pub struct CBlocks {
    bytes: usize,
}

/// What glibc has in front of a block.
const IN_FRONT: usize = size_of::<usize>();

// SAFETY: malloc's blocks.
unsafe impl Blocks for CBlocks {
    fn take(&mut self, len: usize) -> Option<NonNull<u8>> {
        // SAFETY: any length is allowed.
        let block = NonNull::new(unsafe { libc::malloc(len) })?;
        // SAFETY: a block of malloc.
        self.bytes += unsafe { libc::malloc_usable_size(block.as_ptr()) } + IN_FRONT;
        Some(block.cast())
    }

    unsafe fn give(&mut self, block: NonNull<u8>, _: usize) {
        let block = block.as_ptr().cast();
        // SAFETY: a block of malloc, by the caller's promise.
        self.bytes -= unsafe { libc::malloc_usable_size(block) } + IN_FRONT;
        // SAFETY: as above, and nobody uses it any more.
        unsafe { libc::free(block) };
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Names a block: its row, and the how manieth there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle {
    row: u32,
    generation: u32,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    /// `None`: free.
    block: Option<NonNull<u8>>,
    /// Of a free row the next one.
    len: u32,
    generation: u32,
}

/// No row.
const NONE: u32 = u32::MAX;

/// Blocks of `B` behind handles.
#[derive(Debug)]
pub struct BlockHeap<B: Blocks> {
    blocks: B,
    rows: Vec<Row>,
    free: u32,
    objects: usize,
    payload: usize,
}

impl<B: Blocks> BlockHeap<B> {
    /// Without blocks.
    #[must_use]
    pub const fn new(blocks: B) -> Self {
        Self { blocks, rows: Vec::new(), free: NONE, objects: 0, payload: 0 }
    }

    /// What the blocks are from.
    pub const fn blocks(&self) -> &B {
        &self.blocks
    }

    fn find(&self, handle: Handle) -> Result<(NonNull<u8>, usize), HandleError> {
        let row = self.rows.get(handle.row as usize).ok_or(HandleError::Unknown)?;
        match row.block {
            Some(block) if row.generation == handle.generation => Ok((block, row.len as usize)),
            _ => Err(HandleError::Stale),
        }
    }

    /// A block whose bytes are to be written.
    fn make(&mut self, len: usize) -> Result<(Handle, NonNull<u8>), HandleError> {
        if len == 0 {
            return Err(HandleError::Empty);
        }
        if len > MOST {
            return Err(HandleError::TooLarge { most: MOST });
        }
        let block = self.blocks.take(len).ok_or(HandleError::NoMemory)?;
        if self.free == NONE {
            let row = Row { block: None, len: NONE, generation: 0 };
            self.free = base::bits::low32(self.rows.len());
            self.rows.push(row);
        }
        let id = self.free;
        let row = &mut self.rows[id as usize];
        self.free = row.len;
        (row.block, row.len) = (Some(block), base::bits::low32(len));
        self.objects += 1;
        self.payload += len;
        Ok((Handle { row: id, generation: row.generation }, block))
    }
}

impl<B: Blocks> HandleAllocator for BlockHeap<B> {
    type Handle = Handle;

    fn max_len(&self) -> usize {
        MOST
    }

    fn allocate(&mut self, len: usize) -> Result<Handle, HandleError> {
        let (handle, block) = self.make(len)?;
        // SAFETY: a block of `len` bytes.
        unsafe { block.write_bytes(0, len) };
        Ok(handle)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Handle, HandleError> {
        let (handle, block) = self.make(bytes.len())?;
        // SAFETY: a block of as many bytes, just taken.
        unsafe { block.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Ok(handle)
    }

    fn free(&mut self, handle: Handle) -> Result<(), HandleError> {
        let (block, len) = self.find(handle)?;
        let row = &mut self.rows[handle.row as usize];
        *row = Row { block: None, len: self.free, generation: row.generation.wrapping_add(1) };
        self.free = handle.row;
        self.objects -= 1;
        self.payload -= len;
        // SAFETY: the row's, which has it no more.
        unsafe { self.blocks.give(block, len) };
        Ok(())
    }

    fn len_of(&self, handle: Handle) -> Result<usize, HandleError> {
        Ok(self.find(handle)?.1)
    }

    fn read<'a>(&'a self, handle: Handle, _: &'a mut [u8]) -> Result<&'a [u8], HandleError> {
        self.bytes(handle)
    }

    fn write(&mut self, handle: Handle, offset: usize, bytes: &[u8]) -> Result<(), HandleError> {
        let object = self.bytes_mut(handle)?;
        let end = offset.checked_add(bytes.len()).ok_or(HandleError::OutOfBounds)?;
        object.get_mut(offset..end).ok_or(HandleError::OutOfBounds)?.copy_from_slice(bytes);
        Ok(())
    }

    fn usage(&self) -> HandleUsage {
        HandleUsage {
            objects: self.objects,
            payload: self.payload,
            pages: self.blocks.bytes(),
            tables: self.rows.len() * size_of::<Row>(),
        }
    }
}

impl<B: Blocks> Map for BlockHeap<B> {
    fn bytes(&self, handle: Handle) -> Result<&[u8], HandleError> {
        let (block, len) = self.find(handle)?;
        // SAFETY: written when it was made, and the borrow is the heap's.
        Ok(unsafe { NonNull::slice_from_raw_parts(block, len).as_ref() })
    }

    fn bytes_mut(&mut self, handle: Handle) -> Result<&mut [u8], HandleError> {
        let (block, len) = self.find(handle)?;
        // SAFETY: written when it was made, and the borrow is the heap's.
        Ok(unsafe { NonNull::slice_from_raw_parts(block, len).as_mut() })
    }
}

impl<B: Blocks> Drop for BlockHeap<B> {
    fn drop(&mut self) {
        for row in core::mem::take(&mut self.rows) {
            if let Some(block) = row.block {
                // SAFETY: the row's, which is gone.
                unsafe { self.blocks.give(block, row.len as usize) };
            }
        }
    }
}

#[cfg(test)]
mod tests;
