use super::*;
use base::{AddError, AddMemory, Check, Owns, RemoveError, RemoveMemory, Reset, Stats, Walk};
use core::alloc::Layout;
use core::ops::ControlFlow;

use std::alloc::{alloc, dealloc};

mod misuse;
mod random;
mod shapes;

const PAGE: usize = 4096;

/// `len` bytes at a multiple of 64 pages, plus `off`.
struct Memory {
    whole: NonNull<u8>,
    layout: Layout,
    off: usize,
}

impl Memory {
    fn new(len: usize, off: usize) -> Self {
        let layout = Layout::from_size_align(off + len, 64 * PAGE).unwrap();
        // SAFETY: the size is not 0.
        let whole = NonNull::new(unsafe { alloc(layout) }).unwrap();
        Self { whole, layout, off }
    }

    fn start(&self) -> *mut u8 {
        self.whole.as_ptr().wrapping_add(self.off)
    }

    fn len(&self) -> usize {
        self.layout.size() - self.off
    }

    fn page(&self, index: usize) -> *mut u8 {
        self.start().wrapping_add(index * PAGE)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new`.
        unsafe { dealloc(self.whole.as_ptr(), self.layout) };
    }
}

fn over(memory: &Memory) -> BitmapPages<PAGE> {
    let mut pages = BitmapPages::new();
    // SAFETY: the tests keep the memory as long as the allocator.
    unsafe { pages.add_memory(memory.start(), memory.len()) }.unwrap();
    pages.check().unwrap();
    pages
}

/// All pages: each piece's, negative where they are free.
fn shape(pages: &BitmapPages<PAGE>) -> Vec<isize> {
    let mut shape = Vec::new();
    pages.walk(&mut |piece| {
        let count = (piece.len / PAGE).cast_signed();
        shape.push(if piece.used { count } else { -count });
        ControlFlow::Continue(())
    });
    shape
}

fn give(pages: &mut BitmapPages<PAGE>, start: *mut u8, count: usize) {
    // SAFETY: the tests give live pages back.
    unsafe { pages.deallocate_pages(NonNull::new(start).unwrap(), count) };
    pages.check().unwrap();
}
