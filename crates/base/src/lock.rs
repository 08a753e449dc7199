//! A lock of one word, alone, or with its data as [`Guarded`](crate::guarded::Guarded). The word says who is inside.
//!
//! ```text
//! word  [ who: the thread's number, a multiple of 8 │ 0 │ FORK │ WAITED ]      0: free
//!
//! 0 ─lock─► me ─contended─► me + WAITED ─release─► 0, wake one
//!           └─hold─► me + FORK: until `release`; the same thread passes meanwhile
//! ```
//!
//! - **lock-K1** the word is 0 exactly when nobody is inside.
//! - **lock-K2** whoever waits has seen WAITED, so the release that follows wakes one waiter at least.
//! - **lock-K3** from entering to leaving the word names the thread that is inside; marking it WAITED
//!   changes nothing else.
//! - **lock-K5** from before it enters until after it has left a thread is busy, but by `hold`. So whoever asks at the beginning of
//!   a call and hears that it is, runs in a signal handler that interrupted it: every lock may be its own, or that of a
//!   thread which waits for it.
//!
//! Layer *base*. Uncontended: one compare-and-swap in, one swap out. How a thread waits is
//! [`Park`]'s business, so the lock is the same under a futex, a spin loop or a model.
//! After Drepper, "Futexes are tricky", 2011, mutex 2. The name is there for `fork` (lock-K3): in a
//! signal handler it must not wait for the very thread that the handler interrupted.
use core::marker::PhantomData;

use crate::sync::{AtomicUsize, Ordering, spin_hint};

const FREE: usize = 0;
/// Somebody sleeps, or is about to.
const WAITED: usize = 1;
/// Entered by [`Lock::hold`].
const FORK: usize = 2;
/// What is not the thread's number.
const FLAGS: usize = 7;

/// How often a locker looks again before it sleeps.
const SPINS: u32 = if cfg!(loom) { 0 } else { 100 };

/// How a thread waits for a word to change.
/// # Safety
/// No two living threads have the same number: whoever has the holder's passes the lock (lock-K3).
pub unsafe trait Park {
    /// The calling thread's number: a multiple of 8, not 0, and no other living thread's.
    fn me() -> usize;

    /// Sleeps while `word` is `expected`; may wake for no reason.
    fn wait(word: &AtomicUsize, expected: usize);

    /// Wakes one thread that sleeps on `word`, perhaps one more.
    fn wake_one(word: &AtomicUsize);

    /// As [`wait`](Self::wait), for a millisecond at most.
    fn nap(word: &AtomicUsize, expected: usize);

    /// The calling thread is busy (lock-K5), one level deeper. Nothing where there are no signal handlers.
    #[inline(always)]
    fn begin() {}

    /// The level that [`begin`](Self::begin) began ends.
    #[inline(always)]
    fn end() {}

    /// Whether the calling thread is busy: then it waits for no lock, and changes nothing that it may have interrupted itself at.
    #[inline(always)]
    fn is_busy() -> bool {
        false
    }
}

/// The calling thread is busy while this is there (lock-K5): it changes, without a lock, what is its own.
#[derive(Debug)]
#[must_use = "the thread is busy until this is dropped"]
pub struct Busy<P: Park>(PhantomData<fn(P)>);

impl<P: Park> Busy<P> {
    /// From now on.
    #[inline]
    #[expect(clippy::new_without_default, reason = "it is an action")]
    pub fn new() -> Self {
        P::begin();
        Self(PhantomData)
    }
}

impl<P: Park> Drop for Busy<P> {
    #[inline]
    fn drop(&mut self) {
        P::end();
    }
}

/// The lock. It guards no data of its own: what it guards says so.
#[derive(Debug)]
pub struct Lock<P> {
    word: AtomicUsize,
    park: PhantomData<fn(P)>,
}

/// The right to be inside; leaving is dropping it.
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct Guard<'a, P: Park> {
    /// `None`: the thread was inside already, by [`Lock::hold`], and stays there.
    lock: Option<&'a Lock<P>>,
}

impl<P: Park> Lock<P> {
    /// A lock nobody holds.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicUsize::new(FREE), park: PhantomData }
    }

    /// A lock nobody holds.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self { word: AtomicUsize::new(FREE), park: PhantomData }
    }

    /// Waits until it can enter.
    #[inline]
    pub fn lock(&self) -> Guard<'_, P> {
        self.try_lock().unwrap_or_else(|| self.lock_slow())
    }

    /// Enters if nobody is inside.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, P>> {
        P::begin();
        if self.enter() {
            return Some(Guard { lock: Some(self) });
        }
        P::end();
        None
    }

    #[inline]
    fn enter(&self) -> bool {
        let put = self.word.compare_exchange(FREE, P::me(), Ordering::Acquire, Ordering::Relaxed);
        put.is_ok()
    }

    #[cold]
    #[inline(never)]
    fn lock_slow(&self) -> Guard<'_, P> {
        if self.is_held() {
            return Guard { lock: None };
        }
        P::begin();
        let mut pause = 1;
        while pause < SPINS {
            (0..pause).for_each(|_| spin_hint());
            pause *= 2;
            // Only who sees it free writes: a write takes the line from all that look, and from who is inside.
            if self.word.load(Ordering::Relaxed) == FREE && self.enter() {
                return Guard { lock: Some(self) };
            }
        }
        self.lock_asleep(|marked| {
            P::wait(&self.word, marked);
            true
        });
        Guard { lock: Some(self) }
    }

    /// Sleeps until it can enter, or until `sleep` says no. Others may sleep too, so it enters
    /// with their mark; who gives up does so with somebody inside who sees the mark (lock-K2).
    fn lock_asleep(&self, mut sleep: impl FnMut(usize) -> bool) -> bool {
        let mut seen = self.word.load(Ordering::Relaxed);
        loop {
            let marked = if seen == FREE { P::me() | WAITED } else { seen | WAITED };
            let put =
                self.word.compare_exchange(seen, marked, Ordering::Acquire, Ordering::Relaxed);
            match put {
                Ok(FREE) => return true,
                Ok(_) if !sleep(marked) => return false,
                Ok(_) => seen = self.word.load(Ordering::Relaxed),
                Err(other) => seen = other,
            }
        }
    }

    /// Leaves; whoever is inside calls it. `true`: somebody slept, and one was woken.
    #[inline]
    fn leave(&self) -> bool {
        let is_waited = self.word.swap(FREE, Ordering::Release) & WAITED != 0;
        if is_waited {
            P::wake_one(&self.word);
        }
        is_waited
    }
}

/// For `fork`, which is inside every lock while the process is copied.
impl<P: Park> Lock<P> {
    /// Enters and stays inside until [`release`](Self::release); the calling thread passes the
    /// lock meanwhile. Nothing happens if it is inside already: then `fork` interrupted it.
    /// `false`: another thread is still inside when no milliseconds are left; they are counted
    /// down.
    ///
    /// No signal handler that forks may run on this thread meanwhile.
    pub fn hold(&self, left_ms: &mut u32) -> bool {
        if self.word.load(Ordering::Relaxed) & !FLAGS == P::me() {
            return true;
        }
        let is_inside = self.enter()
            || self.lock_asleep(|marked| {
                P::nap(&self.word, marked);
                *left_ms = left_ms.saturating_sub(1);
                *left_ms > 0
            });
        if is_inside {
            self.word.fetch_or(FORK, Ordering::Relaxed);
        }
        is_inside
    }

    /// Leaves after [`hold`](Self::hold), also in the child of a `fork`. Nothing happens to a
    /// lock that the calling thread does not hold.
    pub fn release(&self) {
        if self.is_held() {
            self.leave();
        }
    }

    /// Wakes a thread that may sleep although nobody is inside: the release that was to wake it woke one that went into a
    /// signal handler instead of looking again, and the handler may wait for what the sleeper holds. For a `fork` that
    /// waited in vain.
    pub fn nudge(&self) {
        if self.word.load(Ordering::Relaxed) == FREE {
            P::wake_one(&self.word);
        }
    }

    /// Whether the calling thread is inside by [`hold`](Self::hold).
    pub fn is_held(&self) -> bool {
        self.word.load(Ordering::Relaxed) & !WAITED == P::me() | FORK
    }

    /// Whether the calling thread is inside, but not by [`hold`](Self::hold).
    pub fn is_interrupted(&self) -> bool {
        self.word.load(Ordering::Relaxed) & !WAITED == P::me()
    }
}

impl<P: Park> Guard<'_, P> {
    /// Leaves. Where somebody sleeps, waits until one is inside, a millisecond at most: for who enters again at once, and
    /// would be inside again before a sleeper is awake. `true`: it waited that long.
    pub fn leave_to_waiter(self) -> bool {
        let lock = self.lock;
        core::mem::forget(self);
        // By `hold` the thread stays inside.
        let Some(lock) = lock else { return false };
        let is_waited = lock.leave();
        P::end();
        if !is_waited {
            return false;
        }
        for _ in 0..SPINS {
            spin_hint();
            if lock.word.load(Ordering::Relaxed) != FREE {
                return false;
            }
        }
        // Not on the lock's word: who is woken there is to enter (lock-K2).
        P::nap(&AtomicUsize::new(FREE), FREE);
        true
    }
}

impl<P: Park> Drop for Guard<'_, P> {
    #[inline]
    fn drop(&mut self) {
        if let Some(lock) = self.lock {
            lock.leave();
            P::end();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
