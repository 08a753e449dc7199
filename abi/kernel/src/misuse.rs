//! What only a broken program does: one line on standard error, and the end.
//!
//! ```text
//! heapwright: kmem_cache_free: cache session: 0x7f2a5c0012c0 is free already (double free)
//!             function         whose            what was found
//! ```
use core::fmt;

use source::Report;
use source::os::Os;

#[cold]
#[inline(never)]
pub(crate) fn end(function: &str, finding: fmt::Arguments<'_>) -> ! {
    Os::fatal(format_args!("{function}: {finding}"))
}

/// How many objects are in use of what is to go.
pub(crate) struct InUse(pub(crate) usize);

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 object is in use"),
            objects => write!(f, "{objects} objects are in use"),
        }
    }
}
