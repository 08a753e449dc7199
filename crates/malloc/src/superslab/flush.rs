//! Objects that leave a magazine: to their slab, to their owner, or to the next thread.
//!
//! ```text
//! flush ─► ours ─► slab
//!      └─► others' ─► depot ─take─► another magazine
//!                       └─ no place, or nobody took them for a while ─► send_home ─► slab, or owner's queue
//! ```
use base::sync::{AtomicUsize, Ordering};
use page::System;

use super::Superslab;
use super::heap::{Bin, Heap};
use super::slab::SLAB;
use crate::links;
use crate::misuse::{self, Misuse};

impl<S: System> Superslab<S> {
    /// Gives the oldest objects of a magazine back: together to the depot, if most seem to be others', else each to its slab or home.
    #[cold]
    #[inline(never)]
    pub(super) fn flush(&self, heap: &Heap, class: usize, count: usize, to_depot: bool) {
        heap.bins[class].take_oldest(count, |objects| {
            if to_depot && self.seem_others(heap, objects) {
                self.look_through(class, objects);
                if self.depot.put(class, objects, self.pool.supers.room()) {
                    return;
                }
            }
            self.send_home(heap, objects);
        });
    }

    /// Whether two of three objects are of another heap. Not asked of each: most threads free their own, and look for each slab anew later.
    fn seem_others(&self, heap: &Heap, objects: &[AtomicUsize]) -> bool {
        let places = [0, objects.len() / 2, objects.len().saturating_sub(1)];
        let is_other = |place: &&usize| {
            let object = objects.get(**place).map_or(0, |object| object.load(Ordering::Relaxed));
            self.pool.slab_of(object).is_some_and(|slab| slab.owner() != heap.address())
        };
        places.iter().filter(is_other).count() >= 2
    }

    /// Ends the process if one is no object: it would not be found in the depot.
    fn look_through(&self, class: usize, objects: &[AtomicUsize]) {
        // The slab of the last one: the next is often of the same.
        let (mut piece, mut slab) = (0, None);
        for object in objects {
            let object = object.load(Ordering::Relaxed);
            if object / SLAB != piece {
                (piece, slab) = (object / SLAB, self.pool.slab_of(object));
            }
            let Some(slab) = slab else { self.end_for("free()", object) };
            if !slab.is_object(object, class) {
                misuse::end::<S>("free()", object, Misuse::Inside);
            }
        }
    }

    /// Gives objects to their slabs if they are the thread's own, else in chains to their owners.
    fn send_home(&self, heap: &Heap, objects: &[AtomicUsize]) {
        // A chain of one owner's objects.
        let (mut first, mut last, mut owner) = (0, 0, 0);
        for object in objects {
            let object = object.load(Ordering::Relaxed);
            let Some(slab) = self.pool.slab_of(object) else { self.end_for("free()", object) };
            if slab.owner() == heap.address() {
                self.put(heap, slab, object);
                continue;
            }
            if slab.owner() != owner && first != 0 {
                self.push_remote(owner, first, last);
                first = 0;
            }
            if first == 0 {
                (last, owner) = (object, slab.owner());
            }
            links::set_next(object, first);
            first = object;
        }
        if first != 0 {
            self.push_remote(owner, first, last);
        }
    }

    /// Gives a batch of the depot back. `false`: there is none.
    pub(super) fn empty_depot(&self, class: usize) -> bool {
        self.depot.take(class, |batch| match self.heap() {
            Some(heap) => self.send_home(heap, batch),
            None => batch.iter().for_each(|object| {
                let object = object.load(Ordering::Relaxed);
                match self.pool.slab_of(object) {
                    Some(slab) => self.push_remote(slab.owner(), object, object),
                    None => self.end_for("free()", object),
                }
            }),
        })
    }

    /// A look at the clock, which says `now`: what was free for a while goes back.
    pub(super) fn look(&self, now: u32) {
        self.threads.look(self.source(), now);
        self.depot.look(now, |class, count| {
            (0..count).for_each(|_| _ = self.empty_depot(class));
        });
    }

    /// A batch comes into an empty magazine, which may have become smaller since: what it does not hold goes home.
    pub(super) fn keep(&self, heap: &Heap, bin: &Bin, batch: &[AtomicUsize]) {
        self.send_home(heap, bin.fill(batch));
    }
}
