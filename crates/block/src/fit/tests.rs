use super::*;
use base::{
    AddError, AddMemory, Check, Owns, Piece, RemoveMemory, Reset, ResizeInPlace, Stats, Walk,
};
use core::ops::ControlFlow;

use crate::shapes::{Memory, over};

mod choice;
mod depth;
mod misuse;
mod shapes;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// A block whose size with its header is `words` words.
fn take<P: Policy>(heap: &mut Fit<P>, words: usize) -> NonNull<u8> {
    let block = heap.allocate(layout((words - 1) * WORD, WORD)).expect("there is room");
    heap.check().unwrap();
    block
}

fn give<P: Policy>(heap: &mut Fit<P>, block: NonNull<u8>) {
    // SAFETY: the tests free live blocks of the heap.
    unsafe { heap.free(block) };
    heap.check().unwrap();
}

fn pieces<P: Policy>(heap: &Fit<P>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    heap.walk(&mut |piece| {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    pieces
}

/// The whole heap: each piece's words, negative where it is free.
fn shape<P: Policy>(heap: &Fit<P>) -> Vec<isize> {
    pieces(heap)
        .iter()
        .map(|piece| {
            let words = (piece.len / WORD).cast_signed();
            if piece.used { words } else { -words }
        })
        .collect()
}
