//! The buddy system over blocks: sizes and alignments are powers of two, and there is no header.
//!
//! ```text
//! request of 40      64 of 64 at a multiple of 64
//! request of 100     128 of 128                    [ record │ state │ units of 2 words … ]
//! ```
//!
//! It is [`kernel::buddy`] with units of two words, where its picture, its invariants and its code
//! stand. A block costs what is missing to the next power of two, a quarter of its size on
//! average, and two bits for each unit of the memory (1/64). In return allocating and freeing are
//! O(orders) whatever the number of holes; two holes that are buddies are one at once; a block
//! of 2^k bytes is aligned to 2^k; and no word of a block is touched while it is in use.

/// Blocks of at least two words; `heap.deallocate` must be told the layout.
///
/// ```
/// use base::{AddMemory, BlockAllocator};
/// use core::alloc::Layout;
///
/// let mut memory = [0usize; 512];
/// let mut heap = heapwright_block::buddy::Buddy::new();
/// // SAFETY: `memory` is the heap's alone and outlives it.
/// unsafe { heap.add_memory(memory.as_mut_ptr().cast(), size_of_val(&memory)) }.unwrap();
/// let layout = Layout::new::<[u64; 4]>();
/// let block = heap.allocate(layout).unwrap();
/// // SAFETY: `block` is live and of this layout.
/// unsafe { heap.deallocate(block, layout) };
/// ```
pub type Buddy = kernel::buddy::Buddy<{ 2 * size_of::<usize>() }>;

#[cfg(test)]
mod tests;
