//! A block that knows what it holds.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use crate::{Memory, Outcome};

pub struct Block<'a> {
    memory: &'a dyn Memory,
    start: NonNull<u8>,
    layout: Layout,
}

impl<'a> Block<'a> {
    /// A block, its bytes not written. `None`: there is none so large. Panics when `align` is no power of two.
    pub fn new(memory: &'a dyn Memory, size: usize, align: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size, align).expect("an alignment is a power of two");
        let start = NonNull::new(memory.allocate(layout))?;
        Some(Self { memory, start, layout })
    }

    /// The same, filled with a value of its own.
    pub(crate) fn filled(memory: &'a dyn Memory, size: usize, align: usize) -> Option<Self> {
        let block = Self::new(memory, size, align)?;
        // SAFETY: the block's bytes.
        unsafe { block.start.write_bytes(block.value(), size) };
        Some(block)
    }

    /// The same, with only its first and last byte written: for blocks that are large.
    pub(crate) fn marked(memory: &'a dyn Memory, size: usize, align: usize) -> Option<Self> {
        let block = Self::new(memory, size, align)?;
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

    fn value(&self) -> u8 {
        #[expect(clippy::cast_possible_truncation, reason = "any byte will do")]
        let value = (self.address() >> 4 ^ self.layout.size() ^ 0x5a) as u8;
        value
    }

    /// Frees it. Whether it was aligned and held what [`filled`](Self::filled) had put there.
    pub(crate) fn free(self) -> Outcome {
        // SAFETY: written by `filled`.
        let bytes = unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) };
        let kept = bytes.iter().all(|&byte| byte == self.value());
        self.end(kept)
    }

    pub(crate) fn free_marked(self) -> Outcome {
        // SAFETY: written by `marked`.
        let first = unsafe { self.start.read() };
        // SAFETY: written by `marked`.
        let last = unsafe { self.last().read() };
        let kept = first == self.value() && last == self.value();
        self.end(kept)
    }

    fn end(self, kept: bool) -> Outcome {
        let aligned = self.address().is_multiple_of(self.layout.align());
        self.forget();
        if !aligned {
            return Err("a block is not aligned as asked");
        }
        if kept { Ok(()) } else { Err("a block did not keep its contents") }
    }

    /// Frees it, whatever it holds.
    pub fn forget(self) {
        // SAFETY: a live block with its layout.
        unsafe { self.memory.free(self.start.as_ptr(), self.layout) };
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.start, self.layout)
    }
}
