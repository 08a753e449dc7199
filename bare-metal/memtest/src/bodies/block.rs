//! A block that knows what it holds.

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::hint::black_box;
use core::ptr::NonNull;

/// A live block.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

impl Block {
    /// A block, its bytes not written. `None`: there is none so large. Panics when `align` is no power of two.
    pub(crate) fn new(size: usize, align: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size, align).expect("an alignment is a power of two");
        // SAFETY: every size here is other than 0; and hidden, so that no pair of calls is optimised away.
        let start = NonNull::new(black_box(unsafe { alloc(layout) }))?;
        Some(Self { start, layout })
    }

    /// The same, filled with a value of its own.
    pub(crate) fn filled(size: usize, align: usize) -> Option<Self> {
        let block = Self::new(size, align)?;
        // SAFETY: the block's bytes.
        unsafe { block.start.write_bytes(block.value(), size) };
        Some(block)
    }

    /// The same, with only its first and last byte written: for blocks that are large.
    pub(crate) fn marked(size: usize, align: usize) -> Option<Self> {
        let block = Self::new(size, align)?;
        // SAFETY: the block's first byte.
        unsafe { block.start.write(block.value()) };
        // SAFETY: its last.
        unsafe { block.last().write(block.value()) };
        Some(block)
    }

    pub(crate) fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// Its byte number `at`, which is below its size.
    pub(crate) fn byte(&self, at: usize) -> NonNull<u8> {
        // SAFETY: inside the block.
        unsafe { self.start.add(at) }
    }

    fn last(&self) -> NonNull<u8> {
        self.byte(self.layout.size() - 1)
    }

    /// Depends on where it is and on its size.
    fn value(&self) -> u8 {
        #[expect(clippy::cast_possible_truncation, reason = "any byte will do")]
        let value = (self.address() >> 4 ^ self.layout.size() ^ 0x5a) as u8;
        value
    }

    /// Frees it. Whether it was aligned and held what [`filled`](Self::filled) had put there.
    pub(crate) fn free(self) -> Result<(), &'static str> {
        // SAFETY: written by `filled`.
        let bytes = unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) };
        let kept = bytes.iter().all(|&byte| byte == self.value());
        self.end(kept)
    }

    /// The same for one that was [`marked`](Self::marked).
    pub(crate) fn free_marked(self) -> Result<(), &'static str> {
        // SAFETY: written by `marked`.
        let first = unsafe { self.start.read() };
        // SAFETY: written by `marked`.
        let last = unsafe { self.last().read() };
        let kept = first == self.value() && last == self.value();
        self.end(kept)
    }

    fn end(self, kept: bool) -> Result<(), &'static str> {
        let aligned = self.address().is_multiple_of(self.layout.align());
        self.forget();
        if !aligned {
            return Err("a block is not aligned as asked");
        }
        if kept { Ok(()) } else { Err("a block did not keep its contents") }
    }

    /// Frees it, whatever it holds.
    pub(crate) fn forget(self) {
        // SAFETY: a live block with its layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
