//! `Report`: how an allocator speaks, which it does in one line and without allocating.

use core::fmt;

/// Somewhere to write a line to.
pub trait Report {
    /// Writes `message` to standard error; a failure to write is ignored.
    fn print(message: fmt::Arguments<'_>);

    /// Writes `heapwright: message` as one line to standard error and aborts the process.
    fn fatal(message: fmt::Arguments<'_>) -> !;
}
