//! Allowance: what a memory limit leaves for free memory, and whether what is committed counts against another. Both are read
//! once in a process.
//!
//! Layer *page*. A load a question; reading takes some 60 µs, once.
use base::bits::align_up;
use base::sync::{AtomicBool, AtomicUsize, Ordering};
use policy::keep;

use crate::System;

/// What limits the process's memory, once [`look`](Self::look) has read it.
#[derive(Debug)]
pub struct Allowance {
    looked: AtomicBool,
    /// Bytes of the control group's memory limit; `usize::MAX`: no limit.
    bytes: AtomicUsize,
    /// Whether what is committed counts, used or not.
    charges: AtomicBool,
}

impl Allowance {
    /// Nobody has looked yet.
    pub const fn new() -> Self {
        Self {
            looked: AtomicBool::new(false),
            bytes: AtomicUsize::new(usize::MAX),
            charges: AtomicBool::new(false),
        }
    }

    /// Whether this process has looked at its limit.
    #[inline]
    pub fn has_looked(&self) -> bool {
        self.looked.load(Ordering::Relaxed)
    }

    /// Reads the limits, the first time. `false`: they were read before.
    pub fn look<S: System>(&self, source: &S) -> bool {
        if self.has_looked() || self.looked.swap(true, Ordering::Relaxed) {
            return false;
        }
        if let Some(bytes) = source.memory_limit() {
            self.bytes.store(bytes, Ordering::Relaxed);
        }
        self.charges.store(source.charges_commit(), Ordering::Relaxed);
        true
    }

    /// Whether free memory costs as long as it is committed.
    #[inline]
    pub fn charges(&self) -> bool {
        self.charges.load(Ordering::Relaxed)
    }

    /// Whether `fork`, which charges all of the process once more to its child, may be refused. `used` is what we use; what else
    /// the process has is taken to be no more than that.
    pub fn may_refuse_fork<S: System>(&self, source: &S, used: usize) -> bool {
        self.charges() && !is_room_for(source, 2 * used)
    }

    /// What may be free beside `live`, both in units of `unit` bytes; `usize::MAX`: any amount.
    #[inline]
    pub fn room(&self, live: usize, unit: usize) -> usize {
        match self.bytes.load(Ordering::Relaxed) {
            usize::MAX => usize::MAX,
            bytes => keep::room(live, bytes / unit),
        }
    }
}

/// Whether the system would promise `len` bytes more.
fn is_room_for<S: System>(source: &S, len: usize) -> bool {
    let page = source.page_size();
    let got = source.map(align_up(len.max(1), page), page);
    // SAFETY: just mapped, and nobody has seen it.
    got.is_some_and(|at| unsafe { source.release(at, align_up(len.max(1), page)) })
}
