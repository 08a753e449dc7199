//! Data with the lock that guards it: plain data, which only who is inside can name.
//!
//! - **guarded-K4** while a thread is inside it does not enter again, but between `hold` and `release`, where
//!   it holds no [`Inside`]: at any time there is at most one.
//!
//! What is read without the lock does not belong here: statistics, for one, read atomics.
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::lock::{Guard, Lock, Park};

/// A lock and its data.
#[derive(Debug)]
pub struct Guarded<P, T> {
    lock: Lock<P>,
    data: UnsafeCell<T>,
}

// SAFETY: the data is reached by one thread at a time (guarded-K4).
unsafe impl<P, T: Send> Sync for Guarded<P, T> {}

/// The right to be inside, and the data; leaving is dropping it.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Inside<'a, P: Park, T> {
    /// No `&mut`: that would have to be alone until this is gone, and others enter a moment before.
    data: &'a UnsafeCell<T>,
    /// Sent and shared as a `&mut` is.
    as_if: PhantomData<&'a mut T>,
    guard: Guard<'a, P>,
}

impl<P: Park, T> Guarded<P, T> {
    /// Data that nobody uses yet.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self { lock: Lock::new(), data: UnsafeCell::new(data) }
    }

    /// Data that nobody uses yet.
    #[cfg(loom)]
    #[must_use]
    pub fn new(data: T) -> Self {
        Self { lock: Lock::new(), data: UnsafeCell::new(data) }
    }

    /// Waits until it can enter.
    #[inline]
    pub fn lock(&self) -> Inside<'_, P, T> {
        self.inside(self.lock.lock())
    }

    /// Enters if nobody is inside.
    #[inline]
    pub fn try_lock(&self) -> Option<Inside<'_, P, T>> {
        self.lock.try_lock().map(|guard| self.inside(guard))
    }

    /// Where the data is, for who reads the process from outside.
    pub const fn place(&self) -> &UnsafeCell<T> {
        &self.data
    }

    /// The lock alone, for `fork`.
    pub fn bare(&self) -> &Lock<P> {
        &self.lock
    }

    #[inline]
    fn inside<'a>(&'a self, guard: Guard<'a, P>) -> Inside<'a, P, T> {
        Inside { data: &self.data, as_if: PhantomData, guard }
    }
}

impl<P: Park, T> Inside<'_, P, T> {
    /// Leaves, and lets one that sleeps in first; see [`Guard::leave_to_waiter`].
    pub fn leave_to_waiter(self) {
        self.guard.leave_to_waiter();
    }
}

impl<P: Park, T> Deref for Inside<'_, P, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: whoever has the guard is alone inside (guarded-K4).
        unsafe { &*self.data.get() }
    }
}

impl<P: Park, T> DerefMut for Inside<'_, P, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: whoever has the guard is alone inside (guarded-K4).
        unsafe { &mut *self.data.get() }
    }
}
