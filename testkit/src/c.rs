//! `C`: the C malloc of this process, whatever it is: glibc's, or a preloaded one.
//!
//! The functions are called through pointers the compiler cannot see through; it knows `malloc`
//! by name and would otherwise leave calls out, or take it for granted that they succeed.
use core::ffi::{c_int, c_void};
use core::hint::black_box;

use base::check::ensure;
use base::{Broken, Check, Malloc};

pub mod heaps;
mod symbol;

type Allocate = unsafe extern "C" fn(usize) -> *mut c_void;
type AllocateTwo = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type Aligned = unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int;
type Resize = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type FreeSized = unsafe extern "C" fn(*mut c_void, usize);
type Usable = unsafe extern "C" fn(*mut c_void) -> usize;
type CheckAll = unsafe extern "C" fn() -> c_int;

/// The process's `malloc`, `free` and so on.
#[derive(Debug, Clone, Copy)]
pub struct C {
    malloc: Allocate,
    calloc: AllocateTwo,
    posix_memalign: Aligned,
    realloc: Resize,
    free: Free,
    free_sized: Option<FreeSized>,
    usable: Usable,
    check: Option<CheckAll>,
}

impl C {
    /// Looks up what not every C library has.
    pub fn new() -> C {
        C {
            malloc: black_box(libc::malloc),
            calloc: black_box(libc::calloc),
            posix_memalign: black_box(libc::posix_memalign),
            realloc: black_box(libc::realloc),
            free: black_box(libc::free),
            free_sized: symbol::find(c"free_sized"),
            usable: black_box(libc::malloc_usable_size),
            check: symbol::find(c"heapwright_check"),
        }
    }

    /// Gives free memory back to the system.
    pub fn purge(&self) {
        // SAFETY: `malloc_trim` takes any number.
        unsafe { libc::malloc_trim(0) };
    }
}

impl Check for C {
    /// Asks `heapwright_check` where the process has it; there is nothing to ask elsewhere.
    fn check(&self) -> Result<(), Broken> {
        // SAFETY: heapwright.h: any thread, no arguments.
        let answer = self.check.map_or(0, |check| unsafe { check() });
        ensure(answer == 0, "heapwright_check says so; its message on stderr names it", 0)
    }
}

// SAFETY: the C library promises what the trait asks for; `realloc` to 0 bytes, which may free, is
// never passed on.
unsafe impl Malloc for C {
    fn malloc(&self, size: usize) -> *mut u8 {
        // SAFETY: `malloc` takes any size.
        unsafe { (self.malloc)(size) }.cast()
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        // SAFETY: `calloc` takes any sizes.
        unsafe { (self.calloc)(count, size) }.cast()
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        let mut block = core::ptr::null_mut();
        // SAFETY: `block` is ours to write, and a power of two from a word up is a valid alignment.
        let error =
            unsafe { (self.posix_memalign)(&raw mut block, align.max(size_of::<usize>()), size) };
        if error == 0 { block.cast() } else { core::ptr::null_mut() }
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's `ptr` is null or live.
        unsafe { (self.realloc)(ptr.cast(), size.max(1)) }.cast()
    }

    unsafe fn free(&self, ptr: *mut u8) {
        // SAFETY: the caller's `ptr` is null or live.
        unsafe { (self.free)(ptr.cast()) };
    }

    unsafe fn free_sized(&self, ptr: *mut u8, size: usize) {
        match self.free_sized {
            // SAFETY: the caller's `ptr` is null or live, and `size` what was asked for.
            Some(free_sized) => unsafe { free_sized(ptr.cast(), size) },
            // SAFETY: the caller's `ptr` is null or live.
            None => unsafe { (self.free)(ptr.cast()) },
        }
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        // SAFETY: the caller's `ptr` is null or live.
        unsafe { (self.usable)(ptr.cast()) }
    }
}
