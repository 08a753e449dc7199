//! Huge blocks: each a mapping of its own, outside the region.
//!
//! ```text
//! table ░░[ – │ at,len │ – │ at,len │ at,len │ – … ]░░    open addressing, at most half full
//! ░░ guard: a granule that nobody may touch, so that no block's overflow reaches the table
//! ```
//!
//! - **huge-U1** the table holds exactly the live mappings; an entry lies between its home slot and
//!   the next empty slot.
//!
//! Layer *page*. One lock; O(1) plus the system calls. Growing uses the kernel's page tables
//! (`mremap`), never a copy.
use base::bits::align_up;
use base::check::ensure;
use base::guarded::Guarded;
use base::live::{self, At};
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use base::{Broken, Check};

use crate::System;
use crate::geometry::{BLOCK, BLOCK_SHIFT, GRANULE};

/// Slots of the first table: a granule, which is whole pages on any machine up to 16 KiB a page.
const FIRST_SLOTS: usize = GRANULE / size_of::<Slot>();

/// `at` is 0 in an empty slot.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Slot {
    at: usize,
    len: usize,
}

/// The live mappings.
#[derive(Debug)]
pub struct Huge<S> {
    table: Guarded<S, Table>,
    /// What the table adds up to: changed under the lock, read without.
    count: AtomicUsize,
    bytes: AtomicUsize,
}

#[derive(Debug)]
#[repr(C)]
struct Table {
    at: usize,
    slots: usize,
    count: usize,
}

impl<S: System> Huge<S> {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            table: Guarded::new(Table { at: 0, slots: 0, count: 0 }),
            count: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Where its counters and its table are, for who reads the process from outside.
    pub const fn show(&'static self, table: live::Table) -> live::Table {
        table
            .at(At::HugeBytes, &self.bytes)
            .at(At::HugeCount, &self.count)
            .at(At::Huge, self.table.place())
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        self.table.bare()
    }

    /// Bytes of all live mappings.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Visits the live mappings: where each begins, and its length. O(table).
    pub fn each(&self, mut visit: impl FnMut(usize, usize)) {
        for entry in self.table.lock().slots().iter().filter(|entry| entry.at != 0) {
            visit(entry.at, entry.len);
        }
    }

    /// Maps at least `size` zeroed bytes at a multiple of `align`. `None`: out of memory.
    pub fn allocate(&self, source: &S, size: usize, align: usize) -> Option<usize> {
        let len = round(source, size)?;
        let at = source.map(len, align.max(BLOCK))?;
        if !self.enter(source, at, len) {
            // SAFETY: mapped above, nobody has seen it.
            unsafe { source.release(at, len) };
            return None;
        }
        Some(at)
    }

    /// A mapping of `len` bytes at `at` is one of these from now on. `false`: there is no memory to know it by.
    pub fn enter(&self, source: &S, at: usize, len: usize) -> bool {
        let mut table = self.table.lock();
        let has_room = table.make_room(source);
        if has_room {
            table.insert(at, len);
            self.count.raise(1);
            self.bytes.raise(len);
        }
        has_room
    }

    /// The length of the mapping that starts at `at`.
    pub fn len_of(&self, at: usize) -> Option<usize> {
        let mut table = self.table.lock();
        table.len_of(at)
    }

    /// As [`len_of`](Self::len_of), without waiting: `None` if a thread holds the lock, perhaps the one that a signal
    /// interrupted.
    pub fn try_len_of(&self, at: usize) -> Option<Option<usize>> {
        let mut table = self.table.try_lock()?;
        Some(table.len_of(at))
    }

    /// Forgets the mapping that starts at `at`, and says how long it is. `None`: there is none.
    pub fn forget(&self, at: usize) -> Option<usize> {
        let mut table = self.table.lock();
        let slot = table.find(at)?;
        let len = table.slots()[slot].len;
        table.remove(slot);
        self.count.lower(1);
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
        let mut table = self.table.lock();
        let slot = table.find(at)?;
        let old = table.slots()[slot].len;
        if new <= old {
            drop(table);
            return (new == old || self.shrink(source, at, old, new)).then_some(at);
        }
        // SAFETY: one whole mapping of ours; the caller owns its contents.
        let moved = unsafe { source.resize(at, old, new, BLOCK) }?;
        table.remove(slot);
        table.insert(moved, new);
        self.bytes.raise(new - old);
        Some(moved)
    }

    /// Unmaps the end of the mapping at `at`, outside the lock: to free a GiB takes 0.1 s. `false`: refused, and it
    /// stays as it was.
    fn shrink(&self, source: &S, at: usize, old: usize, new: usize) -> bool {
        self.set_len(at, new);
        // SAFETY: the end of a live mapping, of which the caller gives the contents up.
        let is_done = unsafe { source.release(at + new, old - new) };
        if !is_done {
            self.set_len(at, old);
        }
        is_done
    }

    /// The mapping at `at`, which is the caller's, is `len` bytes long.
    fn set_len(&self, at: usize, len: usize) {
        let mut table = self.table.lock();
        if let Some(slot) = table.find(at) {
            let old = core::mem::replace(&mut table.slots()[slot].len, len);
            self.bytes.raise(len.wrapping_sub(old));
        }
    }
}

impl Table {
    fn slots(&mut self) -> &mut [Slot] {
        if self.slots == 0 {
            return &mut [];
        }
        let first = core::ptr::with_exposed_provenance_mut(self.at);
        // SAFETY: the table has `slots` slots, zero when mapped, which only this struct reaches.
        unsafe { core::slice::from_raw_parts_mut(first, self.slots) }
    }

    fn mask(&self) -> usize {
        self.slots.wrapping_sub(1)
    }

    fn home(&self, at: usize) -> usize {
        (at >> BLOCK_SHIFT).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & self.mask()
    }

    fn after(&self, index: usize) -> usize {
        (index + 1) & self.mask()
    }

    fn find(&mut self, at: usize) -> Option<usize> {
        if self.slots == 0 || at == 0 {
            return None;
        }
        let mut index = self.home(at);
        loop {
            match self.slots()[index].at {
                0 => return None,
                here if here == at => return Some(index),
                _ => index = self.after(index),
            }
        }
    }

    fn len_of(&mut self, at: usize) -> Option<usize> {
        let slot = self.find(at)?;
        Some(self.slots()[slot].len)
    }

    fn insert(&mut self, at: usize, len: usize) {
        let mut index = self.home(at);
        while self.slots()[index].at != 0 {
            index = self.after(index);
        }
        self.slots()[index] = Slot { at, len };
        self.count += 1;
    }

    /// Empties a slot and moves later entries back, so that huge-U1 holds without tombstones.
    fn remove(&mut self, slot: usize) {
        let mut hole = slot;
        let mut index = self.after(hole);
        loop {
            let entry = self.slots()[index];
            if entry.at == 0 {
                break;
            }
            let from_home = index.wrapping_sub(self.home(entry.at)) & self.mask();
            if from_home >= index.wrapping_sub(hole) & self.mask() {
                self.slots()[hole] = entry;
                hole = index;
            }
            index = self.after(index);
        }
        self.slots()[hole].at = 0;
        self.count -= 1;
    }

    /// Makes sure that one more entry leaves the table at most half full.
    fn make_room<S: System>(&mut self, source: &S) -> bool {
        if self.count * 2 < self.slots {
            return true;
        }
        let wanted = (self.slots * 2).max(FIRST_SLOTS);
        let Some(at) = guarded(source, table_len(source, wanted)) else { return false };
        let mut larger = Self { at, slots: wanted, count: 0 };
        for entry in self.slots().iter().filter(|entry| entry.at != 0) {
            larger.insert(entry.at, entry.len);
        }
        if self.at != 0 {
            let guard = guard(source);
            // SAFETY: the old table, which nobody reads any more.
            unsafe { source.release(self.at - guard, table_len(source, self.slots) + 2 * guard) };
        }
        *self = larger;
        true
    }
}

/// Bytes of the guards on both sides of a table.
pub(crate) fn guard<S: System>(source: &S) -> usize {
    source.page_size().max(GRANULE)
}

fn table_len<S: System>(source: &S, slots: usize) -> usize {
    align_up(slots * size_of::<Slot>(), source.page_size())
}

/// `len` zeroed bytes, whole pages, between two guards. `None`: out of memory.
pub(crate) fn guarded<S: System>(source: &S, len: usize) -> Option<usize> {
    let guard = guard(source);
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
        let mut table = self.table.lock();
        let (mut count, mut bytes) = (0, 0);
        for index in 0..table.slots {
            let Slot { at, len } = table.slots()[index];
            if at != 0 {
                ensure(
                    table.find(at) == Some(index),
                    "huge-U1: an entry is found from its home",
                    at,
                )?;
                count += 1;
                bytes += len;
            }
        }
        let known = (table.count, self.count());
        ensure(known == (count, count), "huge-U1: entries add up", count)?;
        ensure(bytes == self.bytes(), "huge-U1: bytes add up", bytes)
    }
}

#[cfg(test)]
mod tests;
