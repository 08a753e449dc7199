//! `kmem_cache_*`: a cache is a `KmemCache` behind a lock.
//!
//! No magazines: every call goes to the slabs, and so sees every double free at once. What is found wrong with a pointer
//! is said after the lock was left, but for what a cache with checks finds while it allocates.
use core::ffi::c_int;
use core::fmt;
use core::ptr::{self, NonNull};

use base::bits::low32;
use base::lock::{Lock, Park};
use base::{Broken, Check};
use kernel::kmem_cache::{Finding, KmemCache, Misuse, SLABINFO_HEADER};
use source::os::Os;
use source::os::imp::console::Console;

use crate::flags::{self, Flags};
use crate::fork::{self, Member, Pool};
use crate::guarded::Guarded;
use crate::kmalloc;
use crate::life::{self, Kind, Live, expect_unbuilt, open};
use crate::misuse::{self, InUse};
use crate::name::Name;
use crate::owners;

mod create;
mod sheaf;
mod slabs;

use create::{Constructor, STORE_USER, SlabFlags};
use slabs::Slabs;

/// `struct kmem_cache`.
#[repr(C)]
pub(crate) struct Cache {
    member: Member,
    name: Name,
    flags: SlabFlags,
    constructor: Option<Constructor>,
    inside: Guarded<KmemCache<Slabs>>,
}

impl Live for Cache {
    const KIND: Kind = Kind::Cache;

    fn member(&self) -> &Member {
        &self.member
    }
}

impl Pool for Cache {
    fn lock(&self) -> &Lock<Os> {
        self.inside.bare()
    }

    fn has_constructor(&self) -> bool {
        self.constructor.is_some()
    }

    fn check(&self) -> Result<(), Broken> {
        expect_unbuilt(self, "heapwright_kernel_check");
        self.inside.lock().check()
    }

    fn write_name(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "cache {}", self.name)
    }

    fn write_info(&self, to: &mut Console) -> fmt::Result {
        use fmt::Write as _;
        expect_unbuilt(self, "heapwright_kernel_slabinfo");
        writeln!(to, "{}", self.inside.lock().info())
    }
}

/// The cache that an object is live in, and its bytes there. No lock is held meanwhile but that cache's, so also a
/// constructor may ask.
pub(crate) fn owner(function: &str, object: NonNull<u8>) -> Option<(&'static Cache, usize)> {
    let cache = owners::of(object.addr().get())?;
    expect_unbuilt(cache, function);
    let inside = cache.inside.lock();
    // Who destroys it has said so before it was inside.
    let is_there = !cache.member.life.is_over(Kind::Cache);
    let size = is_there.then(|| inside.try_size(object).ok())??;
    drop(inside);
    Some((cache, size))
}

/// Frees an object of any cache; whether it is one.
pub(crate) fn try_free(function: &str, object: NonNull<u8>) -> bool {
    let Some((cache, _)) = owner(function, object) else { return false };
    cache.free(function, Some(object));
    true
}

impl Cache {
    /// Who calls, for a cache that remembers it: the C library's name of the thread.
    fn user(&self) -> Option<usize> {
        (self.flags & STORE_USER != 0).then(Os::me)
    }

    fn allocate(&self, function: &str, flags: Flags) -> Option<NonNull<u8>> {
        self.may_clear(function, flags);
        let mut cache = self.inside.lock();
        let object = match self.user() {
            None => cache.allocate(),
            Some(user) => cache.allocate_for(user),
        };
        let size = cache.object_size();
        drop(cache);
        let object = flags::granted(flags, function, size, object)?;
        if flags & flags::ZERO != 0 {
            // SAFETY: a new object of this size.
            unsafe { object.write_bytes(0, size) };
        }
        Some(object)
    }

    /// Ends the program where objects are to be cleared that their constructor has made.
    fn may_clear(&self, function: &str, flags: Flags) {
        if self.constructor.is_some() && flags & flags::ZERO != 0 {
            self.end(function, format_args!("objects with a constructor are not cleared"));
        }
    }

    fn free(&self, function: &str, object: Option<NonNull<u8>>) {
        let Some(object) = object else { self.end_at_null(function) };
        let mut cache = self.inside.lock();
        let freed = match self.user() {
            // SAFETY: the caller of the call gives it up; what it is not is found.
            None => unsafe { cache.try_free(object) },
            // SAFETY: as above.
            Some(user) => unsafe { cache.free_for(object, user) },
        };
        drop(cache);
        if let Err(misuse) = freed {
            self.end_by(function, &misuse);
        }
    }

    /// Ends the program: the pointer is another cache's, or what was found.
    #[cold]
    fn end_by(&self, function: &str, misuse: &Misuse) -> ! {
        let object = NonNull::new(ptr::with_exposed_provenance_mut(misuse.address));
        if misuse.finding == Finding::Foreign
            && let Some(object) = object
        {
            kmalloc::end_if_owned(function, self.name, object);
            if let Some((owner, _)) = owner(function, object) {
                let owner = fork::Named(owner);
                self.end(function, format_args!("{object:p} is an object of {owner}"));
            }
        }
        misuse::end(function, format_args!("{misuse}"))
    }

    #[cold]
    fn end(&self, function: &str, finding: fmt::Arguments<'_>) -> ! {
        misuse::end(function, format_args!("cache {}: {finding}", self.name))
    }

    #[cold]
    fn end_at_null(&self, function: &str) -> ! {
        self.end(function, format_args!("the object is NULL"))
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_destroy(cache: *mut Cache) {
    const ME: &str = "kmem_cache_destroy";
    let Some(at) = NonNull::new(cache) else { return };
    // SAFETY: what the header asks of the caller.
    let it = unsafe { life::end(cache, ME) };
    // SAFETY: it joined when it was made.
    unsafe { Member::leave(&raw const it.member) };
    // SAFETY: nobody uses it any more, and it is not used as what it was.
    let whole = unsafe { ptr::from_ref(&*it.inside.lock()).read() };
    if let Err(kept) = whole.destroy() {
        it.end(ME, format_args!("{}", InUse(kept.live)));
    }
    // SAFETY: made by `kmem_cache_create`, and it has left.
    unsafe { fork::bury(at) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_alloc(cache: *mut Cache, flags: Flags) -> *mut u8 {
    const ME: &str = "kmem_cache_alloc";
    // SAFETY: what the header asks of the caller.
    let object = unsafe { open(cache, ME) }.allocate(ME, flags);
    object.map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_zalloc(cache: *mut Cache, flags: Flags) -> *mut u8 {
    const ME: &str = "kmem_cache_zalloc";
    // SAFETY: what the header asks of the caller.
    let object = unsafe { open(cache, ME) }.allocate(ME, flags | flags::ZERO);
    object.map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_free(cache: *mut Cache, object: *mut u8) {
    const ME: &str = "kmem_cache_free";
    // SAFETY: what the header asks of the caller.
    unsafe { open(cache, ME) }.free(ME, NonNull::new(object));
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_alloc_bulk(
    cache: *mut Cache,
    flags: Flags,
    count: usize,
    objects: *mut Option<NonNull<u8>>,
) -> c_int {
    const ME: &str = "kmem_cache_alloc_bulk";
    // SAFETY: what the header asks of the caller.
    let cache = unsafe { open(cache, ME) };
    cache.may_clear(ME, flags);
    let Ok(answer) = c_int::try_from(count) else { return 0 };
    let Some(objects) = NonNull::new(objects).filter(|_| count > 0) else { return 0 };
    for index in 0..count {
        // SAFETY: as above: room for `count` pointers.
        let place = unsafe { objects.add(index) };
        // SAFETY: as above.
        unsafe { place.write(None) };
    }
    let objects = NonNull::slice_from_raw_parts(objects, count);
    // SAFETY: just written, and the caller's to lend.
    let objects = unsafe { &mut *objects.as_ptr() };
    let mut inside = cache.inside.lock();
    let (got, size) = (inside.allocate_bulk(objects), inside.object_size());
    drop(inside);
    if flags::granted(flags, ME, count * size, got.then_some(())).is_none() {
        return 0;
    }
    if flags & flags::ZERO != 0 {
        for object in objects.iter().flatten() {
            // SAFETY: a new object of this size.
            unsafe { object.write_bytes(0, size) };
        }
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_free_bulk(
    cache: *mut Cache,
    count: usize,
    objects: *mut Option<NonNull<u8>>,
) {
    const ME: &str = "kmem_cache_free_bulk";
    // SAFETY: what the header asks of the caller.
    let cache = unsafe { open(cache, ME) };
    let Some(objects) = NonNull::new(objects).filter(|_| count > 0) else { return };
    let places = NonNull::slice_from_raw_parts(objects, count);
    // SAFETY: as above: `count` pointers.
    if unsafe { places.as_ref() }.iter().any(Option::is_none) {
        cache.end_at_null(ME);
    }
    let objects = NonNull::slice_from_raw_parts(objects.cast::<NonNull<u8>>(), count);
    // SAFETY: none of them is null.
    let objects = unsafe { objects.as_ref() };
    // SAFETY: the caller gives them up; what they are not is found.
    let freed = unsafe { cache.inside.lock().try_free_bulk(objects) };
    if let Err(misuse) = freed {
        cache.end_by(ME, &misuse);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_shrink(cache: *mut Cache) -> c_int {
    // SAFETY: what the header asks of the caller.
    let mut cache = unsafe { open(cache, "kmem_cache_shrink") }.inside.lock();
    cache.shrink();
    c_int::from(cache.info().slabs > 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_size(cache: *mut Cache) -> u32 {
    // SAFETY: what the header asks of the caller.
    low32(unsafe { open(cache, "kmem_cache_size") }.inside.lock().object_size())
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_kernel_slabinfo(descriptor: c_int) {
    use fmt::Write as _;
    let mut out = Console::new(usize::try_from(descriptor).unwrap_or(2));
    // A console takes what it is given.
    let _ = writeln!(out, "{SLABINFO_HEADER}");
    kmalloc::write_infos(&mut out);
    fork::each_pool(&mut |pool| pool.write_info(&mut out).is_ok());
}
