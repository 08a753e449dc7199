//! Whether the calling thread's heap is whole, and those that nobody owns.
use core::ptr;

use base::check::ensure;
use base::{Broken, Check};
use page::System;

use super::Superslab;
use super::heap::{Heap, Whose};
use super::slab::State;

impl<S: System> Check for Superslab<S> {
    /// Of the calling thread's heap, and of those that nobody owns: others' change meanwhile.
    fn check(&self) -> Result<(), Broken> {
        let mut answer = Ok(());
        let mine = self.heap().map(ptr::from_ref);
        let mut check = |heap: &Heap| {
            let quiet = mine == Some(ptr::from_ref(heap)) || heap.is(Whose::Left);
            if quiet && answer.is_ok() {
                answer = check_heap(heap);
            }
        };
        self.threads.each(&mut check);
        self.threads.each_spare(|heap| {
            check(heap);
            false
        });
        answer?;
        self.pool.supers.check_mappings()
    }
}

fn check_heap(heap: &Heap) -> Result<(), Broken> {
    for (class, bin) in heap.begun() {
        for slab in bin.open.iter() {
            ensure(slab.class() == class, "superslab-H2: a slab has its class", slab.start())?;
            ensure(
                slab.is(State::Open) && slab.has_free(),
                "superslab-H2: a slab on a list has an object",
                slab.start(),
            )?;
            ensure(slab.adds_up(), "slab-S1: a slab's objects add up", slab.start())?;
        }
        if let Some(current) = bin.current() {
            ensure(
                current.is(State::Taken),
                "superslab-H2: the current slab is on no list",
                current.start(),
            )?;
            ensure(current.adds_up(), "slab-S1: a slab's objects add up", current.start())?;
        }
    }
    for it in heap.supers.iter() {
        let ours = it.in_use().all(|slab| slab.owner() == heap.address());
        ensure(ours, "slab-S2: its slabs are its owner's", crate::links::address(it))?;
    }
    heap.supers.check(heap.address())
}
