//! What is around a call in a kernel, and not in a library with one owner: locks, and zsmalloc's handle out of a cache.
//!
//! ```text
//!            malloc                          free                                            a pair
//! xvmalloc   the pool's lock                 the pool's lock                                 2 locks
//! zsmalloc   the class's lock                the handle's, the zspage's, the class's         4 locks
//!            a handle of 8 bytes allocated   and freed                                       a pair of kmem_cache
//! ```
//!
//! These are Linux 5.4's; a lock is an atomic exchange and a store. Ours needs neither: it is handed out by `&mut`, and its handle is a
//! number.

use core::hint::spin_loop;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use kernel::kmem_cache::{KmemCache, Policy, Settings};

use super::Pages;

const HANDLE: usize = 8;

/// An object's handle, where it has one.
pub(super) type Handle = Option<NonNull<u8>>;

/// What is around the calls of one allocator.
#[derive(Debug)]
pub(super) struct Calls {
    lock: AtomicBool,
    /// Locks that an allocation takes, and a free.
    locks: (u32, u32),
    handles: Option<KmemCache<Pages>>,
}

impl Calls {
    pub(super) const fn none() -> Self {
        Self { lock: AtomicBool::new(false), locks: (0, 0), handles: None }
    }

    /// As in a kernel, of the allocator of this name; handles have pages of their own.
    pub(super) fn of(name: &str, pages: impl FnOnce() -> Option<Pages>) -> Self {
        let (locks, has_handles) = match name {
            "zsmalloc" => ((1, 3), true),
            _ => ((1, 1), false),
        };
        let settings = Settings::new("zs_handle", HANDLE).policy(Policy::SlabLifo);
        let cache = |pages| KmemCache::new(settings, pages).ok();
        let handles = if has_handles { pages().and_then(cache) } else { None };
        Self { locks, handles, ..Self::none() }
    }

    /// Before an allocation.
    #[inline(always)]
    pub(super) fn allocate(&mut self) -> Handle {
        self.lock(self.locks.0);
        self.handles.as_mut()?.allocate()
    }

    /// After a free, or an allocation that was refused.
    ///
    /// # Safety
    ///
    /// The handle is live and from here.
    #[inline(always)]
    pub(super) unsafe fn free(&mut self, handle: Handle) {
        self.lock(self.locks.1);
        if let (Some(cache), Some(handle)) = (&mut self.handles, handle) {
            // SAFETY: the caller's promise.
            unsafe { cache.free(handle) };
        }
    }

    #[inline(always)]
    fn lock(&self, times: u32) {
        for _ in 0..times {
            while self.lock.swap(true, Ordering::Acquire) {
                spin_loop();
            }
            self.lock.store(false, Ordering::Release);
        }
    }
}
