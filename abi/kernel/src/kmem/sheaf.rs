//! Sheaves: objects of a cache that were taken beforehand, so that getting them cannot fail.
use core::ffi::c_int;
use core::ptr::{self, NonNull};

use base::bits::low32;
use kernel::kmem_cache::Reserve;

use super::Cache;
use crate::error::ENOMEM;
use crate::flags::{self, Flags};
use crate::kmalloc;
use crate::life::open;
use crate::pages;

/// `struct slab_sheaf`.
struct Sheaf {
    reserve: Reserve,
    cache: *const Cache,
}

impl Cache {
    /// As many objects beforehand. Refused at once where they are more than there can be, and not filled first.
    fn reserve(&self, count: usize) -> Option<Reserve> {
        let mut inside = self.inside.lock();
        let each = inside.object_size() + size_of::<*mut u8>();
        let may_be = each.checked_mul(count).is_some_and(pages::may_have);
        if may_be { inside.reserve(count) } else { None }
    }

    /// A sheaf of this cache, or the end.
    fn sheaf(&self, function: &str, sheaf: *mut Sheaf) -> NonNull<Sheaf> {
        let Some(found) = NonNull::new(sheaf) else {
            self.end(function, format_args!("the sheaf is NULL"))
        };
        // SAFETY: what the header asks of the caller.
        if !ptr::eq(unsafe { found.as_ref() }.cache, self) {
            self.end(function, format_args!("{sheaf:p} is no sheaf of it"));
        }
        found
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_prefill_sheaf(
    cache: *mut Cache,
    flags: Flags,
    count: u32,
) -> *mut Sheaf {
    const ME: &str = "kmem_cache_prefill_sheaf";
    // SAFETY: what the header asks of the caller.
    let it = unsafe { open(cache, ME) };
    let made = kmalloc::room::<Sheaf>().and_then(|at| {
        let Some(reserve) = it.reserve(count as usize) else {
            kmalloc::give_back(at);
            return None;
        };
        // SAFETY: room for it.
        unsafe { at.write(Sheaf { reserve, cache }) };
        Some(at)
    });
    let sheaf = flags::granted(flags, ME, count as usize * it.inside.lock().object_size(), made);
    sheaf.map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_refill_sheaf(
    cache: *mut Cache,
    flags: Flags,
    sheaf: *mut *mut Sheaf,
    count: u32,
) -> c_int {
    const ME: &str = "kmem_cache_refill_sheaf";
    // SAFETY: what the header asks of the caller.
    let cache = unsafe { open(cache, ME) };
    // SAFETY: as above.
    let mut sheaf = cache.sheaf(ME, unsafe { sheaf.read() });
    // SAFETY: a sheaf of this cache, which the caller has for itself.
    let sheaf = unsafe { sheaf.as_mut() };
    let count = count as usize;
    if sheaf.reserve.len() >= count {
        return 0;
    }
    // One that is too small for them is not filled up first: without a larger one it stays as it is.
    let has_room = count <= sheaf.reserve.capacity();
    let filled = (has_room && cache.inside.lock().refill(&mut sheaf.reserve))
        || cache.reserve(count).is_some_and(|larger| {
            let smaller = core::mem::replace(&mut sheaf.reserve, larger);
            cache.inside.lock().give_back(smaller);
            true
        });
    let size = cache.inside.lock().object_size();
    match flags::granted(flags, ME, count * size, filled.then_some(())) {
        Some(()) => 0,
        None => -ENOMEM,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_alloc_from_sheaf(
    cache: *mut Cache,
    flags: Flags,
    sheaf: *mut Sheaf,
) -> *mut u8 {
    const ME: &str = "kmem_cache_alloc_from_sheaf";
    // SAFETY: what the header asks of the caller.
    let cache = unsafe { open(cache, ME) };
    cache.may_clear(ME, flags);
    // SAFETY: a sheaf of this cache, which the caller has for itself.
    let sheaf = unsafe { cache.sheaf(ME, sheaf).as_mut() };
    let mut inside = cache.inside.lock();
    let (object, size) = (inside.allocate_from(&mut sheaf.reserve), inside.object_size());
    drop(inside);
    let Some(object) = object else { return ptr::null_mut() };
    if flags & flags::ZERO != 0 {
        // SAFETY: a new object of this size.
        unsafe { object.write_bytes(0, size) };
    }
    object.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_return_sheaf(cache: *mut Cache, _flags: Flags, sheaf: *mut Sheaf) {
    const ME: &str = "kmem_cache_return_sheaf";
    // SAFETY: what the header asks of the caller.
    let cache = unsafe { open(cache, ME) };
    let mut sheaf = cache.sheaf(ME, sheaf);
    // SAFETY: a sheaf of this cache, which the caller gives up.
    let Sheaf { reserve, .. } = unsafe { sheaf.read() };
    // SAFETY: as above. Who returns it again has a sheaf of no cache.
    unsafe { sheaf.as_mut() }.cache = ptr::null();
    cache.inside.lock().give_back(reserve);
    kmalloc::give_back(sheaf);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_sheaf_size(sheaf: *mut Sheaf) -> u32 {
    // SAFETY: what the header asks of the caller.
    low32(unsafe { sheaf.as_ref() }.map_or(0, |sheaf| sheaf.reserve.len()))
}
