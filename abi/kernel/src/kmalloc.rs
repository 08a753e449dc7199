//! `kmalloc` and its family: one `Kmalloc` behind a lock.
//!
//! ```text
//! kfree, ksize   ─► Kmalloc ─ foreign ─► the page's cache ─ foreign ─► misuse
//! kvmalloc       ─► Kmalloc, or vmalloc          kvfree ─► by the address
//! ```
use core::ffi::{CStr, c_char, c_void};
use core::fmt::Write as _;
use core::ptr::{self, NonNull};

use base::lock::Lock;
use base::{Broken, Check};
use kernel::kmalloc::{Kmalloc, Options, ZERO_SIZE, size_roundup};
use kernel::kmem_cache::{Finding, Misuse, Policy};
use source::FrameSource;
use source::os::Os;
use source::os::imp::console::Console;

use crate::flags::{self, Flags};
use crate::fork;
use crate::guarded::Guarded;
use crate::kmem;
use crate::misuse;
use crate::name::Name;
use crate::pages::{PAGE, Pages};
use crate::vmalloc;

/// `KMALLOC_MAX_SIZE`.
const MOST: usize = 4 << 20;

static KMALLOC: Guarded<Option<Kmalloc<Pages>>> = Guarded::new(None);

/// Does something with it, inside of its lock; it is made when it is first asked for.
#[inline]
fn with<R>(work: impl FnOnce(&mut Kmalloc<Pages>) -> R) -> R {
    let mut inside = KMALLOC.lock();
    work(inside.get_or_insert_with(begin))
}

#[cold]
fn begin() -> Kmalloc<Pages> {
    fork::watch();
    Kmalloc::new(
        Pages,
        Options { policy: Policy::SlabLifo, processors: Os.processors(), ..Options::default() },
    )
}

pub(crate) fn lock() -> &'static Lock<Os> {
    KMALLOC.bare()
}

pub(crate) fn check() -> Result<(), Broken> {
    KMALLOC.lock().as_ref().map_or(Ok(()), Check::check)
}

pub(crate) fn write_infos(out: &mut Console) {
    if let Some(kmalloc) = KMALLOC.lock().as_ref() {
        // A console takes what it is given.
        kmalloc.infos().for_each(|info| _ = writeln!(out, "{info}"));
    }
}

pub(crate) fn room<T>() -> Option<NonNull<T>> {
    const { assert!(align_of::<T>() <= 8, "every block is aligned so") };
    Some(with(|kmalloc| kmalloc.allocate(size_of::<T>()))?.cast())
}

pub(crate) fn give_back<T>(room: NonNull<T>) {
    free("kfree", room.cast());
}

/// Ends the program if an object that was given to cache `called` is a block of kmalloc.
pub(crate) fn end_if_owned(function: &str, called: Name, object: NonNull<u8>) {
    let owned = KMALLOC.lock().as_ref().is_some_and(|kmalloc| kmalloc.try_ksize(object).is_ok());
    if owned {
        misuse::end(function, format_args!("cache {called}: {object:p} is a block of kmalloc"));
    }
}

/// A block of `size` bytes, as its flags say. Size 0: no memory, but no failure. All of a block that is to be 0 is, so that
/// `krealloc` can grow it in place.
#[inline]
pub(crate) fn allocate(function: &str, size: usize, flags: Flags) -> Option<NonNull<u8>> {
    let block = with(|kmalloc| kmalloc.allocate(size));
    let block = flags::granted(flags, function, size, block)?;
    if flags & flags::ZERO != 0 && size > 0 {
        // SAFETY: a new block, and all its bytes.
        unsafe { block.write_bytes(0, kmalloc_size_roundup(size)) };
    }
    Some(block)
}

#[cold]
fn end(function: &str, block: NonNull<u8>, misuse: &Misuse) -> ! {
    if misuse.finding == Finding::Foreign {
        misuse::end(function, format_args!("{block:p} is no block of kmalloc"));
    }
    misuse::end(function, format_args!("{misuse}"))
}

/// Frees a block of kmalloc, or an object of any cache.
fn free(function: &str, block: NonNull<u8>) {
    // SAFETY: the caller gives it up; what it is not is found.
    let Err(misuse) = with(|kmalloc| unsafe { kmalloc.try_free(block) }) else { return };
    if misuse.finding != Finding::Foreign || !kmem::try_free(function, block) {
        end(function, block, &misuse);
    }
}

/// Bytes of a block of kmalloc, or of an object of any cache.
fn usable(function: &str, block: NonNull<u8>) -> usize {
    let misuse = match with(|kmalloc| kmalloc.try_ksize(block)) {
        Ok(size) => return size,
        Err(misuse) => misuse,
    };
    let is_foreign = misuse.finding == Finding::Foreign;
    match is_foreign.then(|| kmem::owner(function, block)).flatten() {
        Some((_, size)) => size,
        None => end(function, block, &misuse),
    }
}

/// Not null, and not what no bytes have.
fn block(pointer: *const c_void) -> Option<NonNull<u8>> {
    NonNull::new(pointer.cast_mut().cast()).filter(|block| *block != ZERO_SIZE)
}

#[inline]
fn pointer(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn kmalloc(size: usize, flags: Flags) -> *mut u8 {
    pointer(allocate("kmalloc", size, flags))
}

#[unsafe(no_mangle)]
extern "C" fn kzalloc(size: usize, flags: Flags) -> *mut u8 {
    pointer(allocate("kzalloc", size, flags | flags::ZERO))
}

#[unsafe(no_mangle)]
extern "C" fn kmalloc_array(count: usize, size: usize, flags: Flags) -> *mut u8 {
    pointer(allocate("kmalloc_array", count.saturating_mul(size), flags))
}

#[unsafe(no_mangle)]
extern "C" fn kcalloc(count: usize, size: usize, flags: Flags) -> *mut u8 {
    pointer(allocate("kcalloc", count.saturating_mul(size), flags | flags::ZERO))
}

/// `krealloc`, for whichever function was called.
fn reallocate(function: &str, old: *const c_void, size: usize, flags: Flags) -> *mut u8 {
    let Some(old) = block(old) else { return pointer(allocate(function, size, flags)) };
    if size == 0 {
        free(function, old);
        return ZERO_SIZE.as_ptr();
    }
    let had = usable(function, old);
    if size <= had {
        if flags & flags::ZERO != 0 {
            // What is gained later must be 0, and by then nobody knows what was asked for now.
            // SAFETY: within the block.
            let rest = unsafe { old.add(size) };
            // SAFETY: as above.
            unsafe { rest.write_bytes(0, had - size) };
        }
        return old.as_ptr();
    }
    let Some(new) = allocate(function, size, flags & !flags::ZERO) else { return ptr::null_mut() };
    // SAFETY: both are live and apart, and `had` is less than `size`.
    unsafe { new.copy_from_nonoverlapping(old, had) };
    if flags & flags::ZERO != 0 {
        // SAFETY: within the new block.
        let rest = unsafe { new.add(had) };
        // SAFETY: as above.
        unsafe { rest.write_bytes(0, kmalloc_size_roundup(size) - had) };
    }
    free(function, old);
    new.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn krealloc(old: *const c_void, size: usize, flags: Flags) -> *mut u8 {
    reallocate("krealloc", old, size, flags)
}

#[unsafe(no_mangle)]
extern "C" fn krealloc_array(
    old: *const c_void,
    count: usize,
    size: usize,
    flags: Flags,
) -> *mut u8 {
    reallocate("krealloc_array", old, count.saturating_mul(size), flags)
}

#[unsafe(no_mangle)]
extern "C" fn kfree(old: *const c_void) {
    if let Some(block) = block(old) {
        free("kfree", block);
    }
}

#[unsafe(no_mangle)]
extern "C" fn kfree_sensitive(old: *const c_void) {
    const ME: &str = "kfree_sensitive";
    let Some(block) = block(old) else { return };
    for at in 0..usable(ME, block) {
        // SAFETY: within the block, which is the caller's.
        let byte = unsafe { block.add(at) };
        // SAFETY: as above. Volatile, so that it is done although nobody reads it.
        unsafe { byte.write_volatile(0) };
    }
    free(ME, block);
}

#[unsafe(no_mangle)]
extern "C" fn ksize(old: *const c_void) -> usize {
    block(old).map_or(0, |block| usable("ksize", block))
}

#[unsafe(no_mangle)]
extern "C" fn kmalloc_size_roundup(size: usize) -> usize {
    size_roundup(size, PAGE).unwrap_or(size)
}

/// A copy of `len` bytes with `rest` bytes of 0 behind them.
/// The caller promises: `from` has `len` bytes.
unsafe fn copy(function: &str, from: *const u8, len: usize, rest: usize, flags: Flags) -> *mut u8 {
    let Some(new) = allocate(function, len + rest, flags) else { return ptr::null_mut() };
    // SAFETY: the caller's promise; the block is new.
    unsafe { new.as_ptr().copy_from_nonoverlapping(from, len) };
    // SAFETY: within the block.
    let end = unsafe { new.add(len) };
    // SAFETY: as above.
    unsafe { end.write_bytes(0, rest) };
    new.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kstrdup(text: *const c_char, flags: Flags) -> *mut u8 {
    if text.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: what the header asks of the caller.
    let len = unsafe { CStr::from_ptr(text) }.count_bytes();
    // SAFETY: as above.
    unsafe { copy("kstrdup", text.cast(), len, 1, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kstrndup(text: *const c_char, most: usize, flags: Flags) -> *mut u8 {
    if text.is_null() {
        return ptr::null_mut();
    }
    let mut len = 0;
    // SAFETY: what the header asks of the caller: up to the 0, or to `most`.
    while len < most && unsafe { text.wrapping_add(len).read() } != 0 {
        len += 1;
    }
    // SAFETY: as above.
    unsafe { copy("kstrndup", text.cast(), len, 1, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kmemdup(bytes: *const u8, size: usize, flags: Flags) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { copy("kmemdup", bytes, size, 0, flags) }
}

/// A block of kmalloc if it has one, else an area of vmalloc.
fn either(function: &'static str, size: usize, flags: Flags) -> *mut u8 {
    if size <= MOST
        && let Some(block) = allocate(function, size, flags & !flags::NOFAIL)
    {
        return block.as_ptr();
    }
    pointer(vmalloc::allocate(function, size, flags))
}

#[unsafe(no_mangle)]
extern "C" fn kvmalloc(size: usize, flags: Flags) -> *mut u8 {
    either("kvmalloc", size, flags)
}

#[unsafe(no_mangle)]
extern "C" fn kvzalloc(size: usize, flags: Flags) -> *mut u8 {
    either("kvzalloc", size, flags | flags::ZERO)
}

#[unsafe(no_mangle)]
extern "C" fn kvmalloc_array(count: usize, size: usize, flags: Flags) -> *mut u8 {
    either("kvmalloc_array", count.saturating_mul(size), flags)
}

#[unsafe(no_mangle)]
extern "C" fn kvcalloc(count: usize, size: usize, flags: Flags) -> *mut u8 {
    either("kvcalloc", count.saturating_mul(size), flags | flags::ZERO)
}

#[unsafe(no_mangle)]
extern "C" fn kvrealloc(old: *const c_void, size: usize, flags: Flags) -> *mut u8 {
    const ME: &str = "kvrealloc";
    let Some(block) = block(old) else { return either(ME, size, flags) };
    if vmalloc::is_address(block.addr().get()) {
        return pointer(vmalloc::reallocate(ME, block, size, flags));
    }
    if size <= MOST {
        let new = reallocate(ME, old, size, flags & !flags::NOFAIL);
        if !new.is_null() {
            return new;
        }
    }
    let kept = usable(ME, block).min(size);
    let new = vmalloc::copy(ME, block, kept, size, flags);
    if new.is_some() {
        free(ME, block);
    }
    pointer(new)
}

#[unsafe(no_mangle)]
extern "C" fn kvfree(old: *const c_void) {
    let Some(block) = block(old) else { return };
    if vmalloc::is_address(block.addr().get()) {
        vmalloc::free("kvfree", block);
    } else {
        free("kvfree", block);
    }
}
