//! The C ABI: malloc and its family, the C++ operators, and heapwright's own functions.
//!
//! ```text
//! base   policy   source   page   object   thread   malloc   heapwright ─► ► abi   tools
//! ```
//!
//! `libheapwright.so` replaces a program's malloc when it is preloaded or linked,
//! `libheapwright.a` when it is linked; `libheapwright-NAME.so`, from the same sources around
//! another heap (`heap`), when it is preloaded. Rules kept: C23 7.24.3, POSIX.1-2024, and glibc's
//! behaviour where the two leave a choice; `abi/tests/c` has a program per rule.
//! `free` never touches errno: no system call of ours goes through the C library.
#![no_std]

#[cfg(heap = "flagship")]
mod background;
mod confine;
mod cplusplus;
mod dlopen;
mod errno;
#[cfg(heap = "flagship")]
mod extra;
mod family;
mod glibc;
mod heap;
#[cfg(heap = "flagship")]
mod heaps;
mod lifetime;
#[cfg(heap = "flagship")]
mod limits;
#[cfg(not(test))]
mod panic;
mod walk;

#[cfg(heap = "flagship")]
use base::Malloc;

#[link(name = "c")]
unsafe extern "C" {}

/// `size` bytes without errno: what every allocating function stands on.
#[inline(always)]
fn allocate(size: usize) -> *mut u8 {
    heap::HEAP.malloc(size)
}
