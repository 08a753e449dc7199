//! Memories that a heap was given: a list of records, each of which stands in its memory.
//!
//! ```text
//! heap ─► ├ ╌ [ record │ what the heap puts behind it ] ╌ ┤ ─► ├ ╌ [ record │ …
//!       start                                       start + len
//! ```
use core::iter;
use core::ptr::NonNull;

use crate::AddError;

#[repr(C)]
struct Record<K> {
    next: Option<Memory<K>>,
    start: NonNull<u8>,
    len: usize,
    kept: K,
}

/// One memory, by its record; `K` is what the heap keeps there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory<K>(NonNull<Record<K>>);

impl<K: Copy> Memory<K> {
    /// Bytes of a record.
    pub const RECORD: usize = size_of::<Record<K>>();
    /// What a record is aligned to.
    pub const ALIGN: usize = align_of::<Record<K>>();

    #[inline]
    fn record(&self) -> &Record<K> {
        // SAFETY: `Memories::insert` wrote it, and it is the heap's.
        unsafe { self.0.as_ref() }
    }

    /// The one behind it in the list.
    #[inline]
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.record().next
    }

    /// As it was added.
    #[must_use]
    pub fn added(self) -> (NonNull<u8>, usize) {
        (self.record().start, self.record().len)
    }

    /// What the heap keeps of it.
    #[inline]
    #[must_use]
    pub fn kept(self) -> K {
        self.record().kept
    }

    /// What stands behind the record.
    #[inline]
    #[must_use]
    pub fn behind(self) -> NonNull<u8> {
        // SAFETY: the record lies in the memory.
        unsafe { self.0.add(1) }.cast()
    }

    /// An address in the memory, or its end, as a pointer.
    #[inline]
    #[must_use]
    pub fn pointer(self, address: usize) -> NonNull<u8> {
        let start = self.record().start;
        // SAFETY: the address lies in the memory.
        unsafe { start.byte_add(address - start.addr().get()) }
    }
}

/// The memories of a heap.
#[derive(Debug)]
pub struct Memories<K> {
    first: Option<Memory<K>>,
}

impl<K: Copy + PartialEq> Memories<K> {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self { first: None }
    }

    /// The first of the list.
    #[inline]
    #[must_use]
    pub const fn first(&self) -> Option<Memory<K>> {
        self.first
    }

    /// All in the list's order.
    pub fn iter(&self) -> impl Iterator<Item = Memory<K>> + use<K> {
        iter::successors(self.first, |memory| memory.next())
    }

    /// Whether `[start, start + len)` may be added, apart from its being long enough; where it begins and ends. O(memories).
    pub fn admit(&self, start: *mut u8, len: usize) -> Result<(NonNull<u8>, usize), AddError> {
        let memory = NonNull::new(start).ok_or(AddError::Null)?;
        let end = start.addr().checked_add(len).ok_or(AddError::Wraps)?;
        if len > isize::MAX as usize {
            return Err(AddError::TooLarge);
        }
        let overlaps = |(other, other_len): (NonNull<u8>, usize)| {
            start.addr() < other.addr().get() + other_len && other.addr().get() < end
        };
        if self.iter().map(Memory::added).any(overlaps) {
            return Err(AddError::Overlaps);
        }
        Ok((memory, end))
    }

    /// The last that begins below an address, in a list in address order.
    #[must_use]
    pub fn below(&self, start: *mut u8) -> Option<Memory<K>> {
        self.iter().take_while(|memory| memory.added().0.as_ptr() < start).last()
    }

    /// Lists a memory behind `before`, or first, and writes its record, `front` bytes from its start.
    /// # Safety
    /// [`admit`](Self::admit) had nothing against it, an aligned record fits there, and `before` is in the list. The bytes are
    /// the list's until the memory is removed, after which nobody uses what is returned here.
    pub unsafe fn insert(
        &mut self,
        (start, len): (NonNull<u8>, usize),
        front: usize,
        kept: K,
        before: Option<Memory<K>>,
    ) -> Memory<K> {
        // SAFETY: the record lies in the memory.
        let record = unsafe { start.byte_add(front) }.cast::<Record<K>>();
        let next = before.map_or(self.first, Memory::next);
        // SAFETY: aligned, and the caller's bytes.
        unsafe { record.write(Record { next, start, len, kept }) };
        self.set_after(before, Some(Memory(record)));
        Memory(record)
    }

    /// The one that was added at `start`. O(memories).
    #[must_use]
    pub fn find(&self, start: *const u8) -> Option<Memory<K>> {
        self.iter().find(|memory| memory.added().0.as_ptr().cast_const() == start)
    }

    /// Takes one off the list; as it was added. O(memories).
    pub fn remove(&mut self, memory: Memory<K>) -> NonNull<[u8]> {
        let before = self.iter().take_while(|other| *other != memory).last();
        self.set_after(before, memory.next());
        let (start, len) = memory.added();
        NonNull::slice_from_raw_parts(start, len)
    }

    fn set_after(&mut self, before: Option<Memory<K>>, memory: Option<Memory<K>>) {
        match before {
            None => self.first = memory,
            // SAFETY: a record of the list, which nobody else reads now.
            Some(mut before) => unsafe { before.0.as_mut() }.next = memory,
        }
    }

    /// Whether an address lies in one. O(memories).
    #[must_use]
    pub fn own(&self, address: *const u8) -> bool {
        self.iter()
            .map(Memory::added)
            .any(|(start, len)| address.addr().wrapping_sub(start.addr().get()) < len)
    }
}

impl<K: Copy + PartialEq> Default for Memories<K> {
    fn default() -> Self {
        Self::new()
    }
}
