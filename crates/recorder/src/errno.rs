//! errno, put back behind what the recorder itself did (interpose-I3).

use core::ffi::c_int;

/// errno when this was made, and again when it is dropped.
pub struct Kept(c_int);

impl Kept {
    /// What it is now.
    pub fn now() -> Self {
        Self(get())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        set(self.0);
    }
}

/// What errno is.
pub fn get() -> c_int {
    // SAFETY: the C library gives every thread a location.
    let location = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { location.read() }
}

/// Sets errno.
pub fn set(error: c_int) {
    // SAFETY: the C library gives every thread a location.
    let location = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { location.write(error) };
}
