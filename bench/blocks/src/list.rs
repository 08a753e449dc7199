//! The fits as the texts have them: all free blocks in one list, which is walked for each request.
//!
//! ```text
//! list ─► free ⇄ free ⇄ free          the one freed last is first
//!
//! block   │ size, in use │ size of the block before │ payload, or next and previous of the list … │
//! ```
//!
//! What `block::fit` finds in a tree: best and worst fit walk the whole list, and with it each request costs as much as there
//! are holes. No alignment above 16, as in the text. Here to be measured beside ours only.
use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::bits::{align_down, align_up};
use base::{AddError, AddMemory, BlockAllocator};

/// Which block a request gets of those that are large enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    First,
    Best,
    Worst,
}

pub const FIRST: u8 = Choice::First as u8;
pub const BEST: u8 = Choice::Best as u8;
pub const WORST: u8 = Choice::Worst as u8;

const HEADER: usize = 16;
const LEAST: usize = 32;
const USED: usize = 1;

/// All memory in one list; `CHOICE` is one of [`FIRST`], [`BEST`], [`WORST`].
pub struct ListFit<const CHOICE: u8> {
    first: usize,
}

fn word(at: usize) -> *mut usize {
    ptr::with_exposed_provenance_mut(at)
}

/// A word of a block's header or of a free block.
fn get(at: usize) -> usize {
    // SAFETY: called with words of blocks only, which are the heap's.
    unsafe { word(at).read() }
}

fn set(at: usize, value: usize) {
    // SAFETY: as above.
    unsafe { word(at).write(value) }
}

fn size(block: usize) -> usize {
    get(block) & !USED
}

fn is_free(block: usize) -> bool {
    get(block) & USED == 0
}

/// A block's size, which the one behind it knows too.
fn begin(block: usize, size: usize, used: usize) {
    set(block, size | used);
    set(block + size + 8, size);
}

const NEXT: usize = HEADER;
const PREVIOUS: usize = HEADER + 8;

impl<const CHOICE: u8> ListFit<CHOICE> {
    pub fn new() -> Self {
        Self { first: 0 }
    }

    fn push(&mut self, block: usize, size: usize) {
        begin(block, size, 0);
        set(block + NEXT, self.first);
        set(block + PREVIOUS, 0);
        if self.first != 0 {
            set(self.first + PREVIOUS, block);
        }
        self.first = block;
    }

    fn remove(&mut self, block: usize) {
        let (next, previous) = (get(block + NEXT), get(block + PREVIOUS));
        if next != 0 {
            set(next + PREVIOUS, previous);
        }
        if previous == 0 {
            self.first = next;
        } else {
            set(previous + NEXT, next);
        }
    }

    fn choose(&self, needed: usize) -> Option<usize> {
        let some = |block: usize| (block != 0).then_some(block);
        let list = core::iter::successors(some(self.first), |block| some(get(block + NEXT)));
        let mut large = list.filter(|block| size(*block) >= needed);
        match CHOICE {
            BEST => large.min_by_key(|block| size(*block)),
            WORST => large.max_by_key(|block| size(*block)),
            _ => large.next(),
        }
    }
}

impl<const CHOICE: u8> AddMemory for ListFit<CHOICE> {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let start = start.expose_provenance();
        let (from, to) = (align_up(start, HEADER), align_down(start + len, HEADER));
        if to.checked_sub(from).is_none_or(|len| len < HEADER + LEAST) {
            return Err(AddError::TooSmall);
        }
        // In front of the first and at the end is nothing that could be joined.
        set(from + 8, 0);
        set(to - HEADER, USED);
        self.push(from, to - HEADER - from);
        Ok(())
    }
}

// SAFETY: a block is in use or on the list, never both, and none overlaps another.
unsafe impl<const CHOICE: u8> BlockAllocator for ListFit<CHOICE> {
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.align() > HEADER {
            return None;
        }
        let needed = align_up(layout.size().checked_add(HEADER)?, HEADER).max(LEAST);
        let block = self.choose(needed)?;
        self.remove(block);
        let whole = size(block);
        let rest = whole - needed;
        if rest >= LEAST {
            self.push(block + needed, rest);
            begin(block, needed, USED);
        } else {
            begin(block, whole, USED);
        }
        NonNull::new(word(block + HEADER).cast())
    }

    unsafe fn deallocate(&mut self, block: NonNull<u8>, _: Layout) {
        let (mut block, mut len) = (block.addr().get() - HEADER, 0);
        len += size(block);
        if is_free(block + len) {
            self.remove(block + len);
            len += size(block + len);
        }
        let before = get(block + 8);
        if before != 0 && is_free(block - before) {
            block -= before;
            self.remove(block);
            len += before;
        }
        self.push(block, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on<const CHOICE: u8>(memory: &mut [u64]) -> ListFit<CHOICE> {
        let mut heap = ListFit::new();
        // SAFETY: the memory outlives the heap.
        unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 8 * memory.len()) }.unwrap();
        heap
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    /// Holes of 112, 48 and 208 bytes, freed in this order, and the rest; the offset of a block of `size`, from the first.
    fn chosen<const CHOICE: u8>(size: usize) -> usize {
        let mut memory = [0; 512];
        let mut heap = on::<CHOICE>(&mut memory);
        let sizes = [96, 16, 32, 16, 192, 16, 3000];
        let blocks = sizes.map(|size| heap.allocate(layout(size)).unwrap());
        for hole in [0, 2, 4] {
            // SAFETY: live until now.
            unsafe { heap.deallocate(blocks[hole], layout(sizes[hole])) };
        }
        heap.allocate(layout(size)).unwrap().addr().get() - blocks[0].addr().get()
    }

    #[test]
    fn each_takes_its_hole() {
        let holes = [0, 144, 224];
        assert_eq!(chosen::<FIRST>(24), holes[2], "freed last");
        assert_eq!(chosen::<BEST>(24), holes[1]);
        assert_eq!(chosen::<BEST>(33), holes[0]);
        assert!(chosen::<WORST>(24) >= holes[2]);
    }

    #[test]
    fn all_is_joined_again_whatever_the_order() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
            let mut memory = [0; 512];
            let mut heap = on::<FIRST>(&mut memory);
            let whole = size(heap.first);
            let blocks = [(); 3].map(|()| heap.allocate(layout(100)).unwrap());
            for block in order {
                // SAFETY: live until now.
                unsafe { heap.deallocate(blocks[block], layout(100)) };
            }
            assert_eq!((size(heap.first), get(heap.first + NEXT)), (whole, 0));
            assert!(heap.allocate(layout(5000)).is_none());
            assert!(heap.allocate(Layout::from_size_align(16, 32).unwrap()).is_none());
        }
    }
}
