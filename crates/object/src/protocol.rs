//! The lock-free part of a slab's life, on bare atomics so that models can run it.
//!
//! ```text
//!             claim (under the shelf's lock)                  last object claimed
//!   word 1111 ───────────────► word 0011      slab LISTED ──────────────────────► UNLISTED
//!        ▲                        │                ▲                                  │
//!        └──── give_back ─────────┘                └── a give_back that finds 0 ──────┘
//! ```
//!
//! - **protocol-P1** a bit is cleared only under the shelf's lock, so a bit seen there stays set.
//! - **protocol-P2** a thread that turns a word from 0 and then reads UNLISTED lists the slab again; one that
//!   writes UNLISTED reads the words again afterwards. Between each write and read stands a
//!   full barrier, so at least one of the two sees the other, and no free object is lost.
//! - **protocol-P3** a tag is one word, so state, class and owner are read together.
//!
//! Modelled in `model/`; why a release store is not enough for protocol-P2 is one of the models.
use base::bits::{low64, lowest_ones, whole_groups};
use base::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// The descriptor is not in use.
pub const RETIRED: u32 = 0;
/// The slab is on its shelf's partial list.
pub const LISTED: u32 = 1;
/// The slab is on its shelf's full list.
pub const UNLISTED: u32 = 2;
/// Not a slab: one large block of a first-class heap.
pub const LARGE: u32 = 3;

const STATE_MASK: u32 = 3;

/// State, class and owner of a slab in one word (protocol-P3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag(pub u32);

impl Tag {
    /// `state`, a `class` below 128 and an `owner` below 2^20.
    pub const fn new(state: u32, class: usize, owner: u32) -> Self {
        Self(state | base::bits::low32(class) << 2 | owner << 12)
    }

    /// RETIRED, LISTED, UNLISTED or LARGE.
    pub const fn state(self) -> u32 {
        self.0 & STATE_MASK
    }

    /// The size class.
    pub const fn class(self) -> usize {
        (self.0 >> 2 & 0x3ff) as usize
    }

    /// The shelf's owner: a shard or a heap.
    pub const fn owner(self) -> u32 {
        self.0 >> 12
    }

    /// The same slab in another state.
    pub const fn with_state(self, state: u32) -> Self {
        Self(self.0 & !STATE_MASK | state)
    }
}

/// Takes up to `want` free objects of a word, lowest first. Under the shelf's lock (protocol-P1).
#[inline]
pub fn claim(word: &AtomicU64, want: u32) -> u64 {
    let seen = word.load(Ordering::Relaxed);
    if seen == 0 {
        return 0;
    }
    let mask = lowest_ones(seen, want);
    word.fetch_and(!mask, Ordering::Acquire);
    mask
}

/// As [`claim`], of objects that fill cache lines: `mates` of them, a power of two, begin and end
/// where lines do.
pub fn claim_lines(word: &AtomicU64, want: u32, mates: u32) -> u64 {
    let seen = word.load(Ordering::Relaxed);
    if seen == 0 {
        return 0;
    }
    let mask = lowest_ones(low64(whole_groups(seen.into(), mates)), want);
    if mask != 0 {
        word.fetch_and(!mask, Ordering::Acquire);
    }
    mask
}

/// Makes the objects of `mask` free and returns the word as it was. From any thread.
#[inline]
pub fn give_back(word: &AtomicU64, mask: u64) -> u64 {
    let old = word.fetch_or(mask, Ordering::AcqRel);
    barrier_after_rmw();
    old
}

/// Marks a slab, all of whose words were seen to be 0, as full. `false`: an object came back
/// meanwhile, and the slab stays listed. Under the shelf's lock (protocol-P2).
pub fn unlist<'a>(tag: &AtomicU32, mut words: impl Iterator<Item = &'a AtomicU64>) -> bool {
    let listed = Tag(tag.load(Ordering::Relaxed));
    // A swap, as on x86-64 it is the barrier too. Acquire and release both: with one of them a
    // compiler might make a store of it, as its answer is not used, and the barrier be gone (protocol-P2).
    tag.swap(listed.with_state(UNLISTED).0, Ordering::AcqRel);
    barrier_after_rmw();
    if words.any(|word| word.load(Ordering::Relaxed) != 0) {
        tag.store(listed.0, Ordering::Relaxed);
        return false;
    }
    true
}

/// After [`give_back`] found 0: the tag, if the slab has to be listed again.
#[inline]
pub fn needs_listing(tag: &AtomicU32) -> Option<Tag> {
    let seen = Tag(tag.load(Ordering::Acquire));
    (seen.state() == UNLISTED).then_some(seen)
}

/// A full barrier behind a read-modify-write, which is one already on x86-64.
#[inline]
fn barrier_after_rmw() {
    if cfg!(all(target_arch = "x86_64", not(loom))) {
        core::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        fence(Ordering::SeqCst);
    }
}
