//! Profiles that the program itself begins and ends, by `heapwright/profile.h`: while the recorder waits.

use core::ffi::{CStr, c_char, c_int};

use recorder::profile::{ask, stop, write};

use crate::errno::Kept;
use crate::{armed, begin};

/// A string of the caller's, if it is one that can be a path.
///
/// # Safety
/// Null, or a string that stays.
unsafe fn path<'a>(path: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_bytes())
}

fn answer<E>(done: Result<(), E>) -> c_int {
    if done.is_ok() { 0 } else { -1 }
}

/// Begins a profile, with its file in `folder`, which is there. 0, or -1: something is recorded already, or the file cannot be made.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_profile_start(folder: *const c_char, interval: usize) -> c_int {
    let _errno = Kept::now();
    // SAFETY: the caller's promise.
    let Some(folder) = (unsafe { path(folder) }) else { return -1 };
    if !armed::is_armed() {
        return -1;
    }
    answer(ask(folder, interval, b"", |asked| begin::begin_armed(asked, armed::begin_by_itself)))
}

/// Writes a copy of the profile to a file of this path. 0, or -1: there is none, or it cannot be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_profile_write(to: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let to = unsafe { path(to) };
    to.map_or(-1, |to| answer(write(to)))
}

/// Ends it, and with it the file. Nothing, where there is none.
#[unsafe(no_mangle)]
extern "C" fn heapwright_profile_stop() {
    if armed::is_by_itself() {
        stop();
    }
}
