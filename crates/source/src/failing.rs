//! A source that refuses on demand, for tests of what happens when the system says no.
//!
//! Calls that may fail are numbered from 1; [`fail_nth`](Failing::fail_nth) picks the one
//! that is refused, [`fail_from`](Failing::fail_from) refuses it and all that follow, as a
//! kernel under strict overcommit does.
//!
//! Layer *source*. Costs two relaxed loads and an increment a call.
use base::sync::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::{Claim, FrameFile, FrameSource, HugePages, Mapped, Move, PageSource, Stretch};
use crate::{park_and_report, pass_on};

/// Passes calls on to `S`, except those it was told to refuse.
#[derive(Debug, Default)]
pub struct Failing<S> {
    inner: S,
    calls: AtomicU64,
    from: AtomicU64,
    to: AtomicU64,
    limit: AtomicUsize,
    loses: AtomicBool,
    huge_pages: AtomicU8,
    memory: AtomicUsize,
    physical: AtomicUsize,
    charges: AtomicBool,
    place: AtomicUsize,
    /// One more than the node that is said; 0: what the system says.
    node: AtomicU32,
    /// Milliseconds that the clock is ahead.
    ahead: AtomicU64,
}

impl<S> Failing<S> {
    /// Refuses nothing yet.
    pub const fn new(inner: S) -> Self {
        Self {
            inner,
            calls: AtomicU64::new(0),
            from: AtomicU64::new(0),
            to: AtomicU64::new(0),
            limit: AtomicUsize::new(0),
            loses: AtomicBool::new(false),
            huge_pages: AtomicU8::new(0),
            memory: AtomicUsize::new(0),
            physical: AtomicUsize::new(0),
            charges: AtomicBool::new(false),
            place: AtomicUsize::new(0),
            node: AtomicU32::new(0),
            ahead: AtomicU64::new(0),
        }
    }

    /// Refuses only the `n`-th fallible call from now, counted from 1; 0 refuses nothing.
    pub fn fail_nth(&self, n: u64) {
        self.calls.store(0, Ordering::Relaxed);
        self.from.store(n, Ordering::Relaxed);
        self.to.store(n, Ordering::Relaxed);
    }

    /// Refuses the `n`-th fallible call from now and all after it.
    pub fn fail_from(&self, n: u64) {
        self.fail_nth(n);
        self.to.store(u64::MAX, Ordering::Relaxed);
    }

    /// Says from now on that the system makes huge pages as `when` has it.
    pub fn pretend_huge_pages(&self, when: HugePages) {
        self.huge_pages.store(1 + when as u8, Ordering::Relaxed);
    }

    /// Says from now on that the process may use `bytes` of addresses; 0: what the system says.
    pub fn pretend_limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Says from now on that the process may use `bytes` of memory; 0: what the system says.
    pub fn pretend_memory_limit(&self, bytes: usize) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    /// Says from now on that the machine has `bytes` of memory; 0: what the system says.
    pub fn pretend_physical_memory(&self, bytes: usize) {
        self.physical.store(bytes, Ordering::Relaxed);
    }

    /// Says from now on that what is committed counts against a limit; it is not counted.
    pub fn pretend_charges(&self) {
        self.charges.store(true, Ordering::Relaxed);
    }

    /// The next mapping lies at `at`, if nothing else does; 0: wherever the system puts it.
    pub fn map_next_at(&self, at: usize) {
        self.place.store(at, Ordering::Relaxed);
    }

    /// From now on whoever asks runs on this node.
    pub fn pretend_node(&self, node: u32) {
        self.node.store(node + 1, Ordering::Relaxed);
    }

    /// The clock goes on by so many milliseconds at once.
    pub fn pass_ms(&self, ms: u64) {
        self.ahead.fetch_add(ms, Ordering::Relaxed);
    }

    /// From now on the target of each move of pages, of each mapping of frames, and what is decommitted, is lost.
    pub fn lose_moves(&self, lose: bool) {
        self.loses.store(lose, Ordering::Relaxed);
    }

    /// Fallible calls since the last [`fail_nth`](Self::fail_nth).
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn allows(&self) -> bool {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let from = self.from.load(Ordering::Relaxed);
        from == 0 || call < from || call > self.to.load(Ordering::Relaxed)
    }
}

macro_rules! if_allowed {
    ($self:ident: $($name:ident)*) => {$(
        unsafe fn $name(&$self, at: usize, len: usize) -> bool {
            // SAFETY: the caller's promise is passed on.
            $self.allows() && unsafe { $self.inner.$name(at, len) }
        }
    )*};
}

// SAFETY: every page changes state only in `inner`, which keeps the contract.
unsafe impl<S: PageSource> PageSource for Failing<S> {
    if_allowed! { self: commit purge release renew }

    pass_on! { self: self.inner => page_size prefer_huge is_confined is_only_thread }

    fn reserve(&self, len: usize, align: usize) -> Option<usize> {
        self.allows().then(|| self.inner.reserve(len, align))?
    }

    fn reserve_at(&self, at: usize, len: usize) -> Claim {
        if self.allows() { self.inner.reserve_at(at, len) } else { Claim::Refused }
    }

    fn claim(&self, at: usize, len: usize) -> Claim {
        if self.allows() { self.inner.claim(at, len) } else { Claim::Refused }
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        let place = self.place.swap(0, Ordering::Relaxed);
        if place != 0 && self.inner.claim(place, len) == Claim::Ours {
            return Some(place);
        }
        self.allows().then(|| self.inner.map(len, align))?
    }

    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped {
        if self.loses.load(Ordering::Relaxed) {
            // SAFETY: ours, and lost from now on.
            unsafe { self.inner.release(at, len) };
            return Mapped::Lost;
        }
        if !self.allows() {
            return Mapped::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.decommit(at, len) }
    }

    unsafe fn purge_each(&self, stretches: &[Stretch]) -> usize {
        if !self.allows() {
            return 0;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.purge_each(stretches) }
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        // SAFETY: the caller's promise is passed on.
        self.allows().then(|| unsafe { self.inner.resize(at, old, new, align) })?
    }

    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move {
        if self.loses.load(Ordering::Relaxed) {
            // SAFETY: ours, and lost from now on.
            unsafe { self.inner.release(to, len) };
            return Move::Lost;
        }
        if !self.allows() {
            return Move::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.move_pages(from, to, len) }
    }

    fn address_limit(&self) -> Option<usize> {
        let pretended = Some(self.limit.load(Ordering::Relaxed)).filter(|&limit| limit != 0);
        pretended.or_else(|| self.inner.address_limit())
    }

    fn has_addresses(&self, len: usize) -> bool {
        self.allows() && self.inner.has_addresses(len)
    }

    fn huge_pages(&self) -> HugePages {
        match self.huge_pages.load(Ordering::Relaxed) {
            0 => self.inner.huge_pages(),
            1 => HugePages::Never,
            2 => HugePages::WhenAsked,
            _ => HugePages::Always,
        }
    }

    fn physical_memory(&self) -> usize {
        match self.physical.load(Ordering::Relaxed) {
            0 => self.inner.physical_memory(),
            bytes => bytes,
        }
    }

    fn memory_limit(&self) -> Option<usize> {
        match self.memory.load(Ordering::Relaxed) {
            0 => self.inner.memory_limit(),
            bytes => Some(bytes),
        }
    }

    fn charges_commit(&self) -> bool {
        self.charges.load(Ordering::Relaxed) || self.inner.charges_commit()
    }

    fn now_ms(&self) -> u64 {
        self.inner.now_ms() + self.ahead.load(Ordering::Relaxed)
    }

    fn node(&self) -> u32 {
        let pretended = self.node.load(Ordering::Relaxed);
        pretended.checked_sub(1).unwrap_or_else(|| self.inner.node())
    }
}

// SAFETY: every page and frame changes state only in `inner`, which keeps the contract.
unsafe impl<S: FrameSource> FrameSource for Failing<S> {
    pass_on! { self: self.inner => is_open close_frames most_mappings processors }

    fn create_frames(&self, count: usize) -> Option<FrameFile> {
        self.allows().then(|| self.inner.create_frames(count))?
    }

    unsafe fn map_frames(&self, file: FrameFile, first: usize, count: usize, at: usize) -> Mapped {
        if self.loses.load(Ordering::Relaxed) {
            // SAFETY: ours, and lost from now on.
            unsafe { self.inner.release(at, count * self.inner.page_size()) };
            return Mapped::Lost;
        }
        if !self.allows() {
            return Mapped::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.map_frames(file, first, count, at) }
    }

    unsafe fn unmap_frames(&self, at: usize, len: usize) -> Mapped {
        if !self.allows() {
            return Mapped::Refused;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.unmap_frames(at, len) }
    }

    unsafe fn punch_frames(&self, file: FrameFile, first: usize, count: usize) -> bool {
        // SAFETY: the caller's promise is passed on.
        self.allows() && unsafe { self.inner.punch_frames(file, first, count) }
    }
}

park_and_report! { [S] Failing<S> => S }

#[cfg(test)]
mod tests;
