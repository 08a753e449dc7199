//! Allowance: what a memory limit leaves for free memory. The limit is read once in a process.
//!
//! Layer *page*. A load a question; reading takes some 50 µs, once.
use base::sync::{AtomicBool, AtomicUsize, Ordering};
use policy::keep;

use crate::System;

/// The memory limit of the process's control group, if it has one and somebody has looked.
#[derive(Debug)]
pub struct Allowance {
    looked: AtomicBool,
    /// Bytes; `usize::MAX`: no limit.
    bytes: AtomicUsize,
}

impl Allowance {
    /// Nobody has looked yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { looked: AtomicBool::new(false), bytes: AtomicUsize::new(usize::MAX) }
    }

    /// Whether this process has looked at its limit.
    #[inline]
    pub fn has_looked(&self) -> bool {
        self.looked.load(Ordering::Relaxed)
    }

    /// Reads the limit, the first time. `false`: it was read before.
    pub fn look<S: System>(&self, source: &S) -> bool {
        if self.has_looked() || self.looked.swap(true, Ordering::Relaxed) {
            return false;
        }
        if let Some(bytes) = source.memory_limit() {
            self.bytes.store(bytes, Ordering::Relaxed);
        }
        true
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

impl Default for Allowance {
    fn default() -> Self {
        Self::new()
    }
}
