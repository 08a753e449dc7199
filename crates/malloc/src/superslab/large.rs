//! Blocks of more than a class has: runs of slabs, and mappings.
use core::ptr;

use base::lock::Busy;
use base::sync::OneWriter as _;
use page::System;

use super::heap::Heap;
use super::slab::{SLAB, Slab};
use super::switches::Switch;
use super::{MAX_RUN, Superslab, size_of_class};
use crate::chunks::Row;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Run,
    Mapping,
}

impl<S: System> Superslab<S> {
    /// A block of more than a class has, and whether it is zero.
    #[cold]
    #[inline(never)]
    pub(super) fn allocate_large(&self, size: usize, align: usize) -> (*mut u8, bool) {
        if size > isize::MAX.cast_unsigned() {
            return (ptr::null_mut(), false);
        }
        if size <= MAX_RUN
            && align <= SLAB
            && self.switches.is_on(Switch::Superslab)
            && let Some(heap) = self.heap_or_new()
            && let Some((at, zero)) = self.take_run(heap, size)
        {
            return (ptr::with_exposed_provenance_mut(at), zero);
        }
        self.allocate_mapping(size, align)
    }

    pub(super) fn allocate_mapping(&self, size: usize, align: usize) -> (*mut u8, bool) {
        let heap = self.heap();
        let make_room = || _ = heap.map(|heap| self.make_room(heap));
        let of = heap.map(|heap| &heap.supers);
        let found = self.pool.supers.map_block(of, (size, align), make_room);
        let (at, zero) = found.unwrap_or((0, true));
        (ptr::with_exposed_provenance_mut(at), zero)
    }

    fn take_run(&self, heap: &Heap, size: usize) -> Option<(usize, bool)> {
        let _busy = Busy::<S>::new();
        self.drain(heap);
        let slabs = size.max(1).div_ceil(SLAB);
        let row = Row { count: slabs, whole: true };
        let (it, first, zero) = self.pool.supers.take_pieces(&heap.supers, heap.address(), row)?;
        let (slab, (at, _)) = it.slab(first);
        slab.open_run(heap.address(), at, slabs, size);
        heap.out.raise(slabs * SLAB);
        Some((at, zero))
    }

    pub(super) fn end_run(&self, heap: &Heap, slab: &Slab) {
        let _busy = Busy::<S>::new();
        let slabs = slab.run();
        slab.close();
        heap.out.lower(slabs * SLAB);
        if let Some(it) = self.pool.super_of(slab) {
            self.give_slabs(heap, it, slab, slabs);
        }
    }

    /// Frees what is no object of a class: a run, a mapping, or nothing of ours.
    #[cold]
    #[inline(never)]
    pub(super) fn free_large(&self, address: usize) {
        let Some(slab) = self.pool.slab_of(address) else {
            if !self.pool.supers.unmap_block(address) {
                self.end_for("free()", address);
            }
            return;
        };
        if !slab.is_run_at(address) {
            self.end_for("free()", address);
        }
        match self.heap() {
            Some(heap) if slab.owner() == heap.address() => self.end_run(heap, slab),
            _ => self.push_remote(slab.owner(), address, address),
        }
    }

    /// Bytes of the live block at `address`, and what it is.
    pub(super) fn size_of(&self, caller: &str, address: usize) -> (usize, Kind) {
        if self.pool.slab_of(address).is_some() {
            return self.size_in_slab(address).unwrap_or_else(|| self.end_for(caller, address));
        }
        match self.pool.supers.huge().len_of(address) {
            Some(len) => (len, Kind::Mapping),
            None => self.end_for(caller, address),
        }
    }

    /// As [`size_of`](Self::size_of), of a block of slabs. `None`: there is no such block.
    pub(super) fn size_in_slab(&self, address: usize) -> Option<(usize, Kind)> {
        match self.pool.slab_of(address)? {
            slab if slab.class() != 0 => Some((size_of_class(slab.class()), Kind::Object)),
            slab if slab.is_run_at(address) => Some((slab.run_bytes(), Kind::Run)),
            _ => None,
        }
    }
}
