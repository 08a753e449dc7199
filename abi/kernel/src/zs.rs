//! `zs_*`: a pool is a zsmalloc behind a lock, and its name.
//!
//! A reader holds no lock: it pins its object, and compacting passes that by.
use core::ffi::{c_char, c_int, c_ulong, c_void};
use core::fmt;
use core::ptr::{self, NonNull};

use base::bits::low32;
use base::lock::Lock;
use base::sync::{AtomicUsize, Ordering};
use base::{Broken, Check, Compact, HandleAllocator, HandleError, Map, Pin};
use handle::ZsMalloc;
use handle::zsmalloc::Handle;
use source::os::Os;
use source::os::imp::console::Console;

use crate::error::number;
use crate::flags::{self, Flags};
use crate::fork::{self, Member};
use crate::guarded::Guarded;
use crate::life::{self, Kind, Live, open};
use crate::misuse::{self, InUse};
use crate::name::Name;
use crate::pages::{PAGE, Pages};

/// `struct zs_pool`.
#[repr(C)]
pub(crate) struct Pool {
    member: Member,
    name: Name,
    /// Pages that compacting gave back.
    compacted: AtomicUsize,
    heap: Guarded<ZsMalloc<Pages>>,
    /// Its handles differ from those of every other pool by this in the upper half, which counts how often a slot was used: in
    /// another pool they are refused.
    mark: c_ulong,
}

/// The mark of the next pool: far from what counting reaches, and 0 for the first.
fn next_mark() -> c_ulong {
    static POOLS: AtomicUsize = AtomicUsize::new(0);
    (POOLS.fetch_add(1, Ordering::Relaxed) as c_ulong).wrapping_mul(0x9e37_79b9) << 32
}

/// `struct zs_pool_stats`.
#[repr(C)]
struct Stats {
    pages_compacted: c_ulong,
}

/// The last numbers are errors.
const LAST_ERRORS: c_ulong = 4095;

impl Live for Pool {
    const KIND: Kind = Kind::Zs;

    fn member(&self) -> &Member {
        &self.member
    }
}

impl fork::Pool for Pool {
    fn lock(&self) -> &Lock<Os> {
        self.heap.bare()
    }

    fn check(&self) -> Result<(), Broken> {
        self.heap.lock().check()
    }

    fn write_name(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "pool {}", self.name)
    }
}

impl Pool {
    #[cold]
    fn end(&self, function: &str, handle: c_ulong, error: HandleError) -> ! {
        let what = match error {
            HandleError::Stale => "is free already (stale handle)",
            HandleError::Pinned => "is being read",
            HandleError::TooManyPins => "is being read too often",
            HandleError::OutOfBounds => "is shorter than what is written",
            _ => "is none of this pool's",
        };
        misuse::end(function, format_args!("pool {}: handle {handle:#x} {what}", self.name))
    }

    /// What a call came to, or the end.
    fn done<T>(&self, function: &str, handle: c_ulong, got: Result<T, HandleError>) -> T {
        got.unwrap_or_else(|error| self.end(function, handle, error))
    }

    fn handle(&self, function: &str, bits: c_ulong) -> Handle {
        self.done(function, bits, Handle::from_bits(bits ^ self.mark).ok_or(HandleError::Unknown))
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_create_pool(name: *const c_char) -> *mut Pool {
    // SAFETY: what the header asks of the caller.
    let Some(name) = (unsafe { Name::copy(name) }) else { return ptr::null_mut() };
    let Some(at) = fork::room::<Pool>() else { return ptr::null_mut() };
    let heap = Guarded::new(ZsMalloc::new(Pages, Default::default()));
    let (compacted, mark) = (AtomicUsize::new(0), next_mark());
    let pool = Pool { member: Member::new(Kind::Zs), name, compacted, heap, mark };
    // SAFETY: it stays there until `zs_destroy_pool`.
    unsafe { Member::join(at, pool) };
    at.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_destroy_pool(pool: *mut Pool) {
    const ME: &str = "zs_destroy_pool";
    // SAFETY: what the header asks of the caller.
    let it = unsafe { life::end(pool, ME) };
    let objects = it.heap.lock().usage().objects;
    if objects > 0 {
        misuse::end(ME, format_args!("pool {}: {}", it.name, InUse(objects)));
    }
    // SAFETY: it joined when it was made.
    unsafe { Member::leave(&raw const it.member) };
    // SAFETY: nobody uses it any more, and it is not used as what it was.
    let heap = unsafe { ptr::from_ref(&*it.heap.lock()).read() };
    heap.into_pages();
    if let Some(at) = NonNull::new(pool) {
        // SAFETY: made by `zs_create_pool`, and it has left.
        unsafe { fork::bury(at) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_malloc(pool: *mut Pool, size: usize, flags: Flags) -> c_ulong {
    const ME: &str = "zs_malloc";
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, ME) };
    let got = pool.heap.lock().allocate(size);
    match got {
        Ok(handle) => handle.to_bits() ^ pool.mark,
        Err(HandleError::NoMemory) if flags & flags::NOFAIL != 0 => {
            flags::refuse(ME, format_args!("{size} bytes"))
        }
        Err(error) => c_ulong::from(number(error).unsigned_abs()).wrapping_neg(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_free(pool: *mut Pool, handle: c_ulong) {
    const ME: &str = "zs_free";
    if handle == 0 || handle >= LAST_ERRORS.wrapping_neg() {
        return;
    }
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, ME) };
    let freed = pool.heap.lock().free(pool.handle(ME, handle));
    pool.done(ME, handle, freed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_obj_read_begin(
    pool: *mut Pool,
    handle: c_ulong,
    _local_copy: *mut c_void,
) -> *mut c_void {
    const ME: &str = "zs_obj_read_begin";
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, ME) };
    let pinned = pool.heap.lock().pin(pool.handle(ME, handle));
    pool.done(ME, handle, pinned).as_ptr().cast()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_obj_read_end(pool: *mut Pool, handle: c_ulong, bytes: *mut c_void) {
    const ME: &str = "zs_obj_read_end";
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, ME) };
    let name = pool.handle(ME, handle);
    let mut heap = pool.heap.lock();
    let pins = heap.pins(name);
    let at = heap.bytes(name).map(<[u8]>::as_ptr);
    if pins.is_ok_and(|pins| pins > 0) && at.is_ok_and(|at| at.cast() == bytes.cast_const()) {
        // SAFETY: it has a pin, and whoever calls gives one up.
        unsafe { heap.unpin(name) };
        return;
    }
    drop(heap);
    pool.done(ME, handle, pins);
    let what = if pins == Ok(0) { "is not being read" } else { "is not read there" };
    misuse::end(ME, format_args!("pool {}: handle {handle:#x} {what}", pool.name))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_obj_write(
    pool: *mut Pool,
    handle: c_ulong,
    bytes: *const c_void,
    len: usize,
) {
    const ME: &str = "zs_obj_write";
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, ME) };
    let name = pool.handle(ME, handle);
    let bytes = if len == 0 {
        &[]
    } else {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts(bytes.cast::<u8>(), len) }
    };
    let written = pool.heap.lock().write(name, 0, bytes);
    pool.done(ME, handle, written);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_compact(pool: *mut Pool) -> c_ulong {
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, "zs_compact") };
    let pages = pool.heap.lock().compact() / PAGE;
    pool.compacted.fetch_add(pages, Ordering::Relaxed);
    pages as c_ulong
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_get_total_pages(pool: *mut Pool) -> c_ulong {
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, "zs_get_total_pages") };
    let pages = pool.heap.lock().usage().pages / PAGE;
    pages as c_ulong
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_pool_stats(pool: *mut Pool, stats: *mut Stats) {
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, "zs_pool_stats") };
    let pages_compacted = pool.compacted.load(Ordering::Relaxed) as c_ulong;
    // SAFETY: as above.
    unsafe { stats.write(Stats { pages_compacted }) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_huge_class_size(pool: *mut Pool) -> usize {
    // SAFETY: what the header asks of the caller.
    unsafe { open(pool, "zs_huge_class_size") }.heap.lock().classes().huge_from()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zs_lookup_class_index(pool: *mut Pool, size: u32) -> u32 {
    // SAFETY: what the header asks of the caller.
    let heap = unsafe { open(pool, "zs_lookup_class_index") }.heap.lock();
    let class = heap.classes().class_of(size as usize);
    let mut lines = heap.class_lines().map(|line| (line.index, line.class));
    let found = lines.find(|(_, known)| class == Ok(*known));
    low32(found.map_or(254, |(index, _)| index))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_kernel_zs_classes(pool: *mut Pool, descriptor: c_int) {
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, "heapwright_kernel_zs_classes") };
    let mut out = Console::new(usize::try_from(descriptor).unwrap_or(2));
    // A console takes what it is given.
    let _ = pool.heap.lock().write_classes(&mut out);
}
