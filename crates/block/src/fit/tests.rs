use super::*;
use base::{
    AddError, AddMemory, Check, Owns, Piece, RemoveError, RemoveMemory, Reset, ResizeInPlace,
    Stats, Walk,
};
use core::ops::ControlFlow;

mod choice;
mod depth;
mod misuse;
mod shapes;

/// Memory of the test, aligned so that shapes do not depend on where it lies.
#[repr(align(4096))]
struct Memory<const N: usize>([usize; N]);

impl<const N: usize> Memory<N> {
    const fn new() -> Self {
        Self([0; N])
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    fn len(&self) -> usize {
        size_of_val(&self.0)
    }
}

fn heap_in<P: Policy, const N: usize>(memory: &mut Memory<N>) -> Fit<P> {
    let mut heap = Fit::new();
    // SAFETY: the tests keep the memory as long as the heap.
    unsafe { heap.add_memory(memory.start(), memory.len()) }.unwrap();
    heap
}

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
