//! A lock of one word, for data whose fields are atomics.
//!
//! ```text
//! word:  0 free ─lock─► 1 held ─contended─► 2 held, someone waits ─unlock─► 0, wake one
//! ```
//!
//! - **K1** the word is 0 exactly when nobody is inside.
//! - **K2** whoever waits has seen 2, so the unlock that follows wakes one waiter.
//!
//! Layer *base*. Uncontended: one compare-and-swap in, one swap out. How a thread waits is
//! [`Park`]'s business, so the lock is the same under a futex, a spin loop or a model.
//! After Drepper, "Futexes are tricky", 2011, mutex 2.
use core::marker::PhantomData;

use crate::sync::{AtomicU32, Ordering, spin_hint};

const FREE: u32 = 0;
const HELD: u32 = 1;
const WAITED_FOR: u32 = 2;

/// How often a locker looks again before it sleeps.
const SPINS: u32 = if cfg!(loom) { 0 } else { 100 };

/// How a thread waits for a word to change.
pub trait Park {
    /// Sleeps while `word` is `expected`; may wake for no reason.
    fn wait(word: &AtomicU32, expected: u32);

    /// Wakes one thread that sleeps on `word`.
    fn wake_one(word: &AtomicU32);

    /// Whether the calling thread holds every lock already, as it does inside `fork`.
    #[inline]
    fn holds_all() -> bool {
        false
    }
}

/// The lock. It guards no data of its own: what it guards says so.
#[derive(Debug)]
pub struct Lock<P> {
    word: AtomicU32,
    park: PhantomData<fn(P)>,
}

/// The right to be inside; leaving is dropping it.
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct Guard<'a, P: Park> {
    lock: Option<&'a Lock<P>>,
}

impl<P: Park> Lock<P> {
    /// A lock nobody holds.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(FREE), park: PhantomData }
    }

    /// A lock nobody holds.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self { word: AtomicU32::new(FREE), park: PhantomData }
    }

    /// Waits until it can enter.
    #[inline]
    pub fn lock(&self) -> Guard<'_, P> {
        self.try_lock().unwrap_or_else(|| self.lock_slow())
    }

    /// Enters if nobody is inside.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, P>> {
        self.word
            .compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
            .then(|| Guard { lock: Some(self) })
    }

    #[cold]
    #[inline(never)]
    fn lock_slow(&self) -> Guard<'_, P> {
        if P::holds_all() {
            return Guard { lock: None };
        }
        for _ in 0..SPINS {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            spin_hint();
        }
        while self.word.swap(WAITED_FOR, Ordering::Acquire) != FREE {
            P::wait(&self.word, WAITED_FOR);
        }
        Guard { lock: Some(self) }
    }

    /// Enters and stays inside until [`release`](Self::release): for `fork`.
    pub fn hold(&self) {
        core::mem::forget(self.lock());
    }

    /// Leaves after [`hold`](Self::hold).
    pub fn release(&self) {
        if self.word.swap(FREE, Ordering::Release) == WAITED_FOR {
            P::wake_one(&self.word);
        }
    }

    /// Makes the lock free whoever held it: only for the child of a `fork`, which is alone.
    pub fn reset(&self) {
        self.word.store(FREE, Ordering::Release);
    }
}

impl<P: Park> Default for Lock<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Park> Drop for Guard<'_, P> {
    #[inline]
    fn drop(&mut self) {
        if let Some(lock) = self.lock {
            lock.release();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
