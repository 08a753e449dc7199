//! Any mutex that speaks `lock_api`: spin locks, an operating system's.
use lock_api::RawMutex;

use super::{ConstNew, Mutex};

/// A `lock_api::RawMutex`.
#[derive(Debug, Default)]
pub struct Raw<R>(R);

// SAFETY: a raw mutex lets one in at a time; one that lets the same thread in twice is no
// `RawMutex`, by that trait's contract.
unsafe impl<R: RawMutex> Mutex for Raw<R> {
    #[inline]
    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.lock();
        let _leave = Leave(&self.0);
        work()
    }
}

impl<R: RawMutex> ConstNew for Raw<R> {
    const NEW: Self = Self(R::INIT);
}

/// Leaves when dropped, also by a panic.
struct Leave<'a, R: RawMutex>(&'a R);

impl<R: RawMutex> Drop for Leave<'_, R> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: made by `with` while it holds the lock.
        unsafe { self.0.unlock() };
    }
}
