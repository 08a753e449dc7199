//! Data with its lock, which is not taken while the process has one thread: that is most of what a call costs.
//!
//! - **guarded-G1** where the C library knows of one thread, nobody else is inside: a thread is started and joined outside of these
//!   functions, and no signal handler calls them.
//! - **guarded-G2** while a thread is inside by the lock it does not enter again, but between `hold` and `release` around a fork.
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use base::lock::{Guard, Lock};
use source::os::Os;
use source::os::imp::process::is_only_thread;

pub(crate) struct Guarded<T> {
    lock: Lock<Os>,
    data: UnsafeCell<T>,
}

// SAFETY: the data is reached by one thread at a time (guarded-G1, guarded-G2).
unsafe impl<T: Send> Sync for Guarded<T> {}

/// The right to be inside, and the data; leaving is dropping it.
#[must_use = "the lock is released when this is dropped"]
pub(crate) struct Inside<'a, T> {
    data: &'a UnsafeCell<T>,
    /// `None`: there is no other thread.
    _guard: Option<Guard<'a, Os>>,
}

impl<T> Guarded<T> {
    pub(crate) const fn new(data: T) -> Self {
        Self { lock: Lock::new(), data: UnsafeCell::new(data) }
    }

    #[inline]
    pub(crate) fn lock(&self) -> Inside<'_, T> {
        let guard = if is_only_thread() == Some(true) { None } else { Some(self.lock.lock()) };
        Inside { data: &self.data, _guard: guard }
    }

    /// The lock alone, for `fork`.
    pub(crate) fn bare(&self) -> &Lock<Os> {
        &self.lock
    }
}

impl<T> Deref for Inside<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: whoever is inside is alone (guarded-G1, guarded-G2).
        unsafe { &*self.data.get() }
    }
}

impl<T> DerefMut for Inside<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: whoever is inside is alone (guarded-G1, guarded-G2).
        unsafe { &mut *self.data.get() }
    }
}
