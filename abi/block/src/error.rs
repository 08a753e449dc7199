//! The numbers of `enum heapwright_block_error` and their words.

use core::ffi::{CStr, c_char, c_int};

use base::{AddError, RemoveError};

pub(crate) const OK: c_int = 0;
pub(crate) const NULL: c_int = -1;
pub(crate) const WRAPS: c_int = -2;
pub(crate) const TOO_SMALL: c_int = -3;
pub(crate) const TOO_LARGE: c_int = -4;
pub(crate) const OVERLAPS: c_int = -5;
pub(crate) const FULL: c_int = -6;
pub(crate) const UNKNOWN: c_int = -7;
pub(crate) const IN_USE: c_int = -8;
pub(crate) const BROKEN: c_int = -9;
pub(crate) const STEP: c_int = -10;

/// The number for why memory was not taken.
pub(crate) fn added(result: Result<(), AddError>) -> c_int {
    match result {
        Ok(()) => OK,
        Err(AddError::Null) => NULL,
        Err(AddError::Wraps) => WRAPS,
        Err(AddError::TooSmall) => TOO_SMALL,
        Err(AddError::TooLarge) => TOO_LARGE,
        Err(AddError::Overlaps) => OVERLAPS,
        Err(AddError::Full) => FULL,
    }
}

/// The number for why memory was not given up.
pub(crate) fn removed<T>(result: Result<T, RemoveError>) -> c_int {
    match result {
        Ok(_) => OK,
        Err(RemoveError::Unknown) => UNKNOWN,
        Err(RemoveError::InUse) => IN_USE,
    }
}

const fn words(error: c_int) -> &'static CStr {
    match error {
        OK => c"no error",
        NULL => c"a pointer that must not be null is null",
        WRAPS => c"the memory goes past the end of the address space",
        TOO_SMALL => c"the memory is too small to hold a block",
        TOO_LARGE => c"the memory is larger than the heap's control block can describe",
        OVERLAPS => c"the memory overlaps what the heap has",
        FULL => c"the heap can record no further piece of memory",
        UNKNOWN => c"no memory was added at this address",
        IN_USE => c"a block in this memory is live",
        BROKEN => c"an invariant of the heap is broken",
        STEP => c"the step is not a power of two",
        _ => c"not an error of heapwright",
    }
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_block_error_text(error: c_int) -> *const c_char {
    words(error).as_ptr()
}
