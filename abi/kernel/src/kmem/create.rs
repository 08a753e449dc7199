//! `kmem_cache_create`: what a cache is asked to be, by the kernel's arguments.

use core::ffi::{c_char, c_void};
use core::fmt;
use core::ptr::{self, NonNull};

use kernel::kmem_cache::{DebugFlags, Hook, KmemCache, Misuse, Policy, Refused, Settings};
use source::FrameSource;
use source::os::Os;

use super::Cache;
use super::slabs::Slabs;
use crate::fork::{self, Member};
use crate::guarded::Guarded;
use crate::life::Kind;
use crate::misuse;
use crate::name::Name;

/// `slab_flags_t`.
pub(super) type SlabFlags = u32;

const HWCACHE_ALIGN: SlabFlags = 0x001;
const PANIC: SlabFlags = 0x002;
const POISON: SlabFlags = 0x004;
const RED_ZONE: SlabFlags = 0x008;
pub(super) const STORE_USER: SlabFlags = 0x010;
const CONSISTENCY_CHECKS: SlabFlags = 0x020;

/// What is called for each object of a new slab.
pub(super) type Constructor = unsafe extern "C" fn(*mut c_void);

/// What a cache with checks finds while it allocates.
fn found_at_allocation(misuse: &Misuse) -> ! {
    misuse::end("kmem_cache_alloc", format_args!("{misuse}"))
}

/// Calls the constructor of the cache that the context is.
/// The caller promises: `context` is a [`Cache`], and `object` an object's memory in it.
unsafe fn construct(context: *mut (), object: NonNull<u8>) {
    // SAFETY: the caller's promise. Only fields beside what its lock guards are used.
    let cache = unsafe { &*context.cast::<Cache>() };
    let Some(constructor) = cache.constructor else { return };
    // SAFETY: the program's own function, called as its header says.
    let call = || unsafe { constructor(object.as_ptr().cast()) };
    cache.member.life.build(Kind::Cache, call);
}

fn settings(name: &str, size: u32, align: u32, flags: SlabFlags) -> Settings {
    let debug = [
        (POISON, DebugFlags::POISON),
        (RED_ZONE, DebugFlags::RED_ZONE),
        (STORE_USER, DebugFlags::USER),
        (CONSISTENCY_CHECKS, DebugFlags::SANITY),
    ];
    let asked = debug.into_iter().filter(|(flag, _)| flags & flag != 0);
    let debug = asked.fold(DebugFlags::NONE, |all, (_, one)| all | one);
    let settings = Settings::new(name, size as usize)
        .align(if align == 0 { 8 } else { align as usize })
        .policy(Policy::SlabLifo)
        .debug(debug)
        .processors(Os.processors())
        .on_misuse(found_at_allocation);
    if flags & HWCACHE_ALIGN != 0 { settings.align_to_lines() } else { settings }
}

enum Failed {
    NoName,
    Refused(Refused),
    NoMemory,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::NoName => f.write_str("it has no name"),
            Failed::Refused(why) => why.fmt(f),
            Failed::NoMemory => f.write_str("no memory"),
        }
    }
}

fn create(
    name: Option<Name>,
    (size, align): (u32, u32),
    flags: SlabFlags,
    constructor: Option<Constructor>,
) -> Result<NonNull<Cache>, Failed> {
    let name = name.filter(|name| !name.as_str().is_empty()).ok_or(Failed::NoName)?;
    let mut settings = settings(name.as_str(), size, align, flags);
    let at = fork::room::<Cache>().ok_or(Failed::NoMemory)?;
    if constructor.is_some() {
        // SAFETY: the header asks for a function that may be called so, and the room stays.
        settings = settings.ctor(unsafe { Hook::new(construct, at.as_ptr().cast()) });
    }
    let member = at.cast::<Member>();
    // SAFETY: a room begins with its member.
    unsafe { member.write(Member::new(Kind::Cache)) };
    let cache = match KmemCache::new(settings, Slabs::new(at.as_ptr())) {
        Ok(cache) => cache,
        Err(why) => {
            // SAFETY: just written.
            unsafe { member.as_ref() }.life.end(Kind::Cache);
            // SAFETY: the member is dead, and nobody has seen it.
            unsafe { fork::bury(at) };
            return Err(Failed::Refused(why));
        }
    };
    let (member, inside) = (Member::new(Kind::Cache), Guarded::new(cache));
    let cache = Cache { member, name, flags, constructor, inside };
    // SAFETY: it stays there until `kmem_cache_destroy`.
    unsafe { Member::join(at, cache) };
    Ok(at)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmem_cache_create(
    name: *const c_char,
    size: u32,
    align: u32,
    flags: SlabFlags,
    constructor: Option<Constructor>,
) -> *mut Cache {
    // SAFETY: what the header asks of the caller.
    let name = unsafe { Name::copy(name) };
    match create(name, (size, align), flags, constructor) {
        Ok(cache) => cache.as_ptr(),
        Err(why) if flags & PANIC != 0 => {
            let called = name.as_ref().map_or("", Name::as_str);
            misuse::end("kmem_cache_create", format_args!("cache {called}: {why}"))
        }
        Err(_) => ptr::null_mut(),
    }
}
