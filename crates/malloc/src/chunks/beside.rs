//! Blocks that no chunk holds: mappings, of which a few that were freed wait for the next of their length.
//!
//! ```text
//! huge   the live ones, by address
//! kept   [ at, len, since │ … ]   16 at most, 4 MiB each, 20 MiB together and less near a memory limit; a second, or until the next call
//! ```
//!
//! A program whose vectors grow past 1 MiB and go would fault each in anew, 512 pages.
//!
//! - **beside-N1** a kept mapping is in no map, and nobody's; its contents are whatever the last block had.
//!
//! Two locks, one after the other; O(kept), and system calls outside of both.
use base::Check as _;
use base::guarded::Guarded;
use base::lock::{Busy, Lock};
use base::sync::{AtomicBool, AtomicUsize, OneWriter as _, Ordering};
use page::{Huge, System};
use policy::clock::is_due;

use super::{Chunk, Chunks, Owned};

/// A mapping that shrinks stays one down to this.
pub(crate) const MIN_MAPPING: usize = 1 << 20;
/// Bytes that are kept together at most: with 12 MiB vectors that double up to 2 MiB had 79,000 page faults, with 16 34,000, now 17,000.
const TOGETHER: usize = 20 << 20;
/// The longest that is kept.
const MOST_KEPT: usize = 4 << 20;
/// One that is kept serves a block that is this share of it shorter at most.
const WASTE_SHARE: usize = 5;

/// Zeroes: none.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    at: usize,
    len: usize,
    since: u32,
}

#[derive(Debug)]
pub(super) struct Beside<S> {
    pub(super) huge: Huge<S>,
    kept: Guarded<S, [Kept; 16]>,
    kept_bytes: AtomicUsize,
    /// Whether none is kept any more.
    keeps_none: AtomicBool,
}

impl<S: System> Beside<S> {
    pub(super) const fn new() -> Self {
        Self {
            huge: Huge::new(),
            kept: Guarded::new([Kept { at: 0, len: 0, since: 0 }; 16]),
            kept_bytes: AtomicUsize::new(0),
            keeps_none: AtomicBool::new(false),
        }
    }

    pub(super) fn kept_bytes(&self) -> usize {
        self.kept_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn locks(&self) -> [&Lock<S>; 2] {
        [self.huge.lock_for_fork(), self.kept.bare()]
    }

    /// Takes the shortest kept mapping that is `wanted` out.
    fn take(&self, wanted: impl Fn(&Kept) -> bool) -> Option<Kept> {
        let mut kept = self.kept.lock();
        let fits = kept.iter_mut().filter(|kept| kept.len > 0 && wanted(kept));
        let taken = core::mem::take(fits.min_by_key(|kept| kept.len)?);
        self.kept_bytes.lower(taken.len);
        Some(taken)
    }

    /// Keeps a mapping. `false`: there is no place, or none is kept any more.
    fn put(&self, new: Kept) -> bool {
        let mut kept = self.kept.lock();
        if self.keeps_none.load(Ordering::Relaxed) {
            return false;
        }
        let place = kept.iter_mut().find(|kept| kept.len == 0);
        let is_placed = place.map(|place| *place = new).is_some();
        self.kept_bytes.raise(if is_placed { new.len } else { 0 });
        is_placed
    }
}

impl<S: System, C: Chunk, const SHIFT: u32> Chunks<S, C, SHIFT> {
    pub(crate) fn huge(&self) -> &Huge<S> {
        &self.beside.huge
    }

    /// Whether the live mappings are whole.
    pub(crate) fn check_mappings(&self) -> Result<(), base::Broken> {
        self.huge().check()
    }

    /// A mapping of at least `size` bytes, and whether it is zero. `of` is the calling thread's, which gives up what is free with
    /// `make_room` where addresses are limited (`ulimit -v`). `None`: out of memory.
    pub(crate) fn map_block(
        &self,
        of: Option<&Owned<C>>,
        (size, align): (usize, usize),
        make_room: impl FnOnce(),
    ) -> Option<(usize, bool)> {
        let _busy = Busy::<S>::new();
        let most = size.saturating_add(size / (WASTE_SHARE - 1));
        let fits = |kept: &Kept| kept.at.is_multiple_of(align) && (size..=most).contains(&kept.len);
        if let Some(kept) = self.beside.take(fits) {
            if self.huge().enter(&self.source, kept.at, kept.len) {
                return Some((kept.at, false));
            }
            self.release(kept);
        }
        self.make_way(of, size);
        let map = || self.huge().allocate(&self.source, size.max(1), align);
        let at = map().or_else(|| {
            make_room();
            self.trim();
            map()
        });
        Some((at?, true))
    }

    /// Frees the mapping that begins at `at`. `false`: there is none.
    pub(crate) fn unmap_block(&self, at: usize) -> bool {
        let Some(len) = self.huge().forget(at) else { return false };
        let _busy = Busy::<S>::new();
        let since = self.tick();
        self.release_old(since);
        let new = Kept { at, len, since };
        let room = self.room_for_free(0).saturating_sub(self.pooled_bytes());
        let fits = len <= MOST_KEPT.min(room) && self.beside.kept_bytes() + len <= TOGETHER;
        if !(fits && self.beside.put(new)) {
            self.release(new);
        }
        true
    }

    /// The mapping at `at`, of `held` bytes, has `size` from now on, perhaps elsewhere. `None`: out of memory, and it stays.
    pub(crate) fn resize_block(
        &self,
        of: Option<&Owned<C>>,
        at: usize,
        (held, size): (usize, usize),
        make_room: impl FnOnce(),
    ) -> Option<usize> {
        let _busy = Busy::<S>::new();
        if size > held {
            self.make_way(of, size - held);
        }
        let resize = || self.huge().resize(&self.source, at, size);
        resize().or_else(|| {
            make_room();
            resize()
        })
    }

    /// A filter of system calls comes, behind which `munmap` may end a program that no longer frees such blocks: what is to be
    /// read is read now, and nothing waits to be unmapped. In a signal handler that interrupted this thread while it held the lock, what waits
    /// stays.
    pub(crate) fn before_confinement(&self) {
        self.beside.keeps_none.store(true, Ordering::Relaxed);
        if !self.beside.kept.bare().is_interrupted() {
            // One that another thread is keeping is in its place after this, and later ones are refused.
            drop(self.beside.kept.lock());
            self.release_kept();
        }
        self.look_at_memory_limit();
    }

    /// Unmaps what has waited for a second.
    pub(super) fn release_old(&self, now: u32) {
        self.release_each(|kept| is_due(kept.since, now));
    }

    /// Unmaps all that is kept; the bytes.
    pub(super) fn release_kept(&self) -> usize {
        self.release_each(|_| true)
    }

    fn release_each(&self, wanted: impl Fn(&Kept) -> bool) -> usize {
        let mut gone = 0;
        while self.beside.kept_bytes() > 0
            && let Some(kept) = self.beside.take(&wanted)
        {
            self.release(kept);
            gone += kept.len;
        }
        gone
    }

    fn release(&self, Kept { at, len, .. }: Kept) {
        // SAFETY: on no list, and its block was freed.
        if !unsafe { self.source.release(at, len) } {
            // SAFETY: as above; what cannot be unmapped can at least be emptied.
            unsafe { self.source.purge(at, len) };
        }
    }
}
