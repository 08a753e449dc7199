use super::*;
use base::{
    AddError, AddMemory, BlockAllocator, Check, Owns, PageAllocator, Piece, RemoveMemory, Stats,
    Walk,
};
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use crate::shapes::{Memory, Random, broken_by, over};

mod misuse;
mod random;
mod shapes;

const WORD: usize = size_of::<usize>();

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
