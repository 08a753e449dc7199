//! `Mutex`: who may be inside, and how one waits.
//!
//! ```text
//! Alone                     nobody else can ask: not Sync, the compiler sees to it
//! SingleThreaded            the same by the programmer's word: may be in a static
//! base::lock::Lock<Park>    waits as Park says: a futex on Linux          machines with 64-bit atomics
//! Raw<R>                    any lock_api::RawMutex                        feature lock_api
//! Critical                  interrupts off, or what the program provides  feature critical-section
//! ```
//!
//! - **mutex-M1** between `work`'s begin and end no other `work` of the same mutex runs, not even one
//!   that the first calls: that waits for ever or panics, but never enters.
//!
//! Layer *compose*. Cost: what entering and leaving cost; the two cells test and set one byte.
use core::cell::Cell;

#[cfg(feature = "critical-section")]
mod critical;
#[cfg(all(target_has_atomic = "64", not(loom)))]
mod park;
#[cfg(feature = "lock_api")]
mod raw;

#[cfg(feature = "critical-section")]
pub use critical::Critical;
#[cfg(feature = "lock_api")]
pub use raw::Raw;

/// Lets one in at a time.
/// # Safety
/// An implementer keeps mutex-M1.
pub unsafe trait Mutex {
    /// Runs `work` inside.
    fn with<R>(&self, work: impl FnOnce() -> R) -> R;
}

/// A mutex that a `const` can make.
pub trait ConstNew {
    /// One that nobody is inside.
    const NEW: Self;
}

/// For one thread: not `Sync`, so that sharing it does not compile.
#[derive(Debug, Default)]
pub struct Alone {
    inside: Cell<bool>,
}

// SAFETY: one thread, and the flag keeps a second `work` of it out.
unsafe impl Mutex for Alone {
    #[inline]
    fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        let _inside = Inside::enter(&self.inside);
        work()
    }
}

impl ConstNew for Alone {
    const NEW: Self = Self { inside: Cell::new(false) };
}

/// For a program without threads and interrupts that allocate, by the programmer's word.
#[derive(Debug)]
pub struct SingleThreaded(Alone);

impl SingleThreaded {
    /// Nobody is inside.
    /// # Safety
    /// Only one thread ever uses it, and no interrupt or signal handler does.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(Alone::NEW)
    }
}

// SAFETY: whoever made it gave their word that one thread uses it.
unsafe impl Sync for SingleThreaded {}

// SAFETY: as `Alone`.
unsafe impl Mutex for SingleThreaded {
    #[inline]
    fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.with(work)
    }
}

/// The flag of a mutex whose lock lets the same thread in again.
struct Inside<'a>(&'a Cell<bool>);

impl<'a> Inside<'a> {
    #[inline]
    fn enter(flag: &'a Cell<bool>) -> Self {
        if flag.replace(true) {
            entered_twice();
        }
        Self(flag)
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.set(false);
    }
}

#[cold]
#[inline(never)]
fn entered_twice() -> ! {
    panic!("an allocator was used from inside its own lock");
}

#[cfg(test)]
mod tests;
