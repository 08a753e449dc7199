//! What the tests of several heaps share.
use base::{AddMemory, Check};

/// Memory at a page's start, so that shapes do not depend on where it lies. It is not zero.
pub(crate) struct Memory {
    pages: Box<[Page]>,
    len: usize,
}

#[repr(align(4096))]
#[derive(Clone, Copy)]
struct Page(#[expect(dead_code, reason = "read through pointers")] [u8; 4096]);

impl Memory {
    pub(crate) fn new(len: usize) -> Self {
        Self { pages: vec![Page([0xaa; 4096]); len.div_ceil(4096)].into_boxed_slice(), len }
    }

    pub(crate) fn start(&mut self) -> *mut u8 {
        self.pages.as_mut_ptr().cast()
    }
}

/// A heap with all of `memory`.
pub(crate) fn over<H: AddMemory + Check + Default>(memory: &mut Memory) -> H {
    let mut heap = H::default();
    // SAFETY: the tests keep the memory as long as the heap.
    unsafe { heap.add_memory(memory.start(), memory.len) }.unwrap();
    heap.check().unwrap();
    heap
}
