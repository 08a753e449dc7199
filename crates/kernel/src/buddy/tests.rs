use super::*;
use base::{
    AddError, AddMemory, BlockAllocator, Check, Owns, PageAllocator, Piece, RemoveError,
    RemoveMemory, Stats, Walk,
};
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use std::alloc::{alloc, dealloc};

mod misuse;
mod random;
mod shapes;

const WORD: usize = size_of::<usize>();

/// Memory at a multiple of `align` plus `off`, so that shapes do not depend on where it lies.
struct Memory {
    whole: NonNull<u8>,
    layout: Layout,
    off: usize,
}

impl Memory {
    fn new(len: usize, align: usize, off: usize) -> Self {
        let layout = Layout::from_size_align(off + len, align).unwrap();
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
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new`.
        unsafe { dealloc(self.whole.as_ptr(), self.layout) };
    }
}

fn over<const UNIT: usize>(memory: &Memory) -> Buddy<UNIT> {
    let mut buddy = Buddy::new();
    // SAFETY: the tests keep the memory as long as the allocator.
    unsafe { buddy.add_memory(memory.start(), memory.len()) }.unwrap();
    buddy.check().unwrap();
    buddy
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

fn pieces<const UNIT: usize>(buddy: &Buddy<UNIT>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    buddy.walk(&mut |piece| {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    pieces
}

/// All units: each piece's, negative where it is free.
fn shape<const UNIT: usize>(buddy: &Buddy<UNIT>) -> Vec<isize> {
    pieces(buddy)
        .iter()
        .map(|piece| {
            let units = (piece.len / UNIT).cast_signed();
            if piece.used { units } else { -units }
        })
        .collect()
}

fn give<const UNIT: usize>(buddy: &mut Buddy<UNIT>, block: NonNull<u8>, layout: Layout) {
    // SAFETY: the tests free live blocks with their layouts.
    unsafe { buddy.deallocate(block, layout) };
    buddy.check().unwrap();
}

fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as usize % below
}
