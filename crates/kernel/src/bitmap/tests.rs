use super::*;
use base::{AddError, AddMemory, Check, Owns, RemoveError, RemoveMemory, Reset, Stats, Walk};
use core::ops::ControlFlow;

use crate::shapes::{Memory, Random, broken_by, over};

mod misuse;
mod random;
mod shapes;

const PAGE: usize = 4096;

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
