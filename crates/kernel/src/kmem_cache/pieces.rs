//! Pieces of one size out of pages: where descriptors and magazines lie, apart from the objects.
//!
//! ```text
//! partial ─► span ⇄ span        spans with a free piece; full ones are in no list
//!            ┌──────────────────────────┬───────┬───────┬─ … ─┬───────┐
//!            │ next │ prev │ chain │ used │ piece │ piece │     │ piece │    at a multiple of its length
//!            └──────────────────────────┴───────┴───────┴─ … ─┴───────┘
//! ```
//!
//! - **kmem-pieces-I1** a span is in the list exactly when one of its pieces is free; `used` counts the others.
//! - **kmem-pieces-I2** `held` is the number of spans, `taken` that of pieces in use.
//!
//! One empty span is kept. O(1).
use core::ptr::NonNull;

use base::bits::{align_down, align_up};
use base::{Broken, PageAllocator, check::ensure};

const LINE: usize = 64;

#[repr(C, align(64))]
struct Span {
    next: Option<NonNull<Span>>,
    previous: Option<NonNull<Span>>,
    chain: Option<NonNull<Free>>,
    used: usize,
}

struct Free {
    next: Option<NonNull<Free>>,
}

#[derive(Debug)]
pub(super) struct Pieces {
    partial: Option<NonNull<Span>>,
    size: usize,
    /// Bytes of a span, a power of two.
    span: usize,
    held: usize,
    taken: usize,
}

impl Pieces {
    /// For pieces of at least `size` bytes.
    pub(super) const fn new(size: usize) -> Self {
        let size = align_up(size, LINE);
        let mut span = 4096;
        while span < size + LINE || (span - LINE) % size > span / 8 {
            span *= 2;
        }
        Self { partial: None, size, span, held: 0, taken: 0 }
    }

    pub(super) const fn bytes(&self) -> usize {
        self.held * self.span
    }

    fn pages<P: PageAllocator>(&self, pages: &P) -> usize {
        self.span.div_ceil(pages.page_size())
    }

    /// A piece, its bytes whatever they were. `None`: there is no memory.
    pub(super) fn take<P: PageAllocator>(&mut self, pages: &mut P) -> Option<NonNull<u8>> {
        let mut at = match self.partial {
            Some(span) => span,
            None => self.new_span(pages)?,
        };
        // SAFETY: a span of ours.
        let span = unsafe { at.as_mut() };
        let piece = span.chain?;
        // SAFETY: a free piece of ours, `give` or `new_span` wrote it.
        span.chain = unsafe { piece.read() }.next;
        span.used += 1;
        self.taken += 1;
        if span.chain.is_none() {
            self.unlink(at);
        }
        Some(piece.cast())
    }

    /// Gives a piece back.
    /// The caller promises: [`take`](Self::take) gave it, and nobody uses it any more.
    pub(super) unsafe fn give<P: PageAllocator>(&mut self, piece: NonNull<u8>, pages: &mut P) {
        let offset = piece.addr().get() - align_down(piece.addr().get(), self.span);
        // SAFETY: spans lie at multiples of their length.
        let mut at = unsafe { piece.byte_sub(offset) }.cast::<Span>();
        // SAFETY: a span of ours.
        let span = unsafe { at.as_mut() };
        let free = piece.cast::<Free>();
        // SAFETY: the piece is ours again, and longer than a link.
        unsafe { free.write(Free { next: span.chain }) };
        let was_full = span.chain.replace(free).is_none();
        span.used -= 1;
        let is_empty = span.used == 0;
        self.taken -= 1;
        if was_full {
            self.link(at);
        }
        if is_empty && self.held > 1 {
            self.drop_span(at, pages);
        }
    }

    /// Gives the empty span back that was kept.
    pub(super) fn trim<P: PageAllocator>(&mut self, pages: &mut P) {
        if self.taken == 0
            && let Some(span) = self.partial
        {
            self.drop_span(span, pages);
        }
    }

    #[cold]
    #[inline(never)]
    fn new_span<P: PageAllocator>(&mut self, pages: &mut P) -> Option<NonNull<Span>> {
        let start = pages.allocate_pages(self.pages(pages), self.span)?;
        let mut chain = None;
        for index in (0..(self.span - LINE) / self.size).rev() {
            // SAFETY: within the span.
            let piece = unsafe { start.byte_add(LINE + index * self.size) }.cast::<Free>();
            // SAFETY: a part of memory that is ours, aligned to a line.
            unsafe { piece.write(Free { next: chain }) };
            chain = Some(piece);
        }
        let span = start.cast::<Span>();
        // SAFETY: the beginning of that memory.
        unsafe { span.write(Span { next: None, previous: None, chain, used: 0 }) };
        self.held += 1;
        self.link(span);
        Some(span)
    }

    #[cold]
    #[inline(never)]
    fn drop_span<P: PageAllocator>(&mut self, span: NonNull<Span>, pages: &mut P) {
        self.unlink(span);
        self.held -= 1;
        let count = self.pages(pages);
        // SAFETY: `new_span` took these pages, and no piece of them is in use.
        unsafe { pages.deallocate_pages(span.cast(), count) };
    }

    fn link(&mut self, mut at: NonNull<Span>) {
        // SAFETY: a span of ours.
        let span = unsafe { at.as_mut() };
        (span.next, span.previous) = (self.partial, None);
        if let Some(mut next) = self.partial.replace(at) {
            // SAFETY: another span of ours.
            unsafe { next.as_mut() }.previous = Some(at);
        }
    }

    fn unlink(&mut self, at: NonNull<Span>) {
        // SAFETY: a span of ours.
        let span = unsafe { at.as_ref() };
        let (next, previous) = (span.next, span.previous);
        match previous {
            // SAFETY: another span of ours.
            Some(mut before) => unsafe { before.as_mut() }.next = next,
            None => self.partial = next,
        }
        if let Some(mut after) = next {
            // SAFETY: another span of ours.
            unsafe { after.as_mut() }.previous = previous;
        }
    }

    /// Proves kmem-pieces-I1 and kmem-pieces-I2 as far as the list shows them, given how many pieces the user has.
    pub(super) fn check(&self, in_use: usize) -> Result<(), Broken> {
        ensure(
            self.taken == in_use,
            "kmem-pieces-I2: taken is the number of pieces in use",
            self.taken,
        )?;
        let (mut free, mut spans, mut at) = (0, 0, self.partial);
        while let Some(here) = at {
            // SAFETY: a span of ours.
            let span = unsafe { here.as_ref() };
            spans += 1;
            let (mut chained, mut piece) = (0, span.chain);
            while let Some(one) = piece {
                chained += 1;
                // SAFETY: a free piece of ours.
                piece = unsafe { one.as_ref() }.next;
            }
            ensure(
                chained > 0,
                "kmem-pieces-I1: a span in the list has a free piece",
                here.addr().get(),
            )?;
            let room = (self.span - LINE) / self.size;
            ensure(
                chained + span.used == room,
                "kmem-pieces-I1: used counts the others",
                here.addr().get(),
            )?;
            free += chained;
            at = span.next;
        }
        ensure(spans <= self.held, "kmem-pieces-I2: held is the number of spans", spans)?;
        let room = self.held * ((self.span - LINE) / self.size);
        ensure(free + in_use == room, "kmem-pieces-I2: a piece is free or in use", free)
    }
}

#[cfg(test)]
mod tests;
