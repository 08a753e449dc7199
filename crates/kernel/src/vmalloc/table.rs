//! A table in reserved addresses: its entries become usable as they are needed, and are zero at first.
//!
//! - **vmalloc-table-T1** the bytes below `ready` are usable.
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use base::bits::align_up;
use source::PageSource;

/// Can be an entry: plain data.
/// # Safety
/// All bytes zero are a value.
pub(super) unsafe trait Plain: Copy {}

// SAFETY: 0 is one.
unsafe impl Plain for u8 {}

#[derive(Debug)]
pub(super) struct Table<T> {
    at: usize,
    most: usize,
    ready: usize,
    entries: PhantomData<T>,
}

impl<T: Plain> Table<T> {
    pub(super) fn bytes(most: usize, page: usize) -> Option<usize> {
        most.checked_mul(size_of::<T>())?.checked_next_multiple_of(page)
    }

    /// None of it usable.
    /// # Safety
    /// At `at`, where a page begins, are [`bytes`](Self::bytes) of reserved addresses that are this value's alone.
    pub(super) const unsafe fn new(at: usize, most: usize) -> Self {
        Self { at, most, ready: 0, entries: PhantomData }
    }

    /// Makes the entries below `end` usable. Whether the source did.
    pub(super) fn reach(&mut self, source: &impl PageSource, end: usize) -> bool {
        debug_assert!(end <= self.most);
        let ready = align_up(end * size_of::<T>(), source.page_size());
        if ready <= self.ready {
            return true;
        }
        // SAFETY: reserved addresses of the table, not usable yet (vmalloc-table-T1).
        if !unsafe { source.commit(self.at + self.ready, ready - self.ready) } {
            return false;
        }
        self.ready = ready;
        true
    }

    fn entry(&self, index: usize) -> NonNull<T> {
        assert!(
            (index + 1) * size_of::<T>() <= self.ready,
            "vmalloc-table-T1: an entry that is not usable"
        );
        let at = ptr::with_exposed_provenance_mut::<T>(self.at + index * size_of::<T>());
        // SAFETY: addresses that were reserved do not begin at 0.
        unsafe { NonNull::new_unchecked(at) }
    }

    /// An entry that is usable.
    pub(super) fn get(&self, index: usize) -> T {
        // SAFETY: usable (vmalloc-table-T1), and zeros are a value.
        unsafe { self.entry(index).read() }
    }

    pub(super) fn set(&mut self, index: usize, value: T) {
        // SAFETY: usable (vmalloc-table-T1), and the table's alone.
        unsafe { self.entry(index).write(value) };
    }

    /// An entry that is usable.
    pub(super) fn entry_mut(&mut self, index: usize) -> &mut T {
        let mut entry = self.entry(index);
        // SAFETY: usable (vmalloc-table-T1), zeros are a value, and the table is borrowed.
        unsafe { entry.as_mut() }
    }
}
