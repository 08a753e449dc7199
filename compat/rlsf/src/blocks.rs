//! The blocks of a pool as an iterator, over an allocator that shows them to a visitor.
//!
//! `fold`, and with it `sum` and `count`, is one walk. `next` walks to where it was and takes a handful at a time.

use core::marker::PhantomData;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::Piece;

use crate::Tlsf;
use crate::int::BinInteger;

const HANDFUL: usize = 32;

/// A block of a pool: in use, or free.
#[derive(Debug, Clone, Copy)]
pub struct BlockInfo<'a> {
    piece: Piece,
    allocator: PhantomData<&'a ()>,
}

impl BlockInfo<'_> {
    fn new(piece: Piece) -> Self {
        BlockInfo { piece, allocator: PhantomData }
    }

    /// Bytes, its header included.
    #[inline]
    pub fn size(&self) -> usize {
        self.piece.len
    }

    /// Bytes without the header.
    #[inline]
    pub fn max_payload_size(&self) -> usize {
        self.piece.len - size_of::<usize>()
    }

    /// Its bytes, the header first.
    #[inline]
    pub fn as_ptr(&self) -> NonNull<[u8]> {
        let start = core::ptr::with_exposed_provenance_mut(self.piece.at);
        let start = NonNull::new(start).unwrap_or(NonNull::dangling());
        NonNull::slice_from_raw_parts(start, self.piece.len)
    }

    /// Whether it is in use.
    #[inline]
    pub fn is_occupied(&self) -> bool {
        self.piece.used
    }
}

/// The iterator.
pub(crate) struct Blocks<'a, F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize> {
    heap: &'a Tlsf<'a, F, S, FLLEN, SLLEN>,
    /// What is left of the pool.
    from: usize,
    end: usize,
    taken: [Option<Piece>; HANDFUL],
    at: usize,
}

impl<'a, F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize>
    Blocks<'a, F, S, FLLEN, SLLEN>
{
    pub(crate) fn new(heap: &'a Tlsf<'a, F, S, FLLEN, SLLEN>, from: usize, len: usize) -> Self {
        let end = from.saturating_add(len);
        Blocks { heap, from, end, taken: [None; HANDFUL], at: HANDFUL }
    }

    /// Shows what is left to `visit`.
    fn rest(&self, mut visit: impl FnMut(Piece) -> ControlFlow<()>) {
        let left = self.from..self.end;
        self.heap.walk(&mut |piece| {
            if left.contains(&piece.at) { visit(piece) } else { ControlFlow::Continue(()) }
        });
    }

    fn refill(&mut self) {
        let mut taken = [None; HANDFUL];
        let mut n = 0;
        self.rest(|piece| {
            taken[n] = Some(piece);
            n += 1;
            if n < HANDFUL { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Some(last) = n.checked_sub(1).and_then(|last| taken[last]) {
            self.from = last.at + 1;
        }
        self.taken = taken;
        self.at = 0;
    }
}

impl<'a, F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize> Iterator
    for Blocks<'a, F, S, FLLEN, SLLEN>
{
    type Item = BlockInfo<'a>;

    fn next(&mut self) -> Option<BlockInfo<'a>> {
        if self.at == HANDFUL {
            self.refill();
        }
        let piece = self.taken[self.at]?;
        self.at += 1;
        Some(BlockInfo::new(piece))
    }

    fn fold<B, G: FnMut(B, BlockInfo<'a>) -> B>(self, init: B, mut f: G) -> B {
        let taken = self.taken[self.at..].iter().flatten();
        let mut sum = Some(taken.fold(init, |sum, &piece| f(sum, BlockInfo::new(piece))));
        // A handful that is not full was the last.
        if self.at == HANDFUL || self.taken[HANDFUL - 1].is_some() {
            self.rest(|piece| {
                sum = sum.take().map(|so_far| f(so_far, BlockInfo::new(piece)));
                ControlFlow::Continue(())
            });
        }
        sum.unwrap_or_else(|| unreachable!("every visit puts the sum back"))
    }
}
