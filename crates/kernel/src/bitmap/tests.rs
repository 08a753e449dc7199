use super::*;
use base::{AddError, AddMemory, Check, Owns, RemoveError, RemoveMemory, Reset, Stats, Walk};
use core::ops::ControlFlow;

use crate::shapes::{Memory, Random};

mod misuse;
mod random;
mod shapes;

const PAGE: usize = 4096;

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
