//! A source whose page is larger than the machine's, for tests of what stands above.
//!
//! A kernel with pages of 64 KiB rounds lengths up to them: what was meant for 16 KiB of a page
//! would also take what others have in the rest of it. Here such a call is counted as a
//! [stray](Paged::strays) and refused.
//!
//! Layer *source*. Costs a test of the arguments a call.
use base::sync::{AtomicU64, Ordering};

use crate::{Claim, Mapped, Move, PageSource, Stretch, park_and_report, pass_on};

/// Passes calls on to `S`, if they speak of whole pages of `PAGE` bytes, a power of two.
#[derive(Debug, Default)]
pub struct Paged<S, const PAGE: usize> {
    inner: S,
    strays: AtomicU64,
}

impl<S, const PAGE: usize> Paged<S, PAGE> {
    /// No call yet.
    pub const fn new(inner: S) -> Self {
        const { assert!(PAGE.is_power_of_two(), "a page is a power of two") };
        Self { inner, strays: AtomicU64::new(0) }
    }

    /// What stands below.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    /// How many calls spoke of less than whole pages.
    pub fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    fn whole<const N: usize>(&self, numbers: [usize; N]) -> bool {
        let whole = numbers.iter().all(|number| number.is_multiple_of(PAGE));
        if !whole {
            self.strays.fetch_add(1, Ordering::Relaxed);
        }
        whole
    }
}

macro_rules! if_whole {
    ($self:ident: $($name:ident)*) => {$(
        unsafe fn $name(&$self, at: usize, len: usize) -> bool {
            // SAFETY: the caller's promise is passed on.
            $self.whole([at, len]) && unsafe { $self.inner.$name(at, len) }
        }
    )*};
}

// SAFETY: every page changes state only in `inner`, which keeps the contract; a larger page is
// several of its pages, and what is asked for is placed at a multiple of the larger.
unsafe impl<S: PageSource, const PAGE: usize> PageSource for Paged<S, PAGE> {
    if_whole! { self: commit purge release renew }

    fn page_size(&self) -> usize {
        PAGE
    }

    fn reserve(&self, len: usize, align: usize) -> Option<usize> {
        self.whole([len]).then(|| self.inner.reserve(len, align.max(PAGE)))?
    }

    fn reserve_at(&self, at: usize, len: usize) -> Claim {
        if self.whole([at, len]) { self.inner.reserve_at(at, len) } else { Claim::Refused }
    }

    fn claim(&self, at: usize, len: usize) -> Claim {
        if self.whole([at, len]) { self.inner.claim(at, len) } else { Claim::Refused }
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        self.whole([len]).then(|| self.inner.map(len, align.max(PAGE)))?
    }

    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped {
        if !self.whole([at, len]) {
            return Mapped::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.decommit(at, len) }
    }

    unsafe fn purge_each(&self, stretches: &[Stretch]) -> usize {
        let whole = stretches.iter().all(|stretch| self.whole([stretch.at, stretch.len]));
        if !whole {
            return 0;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.purge_each(stretches) }
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        let whole = self.whole([at, old, new]);
        // SAFETY: the caller's promise is passed on.
        whole.then(|| unsafe { self.inner.resize(at, old, new, align.max(PAGE)) })?
    }

    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move {
        if !self.whole([from, to, len]) {
            return Move::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.move_pages(from, to, len) }
    }

    unsafe fn prefer_huge(&self, at: usize, len: usize, huge: bool) {
        if self.whole([at, len]) {
            // SAFETY: the caller's promise is passed on.
            unsafe { self.inner.prefer_huge(at, len, huge) };
        }
    }

    pass_on! {
        self: self.inner =>
            is_confined address_limit has_addresses physical_memory huge_pages memory_limit charges_commit now_ms
            is_only_thread node
    }
}

park_and_report! { [S, const PAGE: usize] Paged<S, PAGE> => S }

#[cfg(test)]
mod tests;
