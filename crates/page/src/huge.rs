//! Huge blocks: each a mapping of its own, outside the region.
//!
//! ```text
//! table ░░[ – │ at,len │ – │ at,len │ at,len │ – … ]░░    open addressing, at most half full
//! ░░ guard: a granule that nobody may touch, so that no block's overflow reaches the table
//! ```
//!
//! - **U1** the table holds exactly the live mappings; an entry lies between its home slot and
//!   the next empty slot.
//!
//! Layer *page*. One lock; O(1) plus the system calls. Growing uses the kernel's page tables
//! (`mremap`), never a copy.
use base::bits::align_up;
use base::check::ensure;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use base::{Broken, Check};

use crate::System;
use crate::geometry::{BLOCK, BLOCK_SHIFT, GRANULE};

/// Slots of the first table: a granule, which is whole pages on any machine up to 16 KiB a page.
const FIRST_SLOTS: usize = GRANULE / size_of::<Slot>();

/// `at` is 0 in an empty slot.
#[derive(Debug)]
struct Slot {
    at: AtomicUsize,
    len: AtomicUsize,
}

/// The live mappings.
#[derive(Debug)]
pub struct Huge<S> {
    lock: Lock<S>,
    table: AtomicUsize,
    slots: AtomicUsize,
    count: AtomicUsize,
    bytes: AtomicUsize,
}

impl<S: System> Huge<S> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            lock: Lock::new(),
            table: AtomicUsize::new(0),
            slots: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Bytes of all live mappings.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Maps at least `size` zeroed bytes at a multiple of `align`. `None`: out of memory.
    pub fn allocate(&self, source: &S, size: usize, align: usize, huge: bool) -> Option<usize> {
        let len = round(source, size)?;
        let at = source.map(len, align.max(BLOCK))?;
        let guard = self.lock.lock();
        if !self.make_room(source) {
            drop(guard);
            // SAFETY: mapped above, nobody has seen it.
            unsafe { source.release(at, len) };
            return None;
        }
        self.insert(at, len);
        self.bytes.raise(len);
        drop(guard);
        if huge {
            // SAFETY: mapped above.
            unsafe { source.prefer_huge(at, len, true) };
        }
        Some(at)
    }

    /// The length of the mapping that starts at `at`.
    pub fn len_of(&self, at: usize) -> Option<usize> {
        let _guard = self.lock.lock();
        let slot = self.find(at)?;
        Some(self.slot(slot).len.load(Ordering::Relaxed))
    }

    /// Forgets the mapping that starts at `at`, and says how long it is. `None`: there is none.
    pub fn forget(&self, at: usize) -> Option<usize> {
        let _guard = self.lock.lock();
        let slot = self.find(at)?;
        let len = self.slot(slot).len.load(Ordering::Relaxed);
        self.remove(slot);
        self.bytes.lower(len);
        Some(len)
    }

    /// Unmaps the mapping that starts at `at`. `false`: there is none.
    pub fn deallocate(&self, source: &S, at: usize) -> bool {
        let Some(len) = self.forget(at) else { return false };
        // SAFETY: it was live until now and the caller gives it up.
        if !unsafe { source.release(at, len) } {
            // SAFETY: as above; when it cannot be unmapped it can at least be emptied.
            unsafe { source.purge(at, len) };
        }
        true
    }

    /// Resizes the mapping at `at` to hold `size` bytes, perhaps elsewhere. `None`: no
    /// memory, or no such mapping; it stays as it was.
    pub fn resize(&self, source: &S, at: usize, size: usize) -> Option<usize> {
        let new = round(source, size)?;
        let _guard = self.lock.lock();
        let slot = self.find(at)?;
        let old = self.slot(slot).len.load(Ordering::Relaxed);
        if new == old {
            return Some(at);
        }
        // SAFETY: one whole mapping of ours; the caller owns its contents.
        let moved = unsafe { source.resize(at, old, new, BLOCK) }?;
        self.remove(slot);
        self.insert(moved, new);
        self.bytes.raise(new.wrapping_sub(old));
        Some(moved)
    }

    fn slot(&self, index: usize) -> &Slot {
        debug_assert!(index < self.slots.load(Ordering::Relaxed));
        let at = self.table.load(Ordering::Relaxed) + index * size_of::<Slot>();
        // SAFETY: the table has `slots` slots, all atomics, zero when mapped.
        unsafe { &*core::ptr::with_exposed_provenance::<Slot>(at) }
    }

    fn mask(&self) -> usize {
        self.slots.load(Ordering::Relaxed).wrapping_sub(1)
    }

    fn home(&self, at: usize) -> usize {
        (at >> BLOCK_SHIFT).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & self.mask()
    }

    fn after(&self, index: usize) -> usize {
        (index + 1) & self.mask()
    }

    fn find(&self, at: usize) -> Option<usize> {
        if self.slots.load(Ordering::Relaxed) == 0 || at == 0 {
            return None;
        }
        let mut index = self.home(at);
        loop {
            match self.slot(index).at.load(Ordering::Relaxed) {
                0 => return None,
                here if here == at => return Some(index),
                _ => index = self.after(index),
            }
        }
    }

    fn insert(&self, at: usize, len: usize) {
        let mut index = self.home(at);
        while self.slot(index).at.load(Ordering::Relaxed) != 0 {
            index = self.after(index);
        }
        self.slot(index).at.store(at, Ordering::Relaxed);
        self.slot(index).len.store(len, Ordering::Relaxed);
        self.count.raise(1);
    }

    /// Empties a slot and moves later entries back, so that U1 holds without tombstones.
    fn remove(&self, slot: usize) {
        let mut hole = slot;
        let mut index = self.after(hole);
        loop {
            let at = self.slot(index).at.load(Ordering::Relaxed);
            if at == 0 {
                break;
            }
            let from_home = index.wrapping_sub(self.home(at)) & self.mask();
            if from_home >= index.wrapping_sub(hole) & self.mask() {
                let len = self.slot(index).len.load(Ordering::Relaxed);
                self.slot(hole).at.store(at, Ordering::Relaxed);
                self.slot(hole).len.store(len, Ordering::Relaxed);
                hole = index;
            }
            index = self.after(index);
        }
        self.slot(hole).at.store(0, Ordering::Relaxed);
        self.count.lower(1);
    }

    /// Makes sure that one more entry leaves the table at most half full.
    fn make_room(&self, source: &S) -> bool {
        let slots = self.slots.load(Ordering::Relaxed);
        if self.count.load(Ordering::Relaxed) * 2 < slots {
            return true;
        }
        let old = self.table.load(Ordering::Relaxed);
        let wanted = (slots * 2).max(FIRST_SLOTS);
        let Some(table) = guarded(source, wanted) else { return false };
        self.table.store(table, Ordering::Relaxed);
        self.slots.store(wanted, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
        for index in 0..slots {
            let at = old + index * size_of::<Slot>();
            // SAFETY: the old table is still mapped.
            let entry = unsafe { &*core::ptr::with_exposed_provenance::<Slot>(at) };
            let at = entry.at.load(Ordering::Relaxed);
            if at != 0 {
                self.insert(at, entry.len.load(Ordering::Relaxed));
            }
        }
        if old != 0 {
            let guard = guard(source);
            // SAFETY: the old table, which nobody reads any more.
            unsafe { source.release(old - guard, table_len(source, slots) + 2 * guard) };
        }
        true
    }
}

impl<S: System> Default for Huge<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Bytes of the guards on both sides of a table.
fn guard<S: System>(source: &S) -> usize {
    source.page_size().max(GRANULE)
}

fn table_len<S: System>(source: &S, slots: usize) -> usize {
    align_up(slots * size_of::<Slot>(), source.page_size())
}

/// A table of `slots` empty slots between two guards. `None`: out of memory.
fn guarded<S: System>(source: &S, slots: usize) -> Option<usize> {
    let (len, guard) = (table_len(source, slots), guard(source));
    let start = source.reserve(len + 2 * guard, guard)?;
    // SAFETY: the middle of what was just reserved.
    if unsafe { source.commit(start + guard, len) } {
        return Some(start + guard);
    }
    // SAFETY: reserved above, nobody has seen it.
    unsafe { source.release(start, len + 2 * guard) };
    None
}

/// `size` in whole pages; `None` when there is no such length.
fn round<S: System>(source: &S, size: usize) -> Option<usize> {
    let page = source.page_size();
    Some(size.checked_add(page - 1)? & !(page - 1))
}

impl<S: System> Check for Huge<S> {
    fn check(&self) -> Result<(), Broken> {
        let _guard = self.lock.lock();
        let (mut count, mut bytes) = (0, 0);
        for index in 0..self.slots.load(Ordering::Relaxed) {
            let at = self.slot(index).at.load(Ordering::Relaxed);
            if at != 0 {
                ensure(self.find(at) == Some(index), "U1: an entry is found from its home", at)?;
                count += 1;
                bytes += self.slot(index).len.load(Ordering::Relaxed);
            }
        }
        ensure(count == self.count(), "U1: entries add up", count)?;
        ensure(bytes == self.bytes(), "U1: bytes add up", bytes)
    }
}

#[cfg(test)]
mod tests;
