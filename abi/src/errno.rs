//! errno, and the answers that set it.
use core::ffi::c_int;
use core::ptr;

pub(crate) const ENOMEM: c_int = 12;
pub(crate) const EINVAL: c_int = 22;

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

#[cfg(heap = "flagship")]
pub(crate) fn errno() -> c_int {
    // SAFETY: the C library gives every thread a valid location.
    let location = unsafe { __errno_location() };
    // SAFETY: as above.
    unsafe { location.read() }
}

pub(crate) fn set_errno(value: c_int) {
    // SAFETY: the C library gives every thread a valid location.
    let location = unsafe { __errno_location() };
    // SAFETY: as above.
    unsafe { location.write(value) };
}

/// `block`, and ENOMEM when it is null.
#[inline]
pub(crate) fn or_enomem(block: *mut u8) -> *mut u8 {
    if block.is_null() { fail(ENOMEM) } else { block }
}

/// Null with errno set.
#[cold]
#[inline(never)]
pub(crate) fn fail(error: c_int) -> *mut u8 {
    set_errno(error);
    ptr::null_mut()
}
