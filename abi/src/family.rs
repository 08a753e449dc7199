//! malloc, free and their family (C23 7.24.3, POSIX.1-2024, glibc manual 3.2.3).
use core::ffi::c_int;

#[cfg(heap = "flagship")]
use base::Malloc;

use source::os::imp::process::page_size;

use crate::allocate;
use crate::errno::{EINVAL, ENOMEM, fail, or_enomem, set_errno};
use crate::heap::{HEAP, MAX_LINEAR, global};

// malloc and free begin cache lines, wherever the linker puts them. Else their speed changes by some
// 5 % with every change of other code. These sections hold one function each.
#[cfg(target_os = "linux")]
core::arch::global_asm!(
    ".pushsection .text.heapwright_malloc, \"ax\", %progbits",
    ".p2align 6",
    ".section .text.heapwright_free, \"ax\", %progbits",
    ".p2align 6",
    ".popsection",
);

/// `size` bytes, or null with ENOMEM. `malloc(0)` is a block of its own.
#[unsafe(no_mangle)]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.heapwright_malloc"))]
extern "C" fn malloc(size: usize) -> *mut u8 {
    if size > MAX_LINEAR {
        return malloc_medium(size);
    }
    let block = HEAP.malloc_linear(size);
    if block.is_null() { malloc_slow(size) } else { block }
}

/// Sizes whose class comes from a table: apart, so that smaller ones fall through.
#[inline(never)]
extern "C" fn malloc_medium(size: usize) -> *mut u8 {
    let block = HEAP.malloc_fast(size);
    if block.is_null() { malloc_slow(size) } else { block }
}

#[cold]
#[inline(never)]
extern "C" fn malloc_slow(size: usize) -> *mut u8 {
    or_enomem(HEAP.malloc_slow(size))
}

/// Gives a block back; null is ignored, errno kept.
/// The caller promises: `ptr` is null or a live block, and dead afterwards.
#[unsafe(no_mangle)]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.heapwright_free"))]
unsafe extern "C" fn free(ptr: *mut u8) {
    // SAFETY: the caller's promise.
    if !unsafe { HEAP.free_fast(ptr) } {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free_slow(ptr, "free()") }
    }
}

/// `count * size` zeroed bytes, or null with ENOMEM.
#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    or_enomem(HEAP.calloc(count, size))
}

/// The block resized; see [`base::Malloc::realloc`]. `realloc(p, 0)` frees, as in glibc.
/// The caller promises: `ptr` is null or a live block; it is dead unless null is returned for a `size` above 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(ptr: *mut u8, size: usize) -> *mut u8 {
    if size == 0 && !ptr.is_null() {
        // SAFETY: the caller's promise.
        unsafe { free(ptr) };
        return core::ptr::null_mut();
    }
    // SAFETY: the caller's promise.
    or_enomem(unsafe { HEAP.resize(ptr, size, "realloc()") })
}

/// [`realloc`] to `count * size` bytes; ENOMEM when the product overflows.
/// The caller promises: as [`realloc`].
#[unsafe(no_mangle)]
unsafe extern "C" fn reallocarray(ptr: *mut u8, count: usize, size: usize) -> *mut u8 {
    match count.checked_mul(size) {
        // SAFETY: the caller's promise.
        Some(size) => unsafe { realloc(ptr, size) },
        None => fail(ENOMEM),
    }
}

/// [`free`] by another name, for old programs.
/// The caller promises: as [`free`].
#[unsafe(no_mangle)]
unsafe extern "C" fn cfree(ptr: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { free(ptr) }
}

/// Gives back a block of malloc, calloc or realloc whose size is known (C23 7.24.3.4).
/// The caller promises: as [`free`]; `size` is the size asked for.
#[unsafe(no_mangle)]
unsafe extern "C" fn free_sized(ptr: *mut u8, size: usize) {
    if !global::is_freed_by_size(size) {
        // SAFETY: the caller's promise.
        return unsafe { free_sized_medium(ptr, size) };
    }
    // SAFETY: the caller's promise.
    if !unsafe { HEAP.free_sized_linear(ptr, size) } {
        // SAFETY: the caller's promise.
        unsafe { free_sized_slow(ptr, size) }
    }
}

/// As [`malloc_medium`] is to malloc; and any block where there are heaps of their own, whose blocks only an address tells.
#[inline(never)]
unsafe extern "C" fn free_sized_medium(ptr: *mut u8, size: usize) {
    let done = if HEAP.had_own_heaps() {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free_fast(ptr) }
    } else {
        // SAFETY: the caller's promise; there is no heap of its own.
        unsafe { HEAP.free_sized_fast(ptr, size) }
    };
    if !done {
        // SAFETY: the caller's promise.
        unsafe { free_sized_slow(ptr, size) }
    }
}

/// Takes its arguments where [`free_sized`] has them, so that the hit path moves none.
#[cold]
#[inline(never)]
unsafe extern "C" fn free_sized_slow(ptr: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { HEAP.free_sized_slow(ptr, 1, size, "free_sized()") }
}

/// Gives back a block of `aligned_alloc` (C23 7.24.3.5).
/// The caller promises: as [`free`].
#[unsafe(no_mangle)]
unsafe extern "C" fn free_aligned_sized(ptr: *mut u8, alignment: usize, size: usize) {
    // SAFETY: the caller's promise.
    if !unsafe { HEAP.free_fast(ptr) } {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free_sized_slow(ptr, alignment, size, "free_aligned_sized()") }
    }
}

/// `size` bytes at a multiple of `alignment`; EINVAL when that is no power of two.
#[unsafe(no_mangle)]
extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut u8 {
    if !alignment.is_power_of_two() {
        return fail(EINVAL);
    }
    or_enomem(HEAP.aligned_alloc(alignment, size))
}

/// As [`aligned_alloc`], but rounds the alignment up to a power of two, as glibc does.
#[unsafe(no_mangle)]
extern "C" fn memalign(alignment: usize, size: usize) -> *mut u8 {
    match alignment.checked_next_power_of_two() {
        Some(alignment) => or_enomem(HEAP.aligned_alloc(alignment, size)),
        None => fail(EINVAL),
    }
}

/// Stores a block in `*out` and returns 0, or returns EINVAL or ENOMEM and stores nothing. With ENOMEM errno is that too, as
/// glibc has it: POSIX leaves it open, and there are programs that print it.
/// The caller promises: `out` is valid for writing a pointer.
#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(out: *mut *mut u8, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return EINVAL;
    }
    let block = HEAP.aligned_alloc(alignment, size);
    if block.is_null() {
        set_errno(ENOMEM);
        return ENOMEM;
    }
    // SAFETY: the caller's promise.
    unsafe { out.write(block) };
    0
}

/// `size` bytes at a page's start.
#[unsafe(no_mangle)]
extern "C" fn valloc(size: usize) -> *mut u8 {
    or_enomem(HEAP.aligned_alloc(page_size(), size))
}

/// `size` bytes rounded up to whole pages, at a page's start.
#[unsafe(no_mangle)]
extern "C" fn pvalloc(size: usize) -> *mut u8 {
    match size.max(1).checked_next_multiple_of(page_size()) {
        Some(size) => or_enomem(HEAP.aligned_alloc(page_size(), size)),
        None => fail(ENOMEM),
    }
}

/// How many bytes of the block may be used; 0 for null.
/// The caller promises: `ptr` is null or a live block.
#[unsafe(no_mangle)]
unsafe extern "C" fn malloc_usable_size(ptr: *mut u8) -> usize {
    // SAFETY: the caller's promise.
    unsafe { HEAP.usable_size(ptr) }
}

macro_rules! alias {
    ($($alias:ident = $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`] under the name by which glibc's own code calls it.")]
        /// The caller promises: as the function it stands for.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $alias($($arg: $type),*) $(-> $result)? {
            alias!(@call $name($($arg),*))
        }
    )*};
    (@call free($arg:ident)) => {
        // SAFETY: the caller's promise.
        unsafe { free($arg) }
    };
    (@call realloc($a:ident, $b:ident)) => {
        // SAFETY: the caller's promise.
        unsafe { realloc($a, $b) }
    };
    (@call reallocarray($a:ident, $b:ident, $c:ident)) => {
        // SAFETY: the caller's promise.
        unsafe { reallocarray($a, $b, $c) }
    };
    (@call $name:ident($($arg:ident),*)) => { $name($($arg),*) };
}

alias! {
    __libc_malloc = malloc(size: usize) -> *mut u8;
    __libc_calloc = calloc(count: usize, size: usize) -> *mut u8;
    __libc_realloc = realloc(ptr: *mut u8, size: usize) -> *mut u8;
    __libc_reallocarray = reallocarray(ptr: *mut u8, count: usize, size: usize) -> *mut u8;
    __libc_free = free(ptr: *mut u8);
    __libc_cfree = free(ptr: *mut u8);
    __libc_memalign = memalign(alignment: usize, size: usize) -> *mut u8;
    __libc_valloc = valloc(size: usize) -> *mut u8;
    __libc_pvalloc = pvalloc(size: usize) -> *mut u8;
}

/// What operator new stands on: malloc without errno.
pub(crate) extern "C" fn allocate_for_new(size: usize) -> *mut u8 {
    allocate(size)
}

pub(crate) extern "C" fn allocate_aligned_for_new(size: usize, alignment: usize) -> *mut u8 {
    match alignment.checked_next_power_of_two() {
        Some(alignment) => HEAP.aligned_alloc(alignment, size),
        None => core::ptr::null_mut(),
    }
}
