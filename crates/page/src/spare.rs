//! Spare memory: blocks for a signal handler that interrupted malloc, which can have none of the heap's.
//!
//! ```text
//! chunk  [ next, end │ ░ len │ block │ ░ len │ block │ free … ]    64 KiB, then twice as much each time
//!                                                    └ next
//! ```
//!
//! - **spare-Q1** the bytes from `next` on are nobody's; what lies before it is never a second block's, but for the newest block,
//!   whose bytes are nobody's again when it is freed.
//! - **spare-Q2** the word before a block is its length; a chunk is never unmapped.
//!
//! Layer *page*. No lock: who was interrupted may be here itself. O(chunks), of which no program has many: handlers that
//! allocate are rare, and what they do not free last is never used again.
use base::bits::align_up;
use base::sync::{AtomicUsize, Ordering};

use crate::System;

const WORD: usize = size_of::<usize>();
/// What every block is aligned to at least; before a block there is as much room for its length.
const ALIGN: usize = 16;
const FIRST_CHUNK: usize = 64 << 10;
/// 64 KiB shifted by as much are more than there are addresses.
const CHUNKS: usize = 32;

/// Blocks that no heap has.
#[derive(Debug)]
pub struct Spare {
    /// The addresses of chunks, those in use first; 0: none yet.
    chunks: [AtomicUsize; CHUNKS],
}

#[derive(Debug)]
#[repr(C)]
struct Chunk {
    next: AtomicUsize,
    end: AtomicUsize,
}

impl Spare {
    /// Without memory.
    pub const fn new() -> Self {
        Self { chunks: [const { AtomicUsize::new(0) }; CHUNKS] }
    }

    /// `size` bytes at a multiple of `align`, a power of two. `None`: out of memory.
    pub fn allocate<S: System>(&self, source: &S, size: usize, align: usize) -> Option<usize> {
        let (size, align) = (size.max(1).checked_next_multiple_of(ALIGN)?, align.max(ALIGN));
        let needed = size.checked_add(align)?.checked_add(2 * ALIGN)?;
        for (index, slot) in self.chunks.iter().enumerate() {
            let at = match slot.load(Ordering::Acquire) {
                0 => add(source, slot, needed.max(FIRST_CHUNK << index))
                    .or_else(|| add(source, slot, needed))?,
                at => at,
            };
            if let Some(block) = chunk(at).take(size, align) {
                return Some(block);
            }
        }
        None
    }

    /// Whether the block at `address` is one of these. A load where there are none.
    #[inline]
    pub fn has(&self, address: usize) -> bool {
        self.chunks[0].load(Ordering::Relaxed) != 0 && self.len_of(address).is_some()
    }

    /// The length of the block at `address`. `None`: it is none of these.
    pub fn len_of(&self, address: usize) -> Option<usize> {
        let chunk = self.chunk_of(address).filter(|_| address.is_multiple_of(ALIGN))?;
        let len = length(address).load(Ordering::Relaxed);
        (len != 0 && len <= chunk.next.load(Ordering::Relaxed).checked_sub(address)?).then_some(len)
    }

    /// Frees the block at `address`. `false`: it is none of these.
    pub fn free(&self, address: usize) -> bool {
        let (Some(len), Some(chunk)) = (self.len_of(address), self.chunk_of(address)) else {
            return false;
        };
        // Only the newest serves again (spare-Q1).
        let _ = chunk.next.compare_exchange(
            address + len,
            address - ALIGN,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        true
    }

    /// The chunk that has bytes for blocks at `address`.
    fn chunk_of(&self, address: usize) -> Option<&Chunk> {
        let chunks = self.chunks.iter().map(|slot| slot.load(Ordering::Acquire));
        chunks.take_while(|&at| at != 0).map(chunk).find(|chunk| {
            let first = core::ptr::from_ref(*chunk).addr() + size_of::<Chunk>() + ALIGN;
            (first..chunk.end.load(Ordering::Relaxed)).contains(&address)
        })
    }
}

impl Chunk {
    fn take(&self, size: usize, align: usize) -> Option<usize> {
        let end = self.end.load(Ordering::Relaxed);
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let block = align_up(next + ALIGN, align);
            if size > end.checked_sub(block)? {
                return None;
            }
            let put = self.next.compare_exchange(
                next,
                block + size,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match put {
                Ok(_) => {
                    length(block).store(size, Ordering::Relaxed);
                    return Some(block);
                }
                Err(other) => next = other,
            }
        }
    }
}

/// A chunk of at least `len` bytes in a slot that was empty; another's, if that was faster. `None`: out of memory.
fn add<S: System>(source: &S, slot: &AtomicUsize, len: usize) -> Option<usize> {
    let page = source.page_size();
    let len = len.checked_next_multiple_of(page)?;
    let at = source.map(len, page)?;
    let new = chunk(at);
    new.next.store(at + size_of::<Chunk>(), Ordering::Relaxed);
    new.end.store(at + len, Ordering::Relaxed);
    match slot.compare_exchange(0, at, Ordering::Release, Ordering::Acquire) {
        Ok(_) => Some(at),
        Err(theirs) => {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { source.release(at, len) };
            Some(theirs)
        }
    }
}

fn chunk<'a>(at: usize) -> &'a Chunk {
    // SAFETY: a mapping of ours, which stays (spare-Q2) and begins with one; any contents are valid atomics.
    unsafe { &*core::ptr::with_exposed_provenance(at) }
}

/// The word before a block.
fn length<'a>(block: usize) -> &'a AtomicUsize {
    // SAFETY: within a chunk, behind its head.
    unsafe { &*core::ptr::with_exposed_provenance(block - WORD) }
}

#[cfg(test)]
mod tests;
