//! The free chunks of each order, linked through themselves.
//!
//! ```text
//! heads[0] ─► [ next │ previous ] ⇄ [ next │ previous ]        non_empty  …0000101
//! heads[1]                                                        bit = order ┘
//! heads[2] ─► [ next │ previous ]
//! ```
//!
//! Last in, first out. Putting in, taking the first and taking a certain one out are O(1); so is
//! finding the smallest order that has one. No link points into this value, so it may be moved.
use core::ptr::NonNull;

use super::chunk::Chunk;
use super::count::lowest_one;

/// More than there can be: a block of order 63 would be more than all memory.
const ORDERS: usize = usize::BITS as usize;

/// What a free chunk begins with.
struct Node {
    next: Option<NonNull<Node>>,
    previous: Option<NonNull<Node>>,
}

#[derive(Debug)]
pub(super) struct Lists<const UNIT: usize> {
    heads: [Option<NonNull<Node>>; ORDERS],
    non_empty: usize,
}

impl<const UNIT: usize> Lists<UNIT> {
    pub(super) const fn new() -> Self {
        Self { heads: [None; ORDERS], non_empty: 0 }
    }

    /// A chunk of the smallest order there is from `order` on.
    #[inline]
    pub(super) fn pop(&mut self, order: u32) -> Option<Chunk> {
        let orders = self.non_empty.checked_shr(order).filter(|orders| *orders != 0)?;
        let order = order + lowest_one(orders);
        let head = &mut self.heads[order as usize % ORDERS];
        let first = (*head)?;
        // SAFETY: reached from its list.
        *head = unsafe { first.as_ref() }.next;
        match *head {
            // SAFETY: a chunk of this list.
            Some(mut next) => unsafe { next.as_mut() }.previous = None,
            None => self.non_empty &= !(1 << order),
        }
        // SAFETY: it was the list's.
        Some(unsafe { Chunk::from_raw::<UNIT>(first.cast(), order) })
    }

    /// [`push`](Self::push) into a list that is empty.
    #[inline]
    pub(super) fn push_first(&mut self, chunk: Chunk) {
        let order = chunk.order();
        let node = chunk.into_raw().cast::<Node>();
        self.heads[order as usize % ORDERS] = Some(node);
        // SAFETY: as in `push`.
        unsafe { node.write(Node { next: None, previous: None }) };
        self.non_empty |= 1 << order;
    }

    #[inline]
    pub(super) fn push(&mut self, chunk: Chunk) {
        let order = chunk.order();
        let node = chunk.into_raw().cast::<Node>();
        let head = &mut self.heads[order as usize % ORDERS];
        let next = head.replace(node);
        // SAFETY: the chunk's memory, which is the list's now; at least two words, aligned.
        unsafe { node.write(Node { next, previous: None }) };
        if let Some(mut next) = next {
            // SAFETY: a chunk of this list.
            unsafe { next.as_mut() }.previous = Some(node);
        }
        self.non_empty |= 1 << order;
    }

    /// Takes a certain chunk out.
    /// The caller promises: a chunk that begins at `start` is in the list of `order`.
    #[inline]
    pub(super) unsafe fn remove(&mut self, start: NonNull<u8>, order: u32) -> Chunk {
        // SAFETY: a chunk in a list begins with its links.
        let Node { next, previous } = unsafe { start.cast::<Node>().read() };
        if let Some(mut next) = next {
            // SAFETY: a chunk of this list.
            unsafe { next.as_mut() }.previous = previous;
        }
        if let Some(mut previous) = previous {
            // SAFETY: a chunk of this list.
            unsafe { previous.as_mut() }.next = next;
        } else {
            self.heads[order as usize % ORDERS] = next;
            if next.is_none() {
                self.non_empty &= !(1 << order);
            }
        }
        // SAFETY: it was the list's.
        unsafe { Chunk::from_raw::<UNIT>(start, order) }
    }

    pub(super) fn largest(&self) -> Option<u32> {
        self.non_empty.checked_ilog2()
    }

    /// Whether the list of an order is empty, by its head and by `non_empty`.
    pub(super) fn is_empty(&self, order: u32) -> (bool, bool) {
        (self.heads[order as usize].is_none(), self.non_empty & (1 << order) == 0)
    }

    /// The addresses in the list of an order; each with whether the link back is right.
    pub(super) fn iter(&self, order: u32) -> impl Iterator<Item = (usize, bool)> {
        let mut last = None;
        let mut at = self.heads[order as usize];
        core::iter::from_fn(move || {
            let node = at?;
            // SAFETY: reached from its list.
            let links = unsafe { node.as_ref() };
            let back = links.previous == last;
            (last, at) = (at, links.next);
            Some((node.addr().get(), back))
        })
    }
}
