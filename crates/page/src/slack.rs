//! Slack: memory that slabs hold and the program does not.
//!
//! ```text
//! slack = slabs − claimed − holes        in bytes; claimed counts what magazines keep; the
//!                                        slabs of first-class heaps are left out
//! ```
//!
//! - **X1** the three counters are exact when no thread is between a refill or flush and its
//!   report; threads report in batches, so a moment's figure may be off by some 64 KiB each.
//!
//! Slack counts against what the purge policy keeps, and says when looking for holes is worth
//! the walk: after as many bytes came back as an eighth of what is claimed.
use base::sync::{AtomicUsize, Ordering};

use crate::System;
use crate::geometry::GRANULE;
use crate::heap::PageHeap;

/// Holes are looked for after at least so many bytes came back: 1 MiB.
const LEAST: usize = 1 << 20;

/// The counters. Differences wrap, so that threads may report in any order.
#[derive(Debug)]
pub struct Slack {
    slabs: AtomicUsize,
    claimed: AtomicUsize,
    holes: AtomicUsize,
    freed: AtomicUsize,
}

impl Slack {
    pub(crate) const fn new() -> Self {
        Self {
            slabs: AtomicUsize::new(0),
            claimed: AtomicUsize::new(0),
            holes: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
        }
    }

    /// Bytes of slabs that are neither claimed nor holes.
    pub fn bytes(&self) -> usize {
        let used = self.claimed().wrapping_add(self.holes.load(Ordering::Relaxed));
        clamp(self.slabs.load(Ordering::Relaxed).wrapping_sub(used))
    }

    fn claimed(&self) -> usize {
        clamp(self.claimed.load(Ordering::Relaxed))
    }
}

/// A difference that a late report may have made negative.
fn clamp(bytes: usize) -> usize {
    if bytes.cast_signed() < 0 { 0 } else { bytes }
}

impl<S: System> PageHeap<S> {
    /// A slab of `granules` was made.
    pub fn note_slab(&self, granules: usize) {
        self.slack.slabs.fetch_add(granules * GRANULE, Ordering::Relaxed);
    }

    /// A slab of `granules` was given back.
    pub fn note_slab_end(&self, granules: usize) {
        self.slack.slabs.fetch_sub(granules * GRANULE, Ordering::Relaxed);
    }

    /// `bytes` of slabs were purged.
    pub fn note_holes(&self, bytes: usize) {
        self.slack.holes.fetch_add(bytes, Ordering::Relaxed);
        self.purge.note_purged(bytes);
    }

    /// `bytes` of purged slabs may be touched again.
    pub fn note_filled(&self, bytes: usize) {
        self.slack.holes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes of slabs that are purged now.
    pub fn hole_bytes(&self) -> usize {
        self.slack.holes.load(Ordering::Relaxed)
    }

    /// A thread claimed and gave back objects of so many bytes. `true`: holes are worth
    /// looking for now.
    pub fn note_traffic(&self, claimed: usize, given_back: usize) -> bool {
        let slack = &self.slack;
        slack.claimed.fetch_add(claimed.wrapping_sub(given_back), Ordering::Relaxed);
        let freed = slack.freed.fetch_add(given_back, Ordering::Relaxed) + given_back;
        let worth = (slack.claimed() / 8).max(LEAST);
        if freed < worth || slack.bytes() < worth {
            return false;
        }
        // Whoever finds it so first does it.
        slack.freed.swap(0, Ordering::Relaxed) >= worth
    }
}
