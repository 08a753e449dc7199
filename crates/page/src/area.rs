//! An area: a stretch of addresses of which a growing front is usable.
//!
//! ```text
//! at           usable             held                       end
//! ├─ touched ──┼─ ours, not yet ──┼─ nobody's, claimed later ┤
//!   commit ───►                     claim ──►
//! ```
//!
//! - **area-E1** `[at, usable)` may be touched; what never was reads as zero.
//! - **area-E2** `[usable, held)` is reserved; behind `held` no address is ours.
//!
//! A region reserved whole has `held` at the end of each area. Where addresses are limited, `held`
//! is where the area is usable to, and more is claimed as it is needed.
//!
//! Layer *page*. Changed under the page heap's lock; one system call a step.
use base::bits::align_up;
use base::sync::{AtomicUsize, Ordering};
use source::{Claim, PageSource};

use crate::geometry::GRANULE;

/// What is reserved becomes usable in multiples of this: 64 KiB, the largest page there is.
pub(crate) const STEP: usize = 64 << 10;

/// Who reads the process from outside finds the first two words (`base::live`).
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Area {
    at: AtomicUsize,
    usable: AtomicUsize,
    held: AtomicUsize,
    end: AtomicUsize,
}

impl Area {
    pub(crate) const fn new() -> Self {
        Self {
            at: AtomicUsize::new(0),
            usable: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
        }
    }

    /// Becomes `[at, end)`, of which nothing is usable yet and all is reserved, or nothing is.
    pub(crate) fn place(&self, at: usize, end: usize, reserved: bool) {
        self.at.store(at, Ordering::Relaxed);
        self.usable.store(at, Ordering::Relaxed);
        self.held.store(if reserved { end } else { at }, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at.load(Ordering::Relaxed)
    }

    /// Bytes that may be touched.
    pub(crate) fn usable(&self) -> usize {
        self.usable.load(Ordering::Relaxed) - self.at()
    }

    /// Makes at least the first `len` bytes usable. `false`: refused, or it has no room for them.
    pub(crate) fn grow<S: PageSource>(&self, source: &S, len: usize) -> bool {
        let usable = self.usable.load(Ordering::Relaxed);
        let held = self.held.load(Ordering::Relaxed);
        // What is claimed is taken from addresses that the program may need.
        let step = if usable < held { STEP } else { source.page_size().max(GRANULE) };
        let wanted = self.at() + align_up(len, step);
        if wanted <= usable {
            return true;
        }
        if wanted > self.end.load(Ordering::Relaxed) {
            return false;
        }
        let reserved = wanted.min(held);
        if reserved > usable {
            // SAFETY: reserved and not touched yet (area-E2).
            if !unsafe { source.commit(usable, reserved - usable) } {
                return false;
            }
            self.usable.store(reserved, Ordering::Relaxed);
        }
        if wanted > held {
            if source.claim(held, wanted - held) != Claim::Ours {
                return false;
            }
            self.usable.store(wanted, Ordering::Relaxed);
            self.held.store(wanted, Ordering::Relaxed);
        }
        true
    }

    /// Reserves what it gave up, if nobody has taken it meanwhile.
    pub(crate) fn hold<S: PageSource>(&self, source: &S) {
        let held = self.held.load(Ordering::Relaxed);
        let end = self.end.load(Ordering::Relaxed);
        if held < end && source.reserve_at(held, end - held) == Claim::Ours {
            self.held.store(end, Ordering::Relaxed);
        }
    }

    /// Gives up all that it has claimed, which nobody has used.
    pub(crate) fn abandon<S: PageSource>(&self, source: &S) {
        let len = self.usable();
        // SAFETY: claimed by `grow`, and unused by this call's contract.
        if len > 0 && unsafe { source.release(self.at(), len) } {
            self.place(self.at(), self.end.load(Ordering::Relaxed), false);
        }
    }

    /// Gives up the addresses that it holds and does not use, but for `keep` bytes of them.
    pub(crate) fn give_up<S: PageSource>(&self, source: &S, keep: usize) {
        let held = self.held.load(Ordering::Relaxed);
        let from = self.usable.load(Ordering::Relaxed).saturating_add(align_up(keep, STEP));
        // SAFETY: reserved, never touched (area-E2).
        if from < held && unsafe { source.release(from, held - from) } {
            self.held.store(from, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
