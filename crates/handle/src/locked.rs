//! `Locked`: a heap of handles for any thread, and objects that stay where they are while somebody reads them.
//!
//! ```text
//! thread 1   pin ─► Pinned ────── reads, without the lock ──────► drop
//! thread 2        store · free · compact · store …               free: Pinned, until then
//!
//! lock       ▁▁█▁▁█▁▁▁█▁▁▁▁███▁▁▁█▁▁▁                            each call: enter, one operation, leave
//! ```
//!
//! - **locked-L1** each [`Pinned`] has one pin, so its bytes are neither moved, written nor freed before it is dropped; and the heap
//!   stays, as nobody is given it as `&mut`.
//!
//! Layer *handle*. One lock for the heap: what is long, decompressing say, is done on [`Pinned`] bytes, outside. What
//! one call does inside is O(1) but for the bytes copied; compacting has [`compact_by_class`](Locked::compact_by_class),
//! which lets others in between.
use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;

use base::guarded::{Guarded, Inside};
use base::lock::Park;
use base::{
    Broken, Check, Compact, HandleAllocator, HandleError, HandleUsage, Map, PageAllocator, Pin,
};

use crate::ZsMalloc;
use crate::zsmalloc::{Classes, Form};

/// `A`, in which a lock lets one thread at a time; `K` says how a thread waits.
///
/// ```
/// use base::{AddMemory, HandleError};
/// use heapwright_handle::{Locked, ZsMalloc};
/// use kernel::bitmap::BitmapPages;
/// use source::os::Os;
///
/// let mut memory = vec![0u8; 256 << 10];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let heap = Locked::<Os, _>::new(ZsMalloc::new(pages, Default::default()));
/// let handle = heap.store(b"read by many").unwrap();
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let bytes = heap.pin(handle).unwrap();
///         assert_eq!(*bytes, *b"read by many");
///         // As long as `bytes` is there, the object stays.
///         assert_eq!(heap.free(handle), Err(HandleError::Pinned));
///     });
///     scope.spawn(|| heap.compact());
/// });
/// heap.free(handle).unwrap();
/// ```
#[derive(Debug)]
pub struct Locked<K, A>(Guarded<K, A>);

impl<K: Park, A> Locked<K, A> {
    /// Around `heap`, nobody inside.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new(heap: A) -> Self {
        Self(Guarded::new(heap))
    }

    /// Around `heap`, nobody inside.
    #[cfg(loom)]
    #[must_use]
    pub fn new(heap: A) -> Self {
        Self(Guarded::new(heap))
    }

    /// Runs `work` on the heap, inside: for statistics. Neither there nor in another call's `work` may the same thread
    /// come back here or drop a [`Pinned`]: it would wait for itself.
    pub fn look<R>(&self, work: impl FnOnce(&A) -> R) -> R {
        work(&self.lock())
    }

    /// Not for others: who has the heap as `&mut` could put another in its place, and what is pinned would be gone.
    fn lock(&self) -> Inside<'_, K, A> {
        self.0.lock()
    }
}

/// What a heap does, each time alone. Errors are the heap's.
impl<K: Park, A: HandleAllocator> Locked<K, A> {
    /// An object of `len` bytes, all of them 0.
    /// Errors: as [`HandleAllocator::allocate`].
    pub fn allocate(&self, len: usize) -> Result<A::Handle, HandleError> {
        self.lock().allocate(len)
    }

    /// An object with a copy of `bytes`.
    /// Errors: as [`HandleAllocator::store`].
    pub fn store(&self, bytes: &[u8]) -> Result<A::Handle, HandleError> {
        self.lock().store(bytes)
    }

    /// Gives an object back.
    /// Errors: as [`HandleAllocator::free`].
    pub fn free(&self, handle: A::Handle) -> Result<(), HandleError> {
        self.lock().free(handle)
    }

    /// How many bytes the object was made with.
    /// Errors: as [`HandleAllocator::len_of`].
    pub fn len_of(&self, handle: A::Handle) -> Result<usize, HandleError> {
        self.lock().len_of(handle)
    }

    /// Runs `work` on the object's bytes, inside; `room` is only used where they do not lie in one piece.
    /// Errors: as [`HandleAllocator::read`].
    pub fn read<R>(
        &self,
        handle: A::Handle,
        room: &mut [u8],
        work: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, HandleError> {
        Ok(work(self.lock().read(handle, room)?))
    }

    /// Copies `bytes` into the object, `offset` bytes from its start.
    /// Errors: as [`HandleAllocator::write`].
    pub fn write(&self, handle: A::Handle, offset: usize, bytes: &[u8]) -> Result<(), HandleError> {
        self.lock().write(handle, offset, bytes)
    }

    /// What there is in it now.
    pub fn usage(&self) -> HandleUsage {
        self.lock().usage()
    }
}

impl<K: Park, A: Pin> Locked<K, A> {
    /// The object's bytes, to be read without the lock. It stays where it is and as it is until what is returned is
    /// dropped; others are allocated, freed and moved meanwhile.
    /// Errors: as [`Pin::pin`].
    pub fn pin(&self, handle: A::Handle) -> Result<Pinned<'_, K, A>, HandleError> {
        let bytes = self.lock().pin(handle)?;
        Ok(Pinned { heap: self, handle, bytes })
    }
}

impl<K: Park, A: Map> Locked<K, A> {
    /// Runs `work` on the object's bytes, inside.
    /// Errors: as [`Map::bytes_mut`].
    pub fn change<R>(
        &self,
        handle: A::Handle,
        work: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<R, HandleError> {
        Ok(work(self.lock().bytes_mut(handle)?))
    }
}

impl<K: Park, A: Compact> Locked<K, A> {
    /// Bytes of pages that compacting would give back.
    pub fn freeable(&self) -> usize {
        self.lock().freeable()
    }

    /// Moves objects, all in one go; the bytes of pages that went back.
    pub fn compact(&self) -> usize {
        self.lock().compact()
    }
}

impl<K: Park, P: PageAllocator, F: Form> Locked<K, ZsMalloc<P, F>> {
    /// As [`compact`](Self::compact), but enters for each class, and leaves after it.
    pub fn compact_by_class(&self) -> usize {
        (0..Classes::COUNT).rev().map(|class| self.lock().compact_class(class)).sum()
    }
}

impl<K: Park, A: Check> Check for Locked<K, A> {
    fn check(&self) -> Result<(), Broken> {
        self.lock().check()
    }
}

/// An object's bytes, which stay where they are as long as this is kept.
#[must_use = "the object is pinned as long as this is kept"]
pub struct Pinned<'a, K: Park, A: Pin> {
    heap: &'a Locked<K, A>,
    handle: A::Handle,
    bytes: NonNull<[u8]>,
}

// SAFETY: others may read the bytes too, and the pin is taken off under the lock.
unsafe impl<K: Park, A: Pin + Send> Send for Pinned<'_, K, A> where A::Handle: Send {}
// SAFETY: it only reads.
unsafe impl<K: Park, A: Pin + Send> Sync for Pinned<'_, K, A> where A::Handle: Sync {}

impl<K: Park, A: Pin> Pinned<'_, K, A> {
    /// Whose bytes these are.
    #[must_use]
    pub const fn handle(&self) -> A::Handle {
        self.handle
    }
}

impl<K: Park, A: Pin> Deref for Pinned<'_, K, A> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: by locked-L1 they are where they were, and nobody writes them.
        unsafe { self.bytes.as_ref() }
    }
}

impl<K: Park, A: Pin> Drop for Pinned<'_, K, A> {
    fn drop(&mut self) {
        // SAFETY: pinned when this was made (locked-L1).
        unsafe { self.heap.lock().unpin(self.handle) };
    }
}

impl<K: Park, A: Pin> fmt::Debug for Pinned<'_, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pinned")
            .field("handle", &self.handle)
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
