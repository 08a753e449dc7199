//! What stands between the program and its malloc: what of a recording it decides.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use trace_format::Writer;

use crate::text::Text;

/// Who has the calls of a program recorded.
pub struct Front {
    /// A recording begins, with stacks or without. `false`: what it needs besides cannot be had.
    pub begins: fn(bool) -> bool,
    /// Nothing is recorded any more: calls go past us.
    pub rests: fn(),
    /// Why the recording is to end, if it is; the monotonic clock is at this nanosecond.
    pub why_to_stop: fn(u64) -> Option<&'static [u8]>,
    /// What is due now and then is done. Errors: why there is no room in the file.
    pub due: fn() -> Result<(), &'static [u8]>,
    /// The process ends, and this is the last that is written.
    pub ends: fn(&mut Writer),
    /// The file that the malloc is in; empty: the program itself.
    pub malloc: fn() -> &'static CStr,
    /// What the head says besides; whether of a child of `fork`.
    pub describe: fn(&mut Text<'_>, bool),
    /// A function of the C library that it may not have.
    pub function: fn(&CStr) -> Option<*mut ()>,
}

impl Front {
    /// One that decides nothing.
    pub(crate) const NONE: Self = Self {
        begins: |_| true,
        rests: || {},
        why_to_stop: |_| None,
        due: || Ok(()),
        ends: |_| {},
        malloc: || c"",
        describe: |_, _| {},
        function: |_| None,
    };
}

static FRONT: AtomicPtr<Front> = AtomicPtr::new(ptr::null_mut());

/// From now on it is this one.
pub fn set(front: &'static Front) {
    FRONT.store(ptr::from_ref(front).cast_mut(), Ordering::Release);
}

/// Who has the calls recorded: there is one before anything is.
pub(crate) fn get() -> &'static Front {
    let front = FRONT.load(Ordering::Acquire);
    // SAFETY: what `set` was given, which stays.
    let front = unsafe { front.as_ref() };
    front.unwrap_or(&Front::NONE)
}
