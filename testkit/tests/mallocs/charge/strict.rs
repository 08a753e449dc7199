//! A system that promises no more than it has: what is committed counts, used or not, and beyond a limit it refuses.
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use source::os::Os;
use source::{Claim, Failing, Mapped, PageSource};

#[derive(Debug)]
pub(super) struct Strict {
    pub(super) inner: Failing<Os>,
    limit: usize,
    /// Where committed stretches begin and end; none touches another.
    committed: Mutex<BTreeMap<usize, usize>>,
}

impl Strict {
    pub(super) fn new(limit: usize) -> Self {
        let inner = Failing::new(Os);
        inner.pretend_charges();
        Self { inner, limit, committed: Mutex::default() }
    }

    pub(super) fn charged(&self) -> usize {
        self.committed().iter().map(|(from, to)| to - from).sum()
    }

    fn committed(&self) -> MutexGuard<'_, BTreeMap<usize, usize>> {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_room(&self, len: usize) -> bool {
        len <= self.limit.saturating_sub(self.charged())
    }

    fn enter(&self, at: usize, len: usize) {
        self.leave(at, len);
        self.committed().insert(at, at + len);
    }

    fn leave(&self, at: usize, len: usize) {
        let mut committed = self.committed();
        let meets: Vec<_> = committed
            .range(..at + len)
            .rev()
            .take_while(|&(_, &to)| to > at)
            .map(|(&from, &to)| (from, to))
            .collect();
        for (from, to) in meets {
            committed.remove(&from);
            for (from, to) in [(from, at), (at + len, to)] {
                if from < to {
                    committed.insert(from, to);
                }
            }
        }
    }
}

// SAFETY: every page changes state only in `Os`, which keeps the contract.
unsafe impl PageSource for Strict {
    source::pass_on! {
        self: self.inner =>
            page_size reserve reserve_at purge purge_each renew move_pages prefer_huge huge_pages is_confined
            address_limit has_addresses physical_memory memory_limit charges_commit now_ms is_only_thread node
    }

    fn claim(&self, at: usize, len: usize) -> Claim {
        if !self.is_room(len) {
            return Claim::Refused;
        }
        let claim = self.inner.claim(at, len);
        if claim == Claim::Ours {
            self.enter(at, len);
        }
        claim
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        let at = self.is_room(len).then(|| self.inner.map(len, align))??;
        self.enter(at, len);
        Some(at)
    }

    unsafe fn commit(&self, at: usize, len: usize) -> bool {
        // SAFETY: the caller's promise is passed on.
        let committed = self.is_room(len) && unsafe { self.inner.commit(at, len) };
        if committed {
            self.enter(at, len);
        }
        committed
    }

    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped {
        // SAFETY: the caller's promise is passed on.
        let done = unsafe { self.inner.decommit(at, len) };
        if done == Mapped::Done {
            self.leave(at, len);
        }
        done
    }

    unsafe fn release(&self, at: usize, len: usize) -> bool {
        // SAFETY: the caller's promise is passed on.
        let released = unsafe { self.inner.release(at, len) };
        if released {
            self.leave(at, len);
        }
        released
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        let is_room = self.is_room(new.saturating_sub(old));
        // SAFETY: the caller's promise is passed on.
        let moved = is_room.then(|| unsafe { self.inner.resize(at, old, new, align) })??;
        self.leave(at, old);
        self.enter(moved, new);
        Some(moved)
    }
}

source::park_and_report! { [] Strict => Os }
