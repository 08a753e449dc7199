//! Confined: what the system may be asked without the process being ended for it.
//!
//! ```text
//! no filter of system calls when the limit is read, and who installs one says so before ─► mincore, process_madvise
//! else                                                                                  ─► only what every malloc asks
//! ```
//!
//! A filter that kills lists the calls a program makes, and hardly a program makes these two. One that was there before
//! the program is seen in `/proc/self/status`. One that comes later is announced by `prctl`, which the drop-in library
//! hears of; a Rust program's own allocator does not, so there nobody asks.
//!
//! Layer *page*. A load a question.
use base::sync::{AtomicBool, Ordering};

use super::PageHeap;
use crate::System;

/// Whether the system may be asked what few programs ask.
#[derive(Debug)]
pub(crate) struct Confined {
    /// Whoever confines the process tells us before.
    hears: AtomicBool,
    pub(super) may_ask: AtomicBool,
}

impl Confined {
    pub(super) const fn new() -> Self {
        Self { hears: AtomicBool::new(false), may_ask: AtomicBool::new(false) }
    }
}

impl<S: System> PageHeap<S> {
    /// Who confines the process from now on calls [`before_confinement`](Self::before_confinement) first.
    pub fn hears_of_confinement(&self) {
        self.confined.hears.store(true, Ordering::Relaxed);
    }

    /// Reads the memory limit (G3), once in a process, and whether the process is confined.
    pub fn look_at_memory_limit(&self) {
        if self.purge.look(&self.source) && self.confined.hears.load(Ordering::Relaxed) {
            self.confined.may_ask.store(!self.source.is_confined(), Ordering::Relaxed);
        }
    }

    /// The process is about to be confined: what has to be read is read now.
    pub fn before_confinement(&self) {
        self.confined.hears.store(false, Ordering::Relaxed);
        self.look_at_memory_limit();
        self.confined.may_ask.store(false, Ordering::Relaxed);
    }

    /// Whether the system may be asked what few programs ask.
    pub(crate) fn may_ask(&self) -> bool {
        self.confined.may_ask.load(Ordering::Relaxed)
    }
}
