//! Confined: whether a call may be made that hardly a program makes, without the process being ended for it.
//!
//! ```text
//! no filter of system calls when the limit is read, and one that comes is announced ─► process_madvise
//! else                                                                              ─► only the calls of every malloc
//! ```
//!
//! A filter that kills lists the calls a program makes, and hardly a program makes `process_madvise`. One that was
//! there before the program is seen in `/proc/self/status`. One that comes later is announced by `prctl`, which the
//! drop-in library hears of; a Rust program's own allocator does not, so there the call is never made.
//!
//! - **confined-F1** `NEVER` is for good: a thread that looked before it was set, and has its answer after, does not change it.
//! - **confined-F2** a thread is counted while it makes the call, and one that sets `NEVER` waits for those, for tens of
//!   milliseconds at most: it may be a signal handler, and wait for the thread that it interrupted.
//!
//! Layer *page*. Two counted operations a call of the system.
use core::hint::spin_loop;

use base::sync::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use source::HugePages;

use super::PageHeap;
use crate::System;

/// Nobody has looked yet, or nobody would announce a filter.
const UNKNOWN: u8 = 0;
const MAY: u8 = 1;
const NEVER: u8 = 2;

/// Turns that are waited for those who are asking, of 40 to 140 cycles each: tens of milliseconds.
const PATIENCE: u32 = 1 << 20;

/// Whether `process_madvise` may be called.
#[derive(Debug)]
pub(crate) struct Confined {
    /// Whoever confines the process tells us before.
    hears: AtomicBool,
    state: AtomicU8,
    /// Threads that are asking (confined-F2).
    asking: AtomicUsize,
}

impl Confined {
    pub(super) const fn new() -> Self {
        Self {
            hears: AtomicBool::new(false),
            state: AtomicU8::new(UNKNOWN),
            asking: AtomicUsize::new(0),
        }
    }

    fn turn(&self, state: u8) {
        // Refused where another thread was faster (confined-F1).
        let _ = self.state.compare_exchange(UNKNOWN, state, Ordering::SeqCst, Ordering::Relaxed);
    }

    /// The answer to a call that few programs make. `None`: it may not be made.
    pub(super) fn ask<T>(&self, call: impl FnOnce() -> T) -> Option<T> {
        self.asking.fetch_add(1, Ordering::SeqCst);
        let answer = (self.state.load(Ordering::SeqCst) == MAY).then(call);
        self.asking.fetch_sub(1, Ordering::SeqCst);
        answer
    }

    /// Nobody asks any more, from the end of this on (confined-F1, confined-F2).
    fn never(&self) {
        self.state.store(NEVER, Ordering::SeqCst);
        for _ in 0..PATIENCE {
            if self.asking.load(Ordering::SeqCst) == 0 {
                return;
            }
            spin_loop();
        }
    }
}

impl<S: System> PageHeap<S> {
    /// Who confines the process from now on calls [`before_confinement`](Self::before_confinement) first.
    pub fn hears_of_confinement(&self) {
        self.confined.hears.store(true, Ordering::Relaxed);
    }

    /// Reads the memory limit (purge-G3), once in a process, when the system makes huge pages, and whether the process is
    /// confined.
    pub fn look_at_memory_limit(&self) {
        if !self.purge.look(&self.source) {
            return;
        }
        let huge_pages = self.source.huge_pages();
        self.huge_pages.never.store(huge_pages == HugePages::Never, Ordering::Relaxed);
        self.huge_pages.always.store(huge_pages == HugePages::Always, Ordering::Relaxed);
        if self.confined.hears.load(Ordering::Relaxed) {
            self.confined.turn(if self.source.is_confined() { NEVER } else { MAY });
        }
    }

    /// The process is about to be confined: what has to be read is read now.
    pub fn before_confinement(&self) {
        self.confined.never();
        self.look_at_memory_limit();
    }
}

#[cfg(test)]
mod tests;
