//! One allocator at work: every call counted, every block checked.

use crate::POOL;
use crate::subjects::Subject;
use core::ptr::NonNull;

/// A live block: where, and the size asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) at: usize,
    pub(crate) size: usize,
}

#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) subject: &'static Subject,
    memory: NonNull<[u8]>,
    pool: NonNull<[u8]>,
    state: usize,
    /// Requests refused that should have been met.
    pub(crate) refused: u32,
    /// Blocks that lay outside the pool or on another block.
    pub(crate) overlapped: u32,
}

impl Heap {
    pub(crate) fn new(subject: &'static Subject, memory: NonNull<[u8]>) -> Self {
        Self { subject, memory, pool: memory, state: 0, refused: 0, overlapped: 0 }
    }

    /// Begins anew with a pool of `len` bytes, at most all memory. Whether the allocator takes it.
    #[must_use]
    pub(crate) fn restart(&mut self, len: usize) -> bool {
        let len = len.min(self.memory.len());
        self.pool = NonNull::slice_from_raw_parts(self.memory.cast(), len);
        let state = (self.subject.start)(self.pool);
        self.state = state.unwrap_or_default();
        state.is_some()
    }

    /// Begins anew with the pool that every allocator takes.
    pub(crate) fn anew(&mut self) {
        let took = self.restart(POOL);
        self.refused += u32::from(!took);
    }

    /// Allocates, and counts. `None`: no block is large enough.
    ///
    /// The block's first and last word are written: where the allocator's own words lay in it, it would break.
    pub(crate) fn malloc(&mut self, size: usize) -> (Option<Block>, u32) {
        // SAFETY: the entry point of this allocator, its state, a size.
        let (at, count) = unsafe { machine::call(self.subject.malloc, [self.state, size, 0]) };
        if at == 0 {
            return (None, count);
        }
        let start = self.pool.cast::<u8>().addr().get();
        if at < start
            || at + size > start + self.pool.len()
            || !at.is_multiple_of(size_of::<[usize; 2]>())
        {
            self.overlapped += 1;
            return (None, count);
        }
        let block = Block { at, size };
        self.mark(block, at);
        (Some(block), count)
    }

    /// As [`malloc`](Self::malloc) where a refusal is an error; the count even then.
    pub(crate) fn must(&mut self, size: usize) -> (Block, u32) {
        let (block, count) = self.malloc(size);
        self.refused += u32::from(block.is_none());
        (block.unwrap_or_default(), count)
    }

    /// Frees, and counts. A block that was never had is passed over.
    pub(crate) fn free(&mut self, block: Block) -> u32 {
        if block.at == 0 {
            return 0;
        }
        self.overlapped += u32::from(!self.marked(block, block.at));
        // SAFETY: the entry point of this allocator, its state, a live block and its size.
        unsafe { machine::call(self.subject.free, [self.state, block.at, block.size]) }.1
    }

    fn ends(&self, block: Block) -> [NonNull<usize>; 2] {
        let start = self.pool.cast::<u8>();
        let first = block.at - start.addr().get();
        let last = first + block.size.saturating_sub(size_of::<usize>());
        [first, last].map(|offset| {
            // SAFETY: inside the pool: `malloc` has looked.
            unsafe { start.add(offset) }.cast::<usize>()
        })
    }

    fn mark(&self, block: Block, value: usize) {
        if block.size >= size_of::<usize>() {
            for end in self.ends(block) {
                // SAFETY: a word of a live block.
                unsafe { end.write_unaligned(value) };
            }
        }
    }

    fn marked(&self, block: Block, value: usize) -> bool {
        // SAFETY: a word of a live block, written when it was allocated.
        let holds = |end: NonNull<usize>| unsafe { end.read_unaligned() } == value;
        block.size < 2 * size_of::<usize>() || self.ends(block).into_iter().all(holds)
    }
}
