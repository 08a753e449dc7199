//! The allocators: the C functions that `probe` has of each, and a static to live in.

mod ours;
mod peers;

use core::ptr::NonNull;

pub(crate) use ours::OURS;
pub(crate) use peers::PEERS;

#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Makes it anew with this memory, and gives its address; `None` when it does not take so much or so little.
    pub(crate) start: fn(NonNull<[u8]>) -> Option<usize>,
    pub(crate) malloc: *const (),
    pub(crate) free: *const (),
}

// SAFETY: the pointers are to code.
unsafe impl Sync for Subject {}

struct Place<T>(core::cell::UnsafeCell<T>);

// SAFETY: a kernel here has one thread.
unsafe impl<T> Sync for Place<T> {}

impl<T> Place<T> {
    const fn new(heap: T) -> Self {
        Self(core::cell::UnsafeCell::new(heap))
    }

    fn start(&self, new: T, add: impl FnOnce(&mut T) -> bool) -> Option<usize> {
        // SAFETY: one thread, and nothing else holds a reference here.
        let heap = unsafe { &mut *self.0.get() };
        *heap = new;
        add(heap).then(|| core::ptr::from_mut(heap).expose_provenance())
    }
}

/// A [`Subject`]: its type, how it begins, how it takes memory, its entry points in the probe, what free is given.
macro_rules! subject {
    (
        $name:literal, $type:ty, $new:expr, |$heap:ident, $memory:ident| $add:expr,
        $malloc:path, $free:path, ($($given:ty),*)
    ) => {{
        static PLACE: $crate::subjects::Place<$type> = $crate::subjects::Place::new($new);
        // That the functions are this type's is checked here: later they are addresses.
        let malloc: unsafe extern "C" fn(&mut $type, usize) -> *mut u8 = $malloc;
        let free: unsafe extern "C" fn(&mut $type, $($given),*) = $free;
        $crate::subjects::Subject {
            name: $name,
            start: |$memory| PLACE.start($new, |$heap| $add),
            malloc: malloc as *const (),
            free: free as *const (),
        }
    }};
}
use subject;
