//! What the calling thread keeps, looked through: for `check`.
//!
//! - **inspect-A5** an object in a magazine or the depot is a taken object of a slab, at its start, and lies in one
//!   of them, once; and no heap's of its own. A program that frees an object twice, or frees what is none, breaks this
//!   until the object goes back to its slab, where it is found too.
//!
//! O(objects kept), without memory beyond 2 KiB of stack.
use base::Broken;
use base::check::ensure;
use object::central::Fault;
use object::size_class::CLASSES;
use page::System;

use crate::cache::{Backend, ThreadCache};
use crate::magazine::word;
use crate::tls::Tls;

const WORD: usize = size_of::<usize>();

/// A bit for each of 16,384 remainders of addresses: an object whose bit is not set yet has not
/// been seen, and only the others are compared with all.
struct Seen([u64; 256]);

impl Seen {
    /// Whether `object`, or another with its bit, was seen; it is now.
    fn before(&mut self, object: usize) -> bool {
        let hash = (object >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50;
        let (index, bit) = (hash / 64, 1 << (hash % 64));
        let old = self.0[index] & bit != 0;
        self.0[index] |= bit;
        old
    }
}

impl ThreadCache {
    /// Looks through what the calling thread keeps (inspect-A5, depot-D1, depot-D2, runs-K1).
    /// Errors: the first broken invariant, at the object or run.
    pub fn check<S: System, T: Tls>(&self, backend: Backend<'_, S>, tls: &T) -> Result<(), Broken> {
        self.depot.check()?;
        let mut seen = Seen([0; 256]);
        let region = &backend.supply.pages.region;
        for object in self.objects(tls) {
            let answer = backend.central.is_taken(backend.supply.pages, object);
            let words = match answer {
                Ok(()) if region.class_at(object) != Some(0) => continue,
                Ok(()) => "inspect-A5: what was freed by its size is of no heap of its own",
                Err(Fault::Foreign(_)) => "inspect-A5: what was freed is ours",
                Err(Fault::Misaligned(_)) => "inspect-A5: what was freed is an object's start",
                Err(Fault::DoubleFree(_)) => {
                    "inspect-A5: what was freed was not free already (double free)"
                }
            };
            ensure(false, words, object)?;
        }
        for object in self.objects(tls) {
            let once = !seen.before(object)
                || self.objects(tls).filter(|&other| other == object).count() == 1;
            ensure(once, "inspect-A5: what was freed was freed once (double free)", object)?;
        }
        self.runs.check(region)
    }

    /// The objects in the calling thread's magazines and its depot.
    fn objects<T: Tls>(&self, tls: &T) -> impl Iterator<Item = usize> {
        let classes = (1..CLASSES).filter(|&class| self.capacity(class) != 0);
        let slots = classes.flat_map(|class| {
            let top = tls.load(class);
            (self.bottom(top, class)..top).step_by(WORD)
        });
        // SAFETY: words from the bottom to the top are the magazine's.
        let objects = slots.map(|at| unsafe { word(at).read() });
        objects.chain(self.depot.objects()).filter(|&object| object != 0)
    }
}
