//! malloc and its family on superslab.
use core::ptr;

use object::size_class::{CLASSES, class_of, class_of_aligned};
use page::System;

use super::large::Kind;
use super::slab::HEAD;
use super::{MAX_SIZE, Superslab, size_of_class};
use crate::chunks::MIN_MAPPING;
use crate::fallback;
use crate::misuse::{self, Misuse};

// SAFETY: objects of slabs, runs and mappings are disjoint, and come back before they are handed out again; every class is a
// multiple of 16, and every slab begins at a multiple of a page.
unsafe impl<S: System> base::Malloc for Superslab<S> {
    fallback::by_halves!();

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        fallback::calloc(count, size, |size| match size {
            0..=MAX_SIZE => (self.allocate(class_of(size.max(1))), false),
            _ => self.allocate_large(size, 1),
        })
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        let class = class_of_aligned(size, align)
            .filter(|&class| align <= HEAD && size_of_class(class) <= MAX_SIZE);
        class.map_or_else(|| self.allocate_large(size, align).0, |class| self.allocate(class))
    }
}

/// The halves of malloc and free.
impl<S: System> Superslab<S> {
    fn resize(&self, at: usize, (held, size): (usize, usize), kind: Kind) -> Option<usize> {
        match kind {
            Kind::Object => (size <= held && size > held / 2).then_some(at),
            Kind::Run => self.pool.slab_of(at)?.resize_run(size).then_some(at),
            Kind::Mapping if size < MIN_MAPPING => None,
            Kind::Mapping => {
                let heap = self.heap();
                let make_room = || _ = heap.map(|heap| self.make_room(heap));
                let of = heap.map(|heap| &heap.supers);
                self.pool.supers.resize_block(of, at, (held, size), make_room)
            }
        }
    }

    /// What lies ready. Null: nothing.
    #[inline(always)]
    pub(super) fn malloc_ready(&self, size: usize) -> *mut u8 {
        if size <= MAX_SIZE { self.pop(class_of(size.max(1))) } else { ptr::null_mut() }
    }

    /// What does not lie ready. Null: out of memory.
    #[inline(never)]
    pub(super) fn malloc_any(&self, size: usize) -> *mut u8 {
        if size <= MAX_SIZE {
            self.allocate_slow(class_of(size.max(1)))
        } else {
            self.allocate_large(size, 1).0
        }
    }

    /// Frees to a magazine. `false`: it is full, or this is no object, or looks wrong.
    #[inline(always)]
    pub(super) fn free_ready(&self, address: usize) -> bool {
        let class = self.pool.class_of(address);
        let Some(heap) = self.heap().filter(|_| class != 0) else { return false };
        heap.bins.get(class).is_some_and(|bin| bin.push(address))
    }

    /// Frees what [`free_ready`](Self::free_ready) refused.
    #[inline(never)]
    pub(super) fn free_any(&self, address: usize) {
        let slab = self.pool.slab_of(address);
        let Some((slab, class)) =
            slab.map(|slab| (slab, slab.class())).filter(|(_, class)| (1..CLASSES).contains(class))
        else {
            if address != 0 {
                self.free_large(address);
            }
            return;
        };
        let bin = self.heap().map(|heap| &heap.bins[class]);
        if bin.is_some_and(|bin| bin.is_newest(address)) {
            misuse::end::<S>("free()", address, Misuse::Free);
        }
        if !bin.is_some_and(|bin| bin.push(address)) {
            self.free_slow(slab, class, address);
        }
    }
}
