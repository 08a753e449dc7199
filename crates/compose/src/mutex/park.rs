//! The project's own lock as a mutex.
use base::lock::{Lock, Park};

use super::{ConstNew, Mutex};

// SAFETY: whoever has the guard is alone. A thread inside `fork`, which passes without one,
// holds the lock already.
unsafe impl<P: Park> Mutex for Lock<P> {
    #[inline]
    fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        let _guard = self.lock();
        work()
    }
}

impl<P: Park> ConstNew for Lock<P> {
    const NEW: Self = Self::new();
}
