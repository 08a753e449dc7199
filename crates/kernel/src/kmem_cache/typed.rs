//! `Cache<T>`: a cache of objects of a type, for one owner.
//!
//! ```text
//! without a constructor   allocate ─► memory for a T     free: the T is the caller's to drop
//! with one                allocate ─► a T                free: a T, in the state that the next one is to find
//! ```
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use base::{Broken, Check, PageAllocator};

use super::cache::{InUse, KmemCache};
use super::misuse::Misuse;
use super::settings::{DebugFlags, Hook, Policy, Reclaim, Refused, Settings};

#[cfg(target_has_atomic = "ptr")]
use super::reserve::Reserve;

macro_rules! settings {
    ($($name:ident($($value:ident: $type:ty)?), $more:literal;)*) => {$(
        #[doc = concat!("See [`Settings::", stringify!($name), "`]", $more, ".")]
        #[must_use]
        pub fn $name(self, $($value: $type)?) -> Self {
            self.with(|settings| settings.$name($($value)?))
        }
    )*};
}

/// What a cache of `T` is asked to be.
#[derive(Debug, Clone, Copy)]
pub struct Builder<T> {
    settings: Settings,
    objects: PhantomData<fn() -> T>,
}

/// A value of a type without size, which has no bytes.
fn conjure<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "a constructor captures nothing") };
    // SAFETY: a function that captures nothing has no bytes; the caller of the builder had one, so there are such.
    unsafe { NonNull::<F>::dangling().read() }
}

impl<T> Builder<T> {
    /// Objects of the type's size and alignment, and else as [`Settings::new`] has it.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        const { assert!(size_of::<T>() > 0, "objects without bytes need no cache") };
        let settings = Settings::new(name, size_of::<T>()).align(align_of::<T>());
        Self { settings, objects: PhantomData }
    }

    fn with(self, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self { settings: change(self.settings), ..self }
    }

    /// `make` is called for each object when its slab is made, not when it is handed out. A function or a closure that captures
    /// nothing.
    #[must_use]
    pub fn ctor<F>(self, make: F) -> Self
    where
        F: Fn(&mut MaybeUninit<T>) + Copy + Send + Sync + 'static,
    {
        fn call<T, F: Fn(&mut MaybeUninit<T>) + Copy>(_: *mut (), object: NonNull<u8>) {
            // SAFETY: memory of an object that nobody has.
            conjure::<F>()(unsafe { object.cast::<MaybeUninit<T>>().as_mut() });
        }
        let _ = make;
        // SAFETY: it may be called with any object's memory.
        let hook = unsafe { Hook::new(call::<T, F>, ptr::null_mut()) };
        self.with(|settings| settings.ctor(hook))
    }

    /// `unmake` is called for each object when its slab is given back. A function or a closure that captures nothing.
    /// # Safety
    /// There is a constructor that makes a `T`, whoever frees one leaves a `T` in it, and a `T` may go from
    /// one thread to another.
    #[must_use]
    pub unsafe fn dtor<F>(self, unmake: F) -> Self
    where
        F: Fn(&mut T) + Copy + Send + Sync + 'static,
    {
        fn call<T, F: Fn(&mut T) + Copy>(_: *mut (), object: NonNull<u8>) {
            // SAFETY: a free object, in which the constructor or who freed it left a `T`.
            conjure::<F>()(unsafe { object.cast::<T>().as_mut() });
        }
        let _ = unmake;
        // SAFETY: it is called with objects that hold a `T`, as the caller promises.
        let hook = unsafe { Hook::new(call::<T, F>, ptr::null_mut()) };
        self.with(|settings| settings.dtor(hook))
    }

    settings! {
        align(align: usize), "; never less than the type's";
        align_to_lines(), "";
        policy(policy: Policy), "";
        colour(), "";
        debug(flags: DebugFlags), "";
        processors(count: usize), "";
        reclaim(reclaim: Reclaim), "";
        on_misuse(end: fn(&Misuse) -> !), "";
    }

    /// The settings, for a cache without a type; its objects are aligned as the type's, whatever else is asked for.
    #[must_use]
    pub const fn settings(&self) -> Settings {
        self.settings
    }

    /// A cache over `pages` for one owner.
    /// Errors: the settings do not make a cache.
    pub fn build<P: PageAllocator>(self, pages: P) -> Result<Cache<T, P>, Refused> {
        Ok(Cache { raw: KmemCache::new(self.settings, pages)?, objects: PhantomData })
    }
}

/// Objects of a type, from `&mut self`: one owner, no lock.
///
/// ```
/// use base::AddMemory;
/// use heapwright_kernel_allocators::kmem_cache::{Builder, Policy};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
///
/// struct Flow {
///     packets: u64,
///     key: [u64; 4],
/// }
///
/// let mut memory = vec![0u8; 1 << 20];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
///
/// let mut flows = Builder::<Flow>::new("flow")
///     .ctor(|flow| {
///         flow.write(Flow { packets: 0, key: [0; 4] });
///     })
///     .policy(Policy::Magazine(0))
///     .build(pages)
///     .unwrap();
/// let mut flow = flows.allocate().unwrap();
/// // SAFETY: the constructor made it, and it is ours.
/// let here = unsafe { flow.as_mut() };
/// here.packets += 1;
/// assert_eq!(here.key, [0; 4]);
/// here.packets = 0;
/// // SAFETY: it is live, used no more, and as the constructor left it.
/// unsafe { flows.free(flow) };
/// assert_eq!(flows.untyped().info().active, 0);
/// ```
pub struct Cache<T, P: PageAllocator> {
    raw: KmemCache<P>,
    objects: PhantomData<fn() -> T>,
}

/// An array of places, as one of objects.
fn untyped<T>(out: &mut [Option<NonNull<T>>]) -> &mut [Option<NonNull<u8>>] {
    // SAFETY: pointers to sized types have one form, and so have optional ones.
    unsafe { &mut *(ptr::from_mut(out) as *mut [Option<NonNull<u8>>]) }
}

fn untyped_all<T>(objects: &[NonNull<T>]) -> &[NonNull<u8>] {
    // SAFETY: pointers to sized types have one form.
    unsafe { &*(ptr::from_ref(objects) as *const [NonNull<u8>]) }
}

impl<T, P: PageAllocator> Cache<T, P> {
    /// The same as [`Builder::new`].
    #[must_use]
    pub fn builder(name: &str) -> Builder<T> {
        Builder::new(name)
    }

    /// See [`KmemCache::allocate`].
    #[inline(always)]
    pub fn allocate(&mut self) -> Option<NonNull<T>> {
        self.raw.allocate().map(NonNull::cast)
    }

    /// See [`KmemCache::free`].
    /// # Safety
    /// `object` was allocated here, is live, and is dead afterwards; with a constructor it is in the state that it leaves.
    #[inline(always)]
    pub unsafe fn free(&mut self, object: NonNull<T>) {
        // SAFETY: the caller's promise.
        unsafe { self.raw.free(object.cast()) };
    }

    /// See [`KmemCache::try_free`].
    /// Errors: what was found wrong; nothing has changed then.
    /// # Safety
    /// As [`KmemCache::try_free`].
    pub unsafe fn try_free(&mut self, object: NonNull<T>) -> Result<(), Misuse> {
        // SAFETY: the caller's promise.
        unsafe { self.raw.try_free(object.cast()) }
    }

    /// See [`KmemCache::allocate_bulk`].
    #[must_use]
    pub fn allocate_bulk(&mut self, out: &mut [Option<NonNull<T>>]) -> bool {
        self.raw.allocate_bulk(untyped(out))
    }

    /// See [`KmemCache::free_bulk`].
    /// # Safety
    /// As [`free`](Self::free) for each of them.
    pub unsafe fn free_bulk(&mut self, objects: &[NonNull<T>]) {
        // SAFETY: the caller's promise.
        unsafe { self.raw.free_bulk(untyped_all(objects)) };
    }

    /// See [`KmemCache::allocate_zeroed`].
    pub fn allocate_zeroed(&mut self) -> Option<NonNull<T>> {
        self.raw.allocate_zeroed().map(NonNull::cast)
    }

    /// See [`KmemCache::alloc_near`].
    pub fn alloc_near(&mut self, near: NonNull<T>) -> Option<NonNull<T>> {
        self.raw.alloc_near(near.cast()).map(NonNull::cast)
    }

    /// See [`KmemCache::try_free_bulk`].
    /// Errors: the first thing that was found wrong; all that was right is free.
    /// # Safety
    /// As [`try_free`](Self::try_free) for each of them.
    pub unsafe fn try_free_bulk(&mut self, objects: &[NonNull<T>]) -> Result<(), Misuse> {
        // SAFETY: the caller's promise.
        unsafe { self.raw.try_free_bulk(untyped_all(objects)) }
    }

    /// The same cache without the type, for what does not depend on it, as statistics.
    #[must_use]
    pub const fn untyped(&self) -> &KmemCache<P> {
        &self.raw
    }

    /// See [`KmemCache::destroy`].
    /// Errors: objects are in use: the cache comes back, and says how many.
    pub fn destroy(self) -> Result<P, InUse<Self>> {
        self.raw.destroy().map_err(|InUse { cache: raw, live, name }| InUse {
            cache: Self { raw, objects: PhantomData },
            live,
            name,
        })
    }
}

macro_rules! calls {
    ($($(#[$more:meta])* $name:ident($($value:ident: $type:ty)?) $(-> $answer:ty)?;)*) => {$(
        #[doc = concat!("See [`KmemCache::", stringify!($name), "`].")]
        $(#[$more])*
        pub fn $name(&mut self, $($value: $type)?) $(-> $answer)? {
            self.raw.$name($($value)?)
        }
    )*};
}

impl<T, P: PageAllocator> Cache<T, P> {
    calls! {
        shrink() -> usize;
        reclaim() -> usize;
        set_min_partial(slabs: usize);
    }
}

#[cfg(target_has_atomic = "ptr")]
impl<T, P: PageAllocator> Cache<T, P> {
    calls! {
        reserve(count: usize) -> Option<Reserve>;
        #[must_use]
        refill(reserve: &mut Reserve) -> bool;
        give_back(reserve: Reserve);
    }

    /// See [`KmemCache::allocate_from`].
    pub fn allocate_from(&mut self, reserve: &mut Reserve) -> Option<NonNull<T>> {
        self.raw.allocate_from(reserve).map(NonNull::cast)
    }
}

impl<T, P: PageAllocator> Check for Cache<T, P> {
    fn check(&self) -> Result<(), Broken> {
        self.raw.check()
    }
}

impl<T, P: PageAllocator> fmt::Debug for Cache<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

#[cfg(test)]
mod tests;
