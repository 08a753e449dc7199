//! Arena: memory for descriptors, between guards; it grows and never shrinks.
//!
//! ```text
//! ░░[ piece │ piece │ piece │ free … ]░░        a chunk of 256 KiB, or as much as was handed out: mappings are scarce
//! ░░ guard: nobody may touch it, so no block's overflow reaches a descriptor
//! ```
//!
//! - **arena-N1** a piece is zero when it is handed out, and nobody else's for ever.
//!
//! Layer *page*. One lock; O(1), and two system calls a chunk. Whoever needs a piece no more keeps it for the next.
use base::bits::align_up;
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};

use crate::System;
use crate::huge::{guard, guarded};

/// Bytes of a chunk; what is larger has one of its own.
const CHUNK: usize = 256 << 10;

/// Pieces of memory for ever.
#[derive(Debug)]
pub struct Arena<S> {
    rest: Guarded<S, Rest>,
    used: AtomicUsize,
}

#[derive(Debug)]
struct Rest {
    at: usize,
    end: usize,
}

impl<S: System> Arena<S> {
    /// Without memory.
    pub const fn new() -> Self {
        Self { rest: Guarded::new(Rest { at: 0, end: 0 }), used: AtomicUsize::new(0) }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        self.rest.bare()
    }

    /// Bytes handed out.
    pub fn used_bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// `size` zeroed bytes at a multiple of `align`, at most a page. `None`: out of memory.
    pub fn allocate(&self, source: &S, size: usize, align: usize) -> Option<usize> {
        let mut rest = self.rest.lock();
        let mut at = align_up(rest.at, align);
        if rest.at == 0 || at + size > rest.end {
            let len = align_up(size.max(CHUNK).max(self.used_bytes()), guard(source));
            at = guarded(source, len)?;
            rest.end = at + len;
        }
        rest.at = at + size;
        self.used.raise(size);
        Some(at)
    }
}
