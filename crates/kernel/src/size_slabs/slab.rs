//! A slab: a header, and objects of one class up to its end.
//!
//! ```text
//! ┌ next ┬ previous ┬ chain ┬ live ┬ fresh ┬ ╌ ┬────────┬────────┬────────┬────────┐
//! │      │          │   ●   │  1   │   ●   │   │ object │ ● free │ never  │ never  │
//! └──────┴──────────┴───│───┴──────┴───│───┴ ╌ ┴────────┴─▲──────┴─▲──────┴────────┘
//!                       └──────────────│──────────────────┘        │
//!                                      └────────── an offset ──────┘
//! ```
//!
//! Freed objects are chained through their first word, last in, first out; those that were never
//! used are counted off, so that a new slab costs O(1) and its pages are touched one by one.
use core::ptr::NonNull;

use crate::buddy::Chunk;
use base::Broken;
use base::check::ensure;

use super::class::Class;

pub(super) const Z1: &str =
    "size-slabs-Z1: a slab is in its class's list when one of its objects is free";
const Z2: &str =
    "size-slabs-Z2: a slab's chain, its fresh objects and its live ones are all it has room for";

struct Header {
    next: Option<Slab>,
    previous: Option<Slab>,
    chain: Option<NonNull<Free>>,
    live: usize,
    fresh: usize,
}

struct Free {
    next: Option<NonNull<Free>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slab(NonNull<Header>);

impl Slab {
    /// Makes a chunk of the class's slab length an empty slab.
    pub(super) fn create<const PAGE: usize>(chunk: Chunk, class: Class) -> Self {
        let len = class.slab_len::<PAGE>();
        debug_assert!(chunk.len() == len && chunk.address().is_multiple_of(len));
        let room = len - size_of::<Header>();
        let fresh = len - room / class.size() * class.size();
        let header = chunk.into_raw().cast::<Header>();
        // SAFETY: the chunk's memory, which is the slab's now; longer than a header, and aligned.
        unsafe {
            header.write(Header { next: None, previous: None, chain: None, live: 0, fresh });
        }
        Self(header)
    }

    /// Its memory, which is no slab any more.
    pub(super) fn into_raw(self) -> NonNull<u8> {
        self.0.cast()
    }

    /// The slab of `len` bytes that an object lies in.
    #[inline]
    pub(super) fn of(object: NonNull<u8>, len: usize) -> Self {
        let offset = object.addr().get() & (len - 1);
        // SAFETY: slabs lie at multiples of their length, which is a power of two.
        Self(unsafe { object.byte_sub(offset) }.cast())
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: `create` wrote it, and it is the allocator's.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn header_mut(&mut self) -> &mut Header {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }

    #[inline]
    pub(super) fn next(self) -> Option<Slab> {
        self.header().next
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.header().live == 0
    }

    /// Whether every object is in use.
    #[inline]
    pub(super) fn is_full(self, len: usize) -> bool {
        let header = self.header();
        header.chain.is_none() && header.fresh == len
    }

    /// Whether its list has no other slab.
    #[inline]
    pub(super) fn is_alone(self) -> bool {
        let header = self.header();
        header.next.is_none() && header.previous.is_none()
    }

    /// Takes a free object of `size` bytes; the slab is not full.
    #[inline]
    pub(super) fn pop(mut self, size: usize) -> NonNull<u8> {
        let slab = self.0.cast::<u8>();
        let header = self.header_mut();
        header.live += 1;
        if let Some(object) = header.chain {
            // SAFETY: an object of the chain, so free and the slab's.
            header.chain = unsafe { object.as_ref() }.next;
            return object.cast();
        }
        let fresh = header.fresh;
        header.fresh += size;
        // SAFETY: less than the slab's length, as it is not full.
        unsafe { slab.byte_add(fresh) }
    }

    #[inline]
    pub(super) fn push(mut self, object: NonNull<u8>) {
        let header = self.header_mut();
        let object = object.cast::<Free>();
        // SAFETY: nobody uses the object any more; it is at least two words, and aligned so.
        unsafe { object.write(Free { next: header.chain }) };
        header.chain = Some(object);
        header.live -= 1;
    }

    #[inline]
    pub(super) fn link(mut self, list: &mut Option<Slab>) {
        let next = list.replace(self);
        let header = self.header_mut();
        (header.next, header.previous) = (next, None);
        if let Some(mut next) = next {
            next.header_mut().previous = Some(self);
        }
    }

    #[inline]
    pub(super) fn unlink(self, list: &mut Option<Slab>) {
        let Header { next, previous, .. } = *self.header();
        if let Some(mut next) = next {
            next.header_mut().previous = previous;
        }
        match previous {
            Some(mut previous) => previous.header_mut().next = next,
            None => *list = next,
        }
    }

    /// size-slabs-Z2 of this slab, and its place in the list; returns its live objects.
    pub(super) fn check(
        self,
        class: Class,
        len: usize,
        previous: Option<Slab>,
    ) -> Result<usize, Broken> {
        let at = self.0.addr().get();
        let header = self.header();
        ensure(at.is_multiple_of(len) && header.previous == previous, Z1, at)?;
        ensure(!self.is_full(len), Z1, at)?;
        let objects = (len - size_of::<Header>()) / class.size();
        ensure(header.fresh <= len, Z2, at)?;
        let never = (len - header.fresh) / class.size();
        let ends = (len - header.fresh).is_multiple_of(class.size());
        ensure(ends && header.live <= objects && never <= objects - header.live, Z2, at)?;
        let mut freed = objects - never - header.live;
        let mut chain = header.chain;
        while let Some(object) = chain {
            let from_end = (at + len).wrapping_sub(object.addr().get());
            let inside =
                from_end <= objects * class.size() && from_end.is_multiple_of(class.size());
            ensure(inside && freed > 0, Z2, object.addr().get())?;
            freed -= 1;
            // SAFETY: an object of the slab, and of the chain.
            chain = unsafe { object.as_ref() }.next;
        }
        ensure(freed == 0, Z2, at)?;
        Ok(header.live)
    }
}
