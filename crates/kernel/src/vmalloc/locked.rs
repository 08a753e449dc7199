//! Vmalloc for threads: one lock around it, the lock's waiting the source's.
use core::fmt;
use core::ptr::NonNull;

use base::guarded::Guarded;
use base::lock::Park;
use base::{Broken, Check, Owns};
use source::FrameSource;

use super::{Caller, Vmalloc, VmallocError, VmallocLimits, VmallocUsage};

/// Areas of whole pages for all threads. Each method is [`Vmalloc`]'s, behind the lock; [`owns`](Owns::owns) takes none.
///
/// ```
/// use heapwright_kernel_allocators::vmalloc::{Caller, LockedVmalloc, VmallocLimits};
/// use source::os::Os;
///
/// let areas = LockedVmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let area = areas.vzalloc(5000, Caller::Name("thread")).unwrap();
///             // SAFETY: this thread's, and nobody uses it any more.
///             unsafe { areas.vfree(area.as_ptr()) }.unwrap();
///         });
///     }
/// });
/// assert_eq!(areas.usage().areas, 0);
/// ```
pub struct LockedVmalloc<S: FrameSource + Park> {
    window: (usize, usize),
    inner: Guarded<S, Vmalloc<S>>,
}

impl<S: FrameSource + Park> LockedVmalloc<S> {
    /// As [`Vmalloc::new`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn new(source: S, limits: VmallocLimits) -> Result<Self, VmallocError> {
        let inner = Vmalloc::new(source, limits)?;
        Ok(Self { window: inner.window(), inner: Guarded::new(inner) })
    }

    /// Runs `work` inside of the lock; it may look, and may not ask this value again.
    ///
    /// ```compile_fail,E0594
    /// use heapwright_kernel_allocators::vmalloc::{LockedVmalloc, Vmalloc, VmallocLimits};
    /// use source::os::Os;
    ///
    /// let areas = LockedVmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
    /// // What others have in use would be unmapped.
    /// areas.with(|inner| *inner = Vmalloc::new(Os, VmallocLimits::of(&Os)).unwrap());
    /// ```
    pub fn with<R>(&self, work: impl FnOnce(&Vmalloc<S>) -> R) -> R {
        work(&self.inner.lock())
    }

    /// As [`with`](Self::with), to change it. Not for others: who put another value in its place would unmap what is in use.
    fn change<R>(&self, work: impl FnOnce(&mut Vmalloc<S>) -> R) -> R {
        work(&mut self.inner.lock())
    }

    /// As [`Vmalloc::vmalloc`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn vmalloc(&self, size: usize, caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        self.change(|areas| areas.vmalloc(size, caller))
    }

    /// As [`Vmalloc::vmalloc_aligned`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn vmalloc_aligned(
        &self,
        size: usize,
        align: usize,
        caller: Caller,
    ) -> Result<NonNull<u8>, VmallocError> {
        self.change(|areas| areas.vmalloc_aligned(size, align, caller))
    }

    /// As [`Vmalloc::vzalloc`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn vzalloc(&self, size: usize, caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        self.change(|areas| areas.vzalloc(size, caller))
    }

    /// As [`Vmalloc::vfree`].
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn vfree(&self, address: *const u8) -> Result<(), VmallocError> {
        // SAFETY: the caller's promise.
        self.change(|areas| unsafe { areas.vfree(address) })
    }

    /// As [`Vmalloc::vrealloc`].
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn vrealloc(
        &self,
        address: *mut u8,
        size: usize,
    ) -> Result<NonNull<u8>, VmallocError> {
        // SAFETY: the caller's promise.
        self.change(|areas| unsafe { areas.vrealloc(address, size) })
    }

    /// As [`Vmalloc::alloc_frames`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn alloc_frames(&self, frames: &mut [u32]) -> Result<(), VmallocError> {
        self.change(|areas| areas.alloc_frames(frames))
    }

    /// As [`Vmalloc::free_frames`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn free_frames(&self, frames: &[u32]) -> Result<(), VmallocError> {
        self.change(|areas| areas.free_frames(frames))
    }

    /// As [`Vmalloc::vmap`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn vmap(&self, frames: &[u32], caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        self.change(|areas| areas.vmap(frames, caller))
    }

    /// As [`Vmalloc::vunmap`].
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn vunmap(&self, address: *const u8) -> Result<(), VmallocError> {
        // SAFETY: the caller's promise.
        self.change(|areas| unsafe { areas.vunmap(address) })
    }

    /// As [`Vmalloc::vmalloc_to_frame`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn vmalloc_to_frame(&self, address: *const u8) -> Result<u32, VmallocError> {
        self.with(|areas| areas.vmalloc_to_frame(address))
    }

    /// As [`Vmalloc::size_of`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn size_of(&self, address: *const u8) -> Result<usize, VmallocError> {
        self.with(|areas| areas.size_of(address))
    }

    /// As [`Vmalloc::note_fork`]. The lock is to be free: who forks while other threads are inside has a child that never
    /// gets it.
    pub fn note_fork(&self, in_child: bool) {
        self.change(|areas| areas.note_fork(in_child));
    }

    /// As [`Vmalloc::purge`].
    pub fn purge(&self) -> usize {
        self.change(Vmalloc::purge)
    }

    /// As [`Vmalloc::usage`].
    pub fn usage(&self) -> VmallocUsage {
        self.with(|areas| areas.usage())
    }

    /// As [`Vmalloc::write_info`]; the lock is held while `out` writes.
    ///
    /// # Errors
    ///
    /// `out`'s.
    pub fn write_info(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.with(|areas| areas.write_info(out))
    }
}

impl<S: FrameSource + Park> Owns for LockedVmalloc<S> {
    /// O(1), without the lock.
    fn owns(&self, address: *const u8) -> bool {
        address.addr().wrapping_sub(self.window.0) < self.window.1
    }
}

impl<S: FrameSource + Park> Check for LockedVmalloc<S> {
    fn check(&self) -> Result<(), Broken> {
        self.with(|areas| areas.check())
    }
}

impl<S: FrameSource + Park> fmt::Debug for LockedVmalloc<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockedVmalloc").field("usage", &self.usage()).finish_non_exhaustive()
    }
}
