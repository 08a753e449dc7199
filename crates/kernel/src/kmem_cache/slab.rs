//! A slab's descriptor: where its objects are, and which of them are free.
//!
//! ```text
//! descriptor ┌ next ┬ previous ┬ base ┬ objects ┬ live ┬ free ┬ on ┬ order ┬─ … ─┬ links: u16 an object ┐
//!                                 │                      2        5 2 ⋯        [ 5 │ T │ 1… │ T │ T │ E ]
//!                              ┌──▼─────┬────────┬───┐                 T: in use, E: the last free one
//! pages                        │ object │ object │ … │
//!                              └────────┴────────┴───┘
//! ```
//!
//! - **kmem-slab-D1** the chain from `free` through the links has every free object once; an object that is in use has the link `TAKEN`.
//! - **kmem-slab-D2** `live` objects are in use.
//!
//! Last in, first out, as in the kernel, but the links lie beside the objects and not in them: a free object keeps what its
//! constructor made of it, and a double free shows. Layer *kernel*. O(1).
use core::ptr::NonNull;

use base::bits::{low8, low16};
use base::{Broken, check::ensure};

const TAKEN: u16 = 0xffff;
const END: u16 = 0xfffe;
const _: () = assert!(super::order::MOST_OBJECTS < END as usize, "an index is not a mark");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// None: objects are taken from it.
    Current,
    /// Some objects of it are free.
    Partial,
    /// None of them is.
    Full,
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Header {
    next: Option<Slab>,
    previous: Option<Slab>,
    base: NonNull<u8>,
    objects: u16,
    live: u16,
    free: u16,
    on: On,
    order: u8,
}

/// A slab, by its descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slab(NonNull<Header>);

pub(super) const fn bytes(objects: usize) -> usize {
    size_of::<Header>() + objects * size_of::<u16>()
}

impl Slab {
    /// Writes a descriptor into `piece`: of 2^`order` pages at `base`. `nth` says in which order their objects are handed out.
    /// The caller promises: `piece` is a line's multiple, has [`bytes`] for `objects`, and is nobody else's.
    pub(super) unsafe fn create(
        piece: NonNull<u8>,
        base: NonNull<u8>,
        order: u32,
        objects: usize,
        nth: impl Iterator<Item = u16>,
    ) -> Self {
        let header = Header {
            next: None,
            previous: None,
            base,
            objects: low16(objects),
            live: 0,
            free: END,
            on: On::Partial,
            order: low8(order as usize),
        };
        let at = piece.cast::<Header>();
        // SAFETY: the caller grants it.
        unsafe { at.write(header) };
        let mut slab = Self(at);
        let mut last = None;
        for index in nth {
            match last {
                None => slab.header_mut().free = index,
                Some(last) => slab.set_link(last, index),
            }
            last = Some(index);
        }
        if let Some(last) = last {
            slab.set_link(last, END);
        }
        slab
    }

    /// From what [`as_ptr`](Self::as_ptr) gave.
    pub(super) fn from_ptr(at: *mut u8) -> Option<Self> {
        NonNull::new(at.cast()).map(Self)
    }

    /// Its descriptor's address, a multiple of 64.
    pub(super) fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr().cast()
    }

    /// The piece it lies in, which is no descriptor any more.
    pub(super) fn into_piece(self) -> NonNull<u8> {
        self.0.cast()
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: `create` wrote it, and it is the cache's until it is retired.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn header_mut(&mut self) -> &mut Header {
        // SAFETY: as above, and the cache has one owner.
        unsafe { self.0.as_mut() }
    }

    #[inline]
    fn link_at(self, index: u16) -> NonNull<u16> {
        debug_assert!(index < self.header().objects);
        // SAFETY: the links follow the header.
        let links = unsafe { self.0.add(1) }.cast::<u16>();
        // SAFETY: there is one for each object.
        unsafe { links.add(index.into()) }
    }

    #[inline]
    fn link(self, index: u16) -> u16 {
        // SAFETY: a link of this slab, written by `create`.
        unsafe { self.link_at(index).read() }
    }

    #[inline]
    fn set_link(self, index: u16, to: u16) {
        // SAFETY: a link of this slab.
        unsafe { self.link_at(index).write(to) };
    }

    /// Takes the object that was freed last.
    #[inline]
    pub(super) fn pop(mut self) -> Option<u16> {
        let index = self.header().free;
        if index == END {
            return None;
        }
        let next = self.link(index);
        self.set_link(index, TAKEN);
        let header = self.header_mut();
        header.free = next;
        header.live += 1;
        Some(index)
    }

    /// Takes up to `most` objects, the ones that were freed last first, and shows each; how many.
    #[inline]
    pub(super) fn pop_many(mut self, most: usize, mut show: impl FnMut(u16)) -> usize {
        let (mut index, mut count) = (self.header().free, 0);
        while count < most && index != END {
            let next = self.link(index);
            self.set_link(index, TAKEN);
            show(index);
            index = next;
            count += 1;
        }
        let header = self.header_mut();
        header.free = index;
        header.live += low16(count);
        count
    }

    /// Gives an object back; whether it was in use.
    #[inline]
    pub(super) fn push(mut self, index: u16) -> bool {
        if self.link(index) != TAKEN {
            return false;
        }
        self.set_link(index, self.header().free);
        let header = self.header_mut();
        header.free = index;
        header.live -= 1;
        true
    }

    #[inline]
    pub(super) fn is_taken(self, index: u16) -> bool {
        self.link(index) == TAKEN
    }

    #[inline]
    pub(super) fn live(self) -> usize {
        self.header().live.into()
    }

    #[inline]
    pub(super) fn objects(self) -> usize {
        self.header().objects.into()
    }

    pub(super) fn order(self) -> u32 {
        self.header().order.into()
    }

    pub(super) fn base(self) -> NonNull<u8> {
        self.header().base
    }

    #[inline]
    pub(super) fn first(self) -> usize {
        self.header().base.addr().get()
    }

    /// The address `offset` bytes behind where the first object begins.
    /// The caller promises: it lies in the slab.
    #[inline]
    pub(super) unsafe fn at(self, offset: usize) -> NonNull<u8> {
        // SAFETY: the caller's promise.
        unsafe { self.header().base.byte_add(offset) }
    }

    #[inline]
    pub(super) fn on(self) -> On {
        self.header().on
    }

    pub(super) fn set_on(mut self, on: On) {
        self.header_mut().on = on;
    }

    /// Proves kmem-slab-D1 and kmem-slab-D2.
    pub(super) fn check(self) -> Result<(), Broken> {
        const D1: &str = "kmem-slab-D1: the chain has every free object once";
        let at = self.first();
        let (mut free, mut index) = (0, self.header().free);
        while index != END {
            ensure(usize::from(index) < self.objects() && free < self.objects(), D1, at)?;
            free += 1;
            index = self.link(index);
        }
        let taken = (0..self.header().objects).filter(|&index| self.is_taken(index)).count();
        ensure(free + taken == self.objects(), D1, at)?;
        ensure(taken == self.live(), "kmem-slab-D2: `live` objects are in use", at)
    }
}

/// Slabs in a row, doubly linked through their descriptors.
#[derive(Debug)]
pub(super) struct List {
    on: On,
    head: Option<Slab>,
    tail: Option<Slab>,
    len: usize,
}

impl List {
    pub(super) const fn new(on: On) -> Self {
        Self { on, head: None, tail: None, len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Slab> + use<> {
        core::iter::successors(self.head, |slab| slab.header().next)
    }

    pub(super) fn push_back(&mut self, mut slab: Slab) {
        let header = slab.header_mut();
        (header.on, header.next, header.previous) = (self.on, None, self.tail);
        match &mut self.tail {
            Some(last) => last.header_mut().next = Some(slab),
            None => self.head = Some(slab),
        }
        self.tail = Some(slab);
        self.len += 1;
    }

    pub(super) fn push_front(&mut self, mut slab: Slab) {
        let header = slab.header_mut();
        (header.on, header.next, header.previous) = (self.on, self.head, None);
        match &mut self.head {
            Some(first) => first.header_mut().previous = Some(slab),
            None => self.tail = Some(slab),
        }
        self.head = Some(slab);
        self.len += 1;
    }

    pub(super) fn pop_front(&mut self) -> Option<Slab> {
        let slab = self.head?;
        self.remove(slab);
        Some(slab)
    }

    pub(super) fn pop_back(&mut self) -> Option<Slab> {
        let slab = self.tail?;
        self.remove(slab);
        Some(slab)
    }

    pub(super) fn remove(&mut self, slab: Slab) {
        let (next, previous) = (slab.header().next, slab.header().previous);
        match previous {
            Some(mut before) => before.header_mut().next = next,
            None => self.head = next,
        }
        match next {
            Some(mut after) => after.header_mut().previous = previous,
            None => self.tail = previous,
        }
        self.len -= 1;
    }
}
