//! The allocators: the C functions that `probe` has of each, and a static to live in.

mod ours;
mod peers;

use core::ptr::NonNull;

pub(crate) use ours::OURS;
pub(crate) use peers::PEERS;

/// An allocator to be measured.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Makes it anew with this memory, and gives its address.
    pub(crate) start: fn(NonNull<[u8]>) -> usize,
    pub(crate) malloc: *const (),
    pub(crate) free: *const (),
}

// SAFETY: the pointers are to code.
unsafe impl Sync for Subject {}

/// Where an allocator lives.
struct Place<T>(core::cell::UnsafeCell<T>);

// SAFETY: a kernel here has one thread.
unsafe impl<T> Sync for Place<T> {}

impl<T> Place<T> {
    const fn new(heap: T) -> Self {
        Self(core::cell::UnsafeCell::new(heap))
    }

    /// Replaces what is there and adds its memory.
    fn start(&self, new: T, add: impl FnOnce(&mut T)) -> usize {
        // SAFETY: one thread, and nothing else holds a reference here.
        let heap = unsafe { &mut *self.0.get() };
        *heap = new;
        add(heap);
        core::ptr::from_mut(heap).expose_provenance()
    }
}

/// A [`Subject`]: its type, how it begins, how memory is added, its entry points in the probe.
macro_rules! subject {
    ($name:literal, $type:ty, $new:expr, |$heap:ident, $memory:ident| $add:expr, $malloc:path, $free:path) => {{
        static PLACE: $crate::subjects::Place<$type> = $crate::subjects::Place::new($new);
        $crate::subjects::Subject {
            name: $name,
            start: |$memory| PLACE.start($new, |$heap| $add),
            malloc: $malloc as *const (),
            free: $free as *const (),
        }
    }};
}
use subject;
