//! Memory of this program's own, apart from malloc's.

use core::ffi::CStr;
use core::ptr;

use crate::out::{errno, fail};

/// `count` zeroes of a type that is made of numbers, touched.
pub(crate) fn zeroed<T>(count: usize) -> *mut T {
    let bytes = count.saturating_mul(size_of::<T>()).max(1);
    // SAFETY: a new mapping replaces nothing.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        fail(
            3,
            format_args!("no memory for {bytes} bytes of this program's own (errno {})", errno()),
        );
    }
    at.cast()
}

/// A new file of so many words, which what is written here goes into.
pub(crate) fn new_file<T>(path: &CStr, words: usize) -> *mut T {
    let name = path.to_str().unwrap_or("the file for places");
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
    // SAFETY: the path is a string.
    let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
    if file < 0 {
        fail(3, format_args!("cannot make {name} (errno {})", errno()));
    }
    let bytes = words.saturating_mul(size_of::<u64>());
    // Room is taken now: where there is none, a write into the mapping would be a signal.
    // SAFETY: it takes numbers and touches no memory.
    let refused = unsafe { libc::posix_fallocate(file, 0, bytes.cast_signed() as libc::off_t) };
    if refused != 0 {
        fail(3, format_args!("no room for {bytes} bytes of {name} (errno {refused})"));
    }
    // SAFETY: a new mapping replaces nothing.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes.max(1),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file,
            0,
        )
    };
    // SAFETY: the number is of this file, which the mapping does not need any more.
    unsafe { libc::close(file) };
    if at == libc::MAP_FAILED {
        fail(3, format_args!("cannot map {name} (errno {})", errno()));
    }
    at.cast()
}

/// A file's words.
pub(crate) fn file(path: &CStr) -> &'static [u64] {
    let name = path.to_str().unwrap_or("the plan");
    // SAFETY: the path is a string.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        fail(2, format_args!("cannot open {name} (errno {})", errno()));
    }
    // SAFETY: it moves the file's place and touches no memory.
    let bytes = unsafe { libc::lseek(file, 0, libc::SEEK_END) };
    let bytes = usize::try_from(bytes).unwrap_or(0);
    // SAFETY: a new mapping replaces nothing.
    let at = unsafe {
        libc::mmap(ptr::null_mut(), bytes.max(1), libc::PROT_READ, libc::MAP_PRIVATE, file, 0)
    };
    // SAFETY: the number is of this file, which the mapping does not need any more.
    unsafe { libc::close(file) };
    if at == libc::MAP_FAILED {
        fail(2, format_args!("cannot map {name} (errno {})", errno()));
    }
    // SAFETY: the mapping has so many words, is aligned to a page, and stays.
    unsafe { core::slice::from_raw_parts(at.cast(), bytes / size_of::<u64>()) }
}
