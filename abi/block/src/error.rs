//! The numbers of `enum heapwright_block_error` and their words.

use core::ffi::{c_char, c_int};

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

/// The words in the order of the numbers, and those of no number. One constant, so that a program
/// that does not ask for them does not have them.
static WORDS: &[u8] = b"no error\0\
    a pointer that must not be null is null\0\
    the memory goes past the end of the address space\0\
    the memory is too small to hold a block\0\
    the memory is larger than the heap's control block can describe\0\
    the memory overlaps what the heap has\0\
    the heap can record no further piece of memory\0\
    no memory was added at this address\0\
    a block in this memory is live\0\
    an invariant of the heap is broken\0\
    the step is not a power of two\0\
    not an error of heapwright\0";

#[unsafe(no_mangle)]
extern "C" fn heapwright_block_error_text(error: c_int) -> *const c_char {
    let number = if (STEP..=OK).contains(&error) { error.unsigned_abs() } else { 11 };
    let mut before = number;
    let mut at = 0;
    for (index, byte) in WORDS.iter().enumerate() {
        if before == 0 {
            break;
        }
        if *byte == 0 {
            before -= 1;
            at = index + 1;
        }
    }
    WORDS.as_ptr().wrapping_add(at).cast()
}
