//! Touching a new block as a program does that uses it: a block whose pages nobody touches takes no memory.

use plan::ALL_PAGES;

use crate::options::Touch;

/// The kernel gives memory by such pages.
const PAGE: usize = 4096;

/// How blocks are touched in this run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toucher {
    pub(crate) how: Touch,
    /// No more bytes of a block.
    pub(crate) most: usize,
}

impl Toucher {
    /// Touches `block` from `from` on: of a small one the first word, else a byte of each page; and the last byte.
    ///
    /// # Safety
    ///
    /// The block has `size` bytes, or as many as [`Self::most`] says.
    #[inline(always)]
    pub(crate) unsafe fn touch(self, block: *mut u8, from: usize, size: usize, pages: u32) {
        if self.how == Touch::None || size <= from {
            return;
        }
        if size <= PAGE {
            if size >= size_of::<u64>() {
                // SAFETY: the block has eight bytes.
                unsafe { block.cast::<u64>().write_unaligned(1) };
            }
            // SAFETY: the caller's promise; the size is more than 0.
            let last = unsafe { block.add(size - 1) };
            // SAFETY: it is a byte of the block.
            return unsafe { last.write(1) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.touch_pages(block, from, size, pages) };
    }

    /// # Safety
    ///
    /// As of [`Self::touch`].
    unsafe fn touch_pages(self, block: *mut u8, from: usize, size: usize, pages: u32) {
        let known = self.how == Touch::Recorded && pages != ALL_PAGES;
        let most = if known { self.most.min(pages as usize * PAGE) } else { self.most };
        let end = size.min(most);
        let mut at = from.next_multiple_of(PAGE);
        while at < end {
            // SAFETY: it is below the size.
            let byte = unsafe { block.add(at) };
            // SAFETY: it is a byte of the block.
            unsafe { byte.write(1) };
            at += PAGE;
        }
        if end == size {
            // SAFETY: the size is more than 0.
            let last = unsafe { block.add(size - 1) };
            // SAFETY: it is a byte of the block.
            unsafe { last.write(1) };
        }
    }
}
