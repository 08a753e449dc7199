//! Slots in a plain structure, for an allocator that one thread owns: tests, mostly.

use base::sync::{AtomicUsize, Ordering};
use object::size_class::CLASSES;
use source::os::imp::peek::Peek;

use super::{SLOTS, Tls, empty};

/// The slots of the only thread there is.
#[derive(Debug)]
pub struct SoloTls {
    slots: [AtomicUsize; SLOTS],
}

impl SoloTls {
    /// Empty slots.
    pub fn new() -> Self {
        let initial = |slot| AtomicUsize::new(if slot < CLASSES { empty() } else { 0 });
        Self { slots: core::array::from_fn(initial) }
    }
}

// SAFETY: the owner promises to use the allocator from one thread at a time; the slots are
// atomics, so breaking the promise is a logic error, not a data race.
unsafe impl Tls for SoloTls {
    fn load(&self, slot: usize) -> usize {
        self.slots[slot].load(Ordering::Relaxed)
    }

    fn store(&self, slot: usize, value: usize) {
        self.slots[slot].store(value, Ordering::Relaxed);
    }

    fn address(&self) -> usize {
        self.slots.as_ptr().addr()
    }

    fn peek(&self, at: usize, slots: &mut [usize; SLOTS]) -> Peek {
        if at != self.address() {
            return Peek::Gone;
        }
        *slots = core::array::from_fn(|slot| self.load(slot));
        Peek::Copied
    }

    fn watch(&self, _cache: usize) -> bool {
        true
    }
}
