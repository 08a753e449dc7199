//! `SharedCache<T>` and a thread's handle to it.
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use base::lock::Park;
use base::{Broken, Check, PageAllocator};

use super::{Builder, typed, untyped, untyped_all};
use crate::kmem_cache::cache::InUse;
use crate::kmem_cache::misuse::Misuse;
use crate::kmem_cache::settings::Refused;
use crate::kmem_cache::shared::{LocalKmemCache, SharedKmemCache};

impl<T> Builder<T> {
    /// A cache over `pages` for many threads, of which `L` says how they wait.
    ///
    /// # Errors
    ///
    /// The settings do not make a cache.
    pub fn build_shared<L: Park, P: PageAllocator>(
        self,
        pages: P,
    ) -> Result<SharedCache<T, L, P>, Refused> {
        Ok(SharedCache { raw: SharedKmemCache::new(self.settings, pages)?, objects: PhantomData })
    }
}

/// Objects of a type for many threads.
///
/// ```
/// use base::AddMemory;
/// use heapwright_kernel_allocators::kmem_cache::{Builder, Policy};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
/// use source::os::Os;
///
/// let mut memory = vec![0u8; 1 << 20];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
///
/// let words = Builder::<[u64; 8]>::new("words").policy(Policy::Magazine(0));
/// let words = words.build_shared::<Os, _>(pages).unwrap();
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let mut local = words.local();
///             for _ in 0..1000 {
///                 let object = local.allocate().unwrap();
///                 // SAFETY: it is live and used no more.
///                 unsafe { local.free(object) };
///             }
///         });
///     }
/// });
/// assert_eq!(words.untyped().info().0.active, 0);
/// ```
pub struct SharedCache<T, L: Park, P: PageAllocator> {
    raw: SharedKmemCache<L, P>,
    objects: PhantomData<fn() -> T>,
}

/// A thread's magazines; dropped, it gives what is in them back.
pub struct LocalCache<'a, T, L: Park, P: PageAllocator> {
    raw: LocalKmemCache<'a, L, P>,
    objects: PhantomData<fn() -> T>,
}

impl<T, L: Park, P: PageAllocator> SharedCache<T, L, P> {
    /// See [`SharedKmemCache::local`].
    pub fn local(&self) -> LocalCache<'_, T, L, P> {
        LocalCache { raw: self.raw.local(), objects: PhantomData }
    }

    /// See [`SharedKmemCache::allocate`].
    pub fn allocate(&self) -> Option<NonNull<T>> {
        self.raw.allocate().map(NonNull::cast)
    }

    /// See [`SharedKmemCache::free`].
    ///
    /// # Safety
    ///
    /// `object` was allocated here, is live, and is dead afterwards; with a constructor it is in the state that it leaves.
    pub unsafe fn free(&self, object: NonNull<T>) {
        // SAFETY: the caller's promise.
        unsafe { self.raw.free(object.cast()) };
    }

    /// The same cache without the type.
    #[must_use]
    pub const fn untyped(&self) -> &SharedKmemCache<L, P> {
        &self.raw
    }

    /// See [`SharedKmemCache::destroy`].
    ///
    /// # Errors
    ///
    /// Objects are in use: the cache comes back, and says how many.
    #[expect(
        clippy::result_large_err,
        reason = "the cache goes back to its owner, and there is no heap"
    )]
    pub fn destroy(self) -> Result<P, InUse<Self>> {
        self.raw.destroy().map_err(|InUse { cache: raw, live, name }| InUse {
            cache: Self { raw, objects: PhantomData },
            live,
            name,
        })
    }
}

impl<T, L: Park, P: PageAllocator> LocalCache<'_, T, L, P> {
    typed!("LocalKmemCache");
}

impl<T, L: Park, P: PageAllocator> Check for SharedCache<T, L, P> {
    fn check(&self) -> Result<(), Broken> {
        self.raw.check()
    }
}

impl<T, L: Park, P: PageAllocator> fmt::Debug for SharedCache<T, L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

impl<T, L: Park, P: PageAllocator> fmt::Debug for LocalCache<'_, T, L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
