//! What the tests of several allocators share.
use core::alloc::Layout;
use core::ptr::NonNull;

use std::alloc::{alloc, dealloc};

use base::{AddMemory, Check};

/// Memory at a multiple of `align` plus `off`, so that shapes do not depend on where it lies.
pub(crate) struct Memory {
    whole: NonNull<u8>,
    layout: Layout,
    off: usize,
}

impl Memory {
    pub(crate) fn new(len: usize, align: usize, off: usize) -> Self {
        let layout = Layout::from_size_align(off + len, align).unwrap();
        // SAFETY: the size is not 0.
        let whole = NonNull::new(unsafe { alloc(layout) }).unwrap();
        Self { whole, layout, off }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.whole.as_ptr().wrapping_add(self.off)
    }

    /// Where its page of 4 KiB with this number begins.
    pub(crate) fn page(&self, index: usize) -> *mut u8 {
        self.start().wrapping_add(index * 4096)
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size() - self.off
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new`.
        unsafe { dealloc(self.whole.as_ptr(), self.layout) };
    }
}

/// An allocator with all of `memory`.
pub(crate) fn over<H: AddMemory + Check + Default>(memory: &Memory) -> H {
    let mut heap = H::default();
    // SAFETY: the tests keep the memory as long as the heap.
    unsafe { heap.add_memory(memory.start(), memory.len()) }.unwrap();
    heap.check().unwrap();
    heap
}

/// The short name of what [`Check`] says is broken while a word is changed.
pub(crate) fn broken_by(
    heap: &impl Check,
    word: *mut usize,
    change: impl Fn(usize) -> usize,
) -> &'static str {
    // SAFETY: a word of the heap's memory.
    let old = unsafe { word.read() };
    // SAFETY: as above, put back below.
    unsafe { word.write(change(old)) };
    let broken = heap.check().unwrap_err();
    // SAFETY: as above.
    unsafe { word.write(old) };
    heap.check().unwrap();
    broken.invariant.split(':').next().unwrap()
}

/// Numbers that look random.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % below
    }
}
