//! A thread's account: whether it is moving objects now, and what it has moved.
//!
//! ```text
//! passes   even: outside its slow path     odd: inside
//! claimed, given back                      bytes since the last report (slack-X1)
//! ```
//!
//! - **account-Y1** objects change hands between a thread and the slabs only while `passes` is odd, and
//!   when it is even again the account says how many bytes did.
//!
//! So a reader that finds `passes` even, and the same before and after looking at slabs and accounts,
//! has seen both at rest. Only the thread itself writes here, with plain stores.
use base::lock::{Busy, Park};
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering, fence};

/// The passes of one thread through its slow path, and the bytes it moved.
#[derive(Debug)]
pub(crate) struct Account {
    passes: AtomicU32,
    claimed: AtomicUsize,
    given_back: AtomicUsize,
}

impl Account {
    /// Nothing moved yet: for memory that held another thread's account.
    pub(crate) fn reset(&self) {
        self.passes.store(0, Ordering::Relaxed);
        self.claimed.store(0, Ordering::Relaxed);
        self.given_back.store(0, Ordering::Relaxed);
    }

    /// The thread goes through its slow path, and is busy.
    #[inline]
    pub(crate) fn pass<P: Park, R>(&self, work: impl FnOnce() -> R) -> R {
        let _busy = Busy::<P>::new();
        let passes = self.passes.load(Ordering::Relaxed).wrapping_add(1);
        self.passes.store(passes, Ordering::Relaxed);
        // Whoever sees any of the work sees that it has begun.
        fence(Ordering::Release);
        let answer = work();
        // Whoever sees that it has ended sees all of it.
        self.passes.store(passes.wrapping_add(1), Ordering::Release);
        answer
    }

    /// Whether the thread is inside its slow path.
    pub(crate) fn is_inside(&self) -> bool {
        !self.passes.load(Ordering::Relaxed).is_multiple_of(2)
    }

    /// How often the thread went in and out.
    pub(crate) fn passes(&self) -> u32 {
        self.passes.load(Ordering::Acquire)
    }

    /// `bytes` were claimed; the sum since the last report.
    pub(crate) fn claim(&self, bytes: usize) -> usize {
        self.claimed.raise(bytes)
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.given_back.raise(bytes);
    }

    /// Bytes given back since the last report.
    pub(crate) fn given_back(&self) -> usize {
        self.given_back.load(Ordering::Relaxed)
    }

    /// What was claimed and given back since the last report, which this is.
    pub(crate) fn report(&self) -> (usize, usize) {
        (self.claimed.replace(0), self.given_back.replace(0))
    }

    /// What was claimed and not given back since the last report; wraps below 0.
    pub(crate) fn unreported(&self) -> usize {
        let given_back = self.given_back.load(Ordering::Relaxed);
        self.claimed.load(Ordering::Relaxed).wrapping_sub(given_back)
    }
}

/// Operations on slabs by threads that have no cache, or for none: many at once.
///
/// - **account-Y2** as account-Y1: objects change hands without a cache only between `begun` and `ended`.
#[derive(Debug)]
pub struct Outside {
    begun: AtomicU32,
    ended: AtomicU32,
}

impl Outside {
    /// None yet.
    pub const fn new() -> Self {
        Self { begun: AtomicU32::new(0), ended: AtomicU32::new(0) }
    }

    /// One more.
    pub fn pass<R>(&self, work: impl FnOnce() -> R) -> R {
        self.begun.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Release);
        let answer = work();
        self.ended.fetch_add(1, Ordering::Release);
        answer
    }

    /// In the child of a `fork`: those that were under way are never to end. `true`: there were such.
    pub fn forget(&self) -> bool {
        let begun = self.begun.load(Ordering::Relaxed);
        self.ended.swap(begun, Ordering::Relaxed) != begun
    }

    /// How many there were, if none is under way. What ended is read first: then as many have
    /// begun only if all of them had ended.
    pub fn at_rest(&self) -> Option<u32> {
        let ended = self.ended.load(Ordering::Acquire);
        (self.begun.load(Ordering::Acquire) == ended).then_some(ended)
    }
}
