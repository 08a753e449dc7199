//! The two flags of a request that change something.

use core::fmt;

use crate::misuse;

/// `gfp_t`.
pub(crate) type Flags = u32;

/// `__GFP_ZERO`.
pub(crate) const ZERO: Flags = 1;
/// `__GFP_NOFAIL`.
pub(crate) const NOFAIL: Flags = 2;

/// Passes on what a request came to. One that must not fail ends the program for want of memory.
#[inline]
pub(crate) fn granted<T>(flags: Flags, function: &str, size: usize, got: Option<T>) -> Option<T> {
    if got.is_none() && flags & NOFAIL != 0 {
        refuse(function, format_args!("{size} bytes"));
    }
    got
}

/// There is no memory, and there has to be some.
#[cold]
pub(crate) fn refuse(function: &str, what: fmt::Arguments<'_>) -> ! {
    misuse::end(function, format_args!("no memory for {what}, which must not fail"))
}
