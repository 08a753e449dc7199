//! Exit codes, as `env`, `timeout` and the shells use them.

use std::process::ExitCode;

use bench::resolve;

use crate::style;

/// heapwright itself failed.
pub(crate) const FAILED: u8 = 125;

/// Some allocator failed; the others were measured.
pub(crate) const SOME_FAILED: u8 = 3;

/// The user interrupted; what was measured was printed.
pub(crate) const INTERRUPTED: u8 = 130;

/// Tells an error on standard error; the exit code that belongs to it.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("{} {error:#}", style::error("heapwright:"));
    let resolve = error.chain().find_map(|e| e.downcast_ref::<resolve::Error>());
    ExitCode::from(resolve.map_or(FAILED, resolve::Error::exit_code))
}

/// Tells something the user should know on standard error, in one line.
pub(crate) fn warn(text: &str) {
    eprintln!("{} {text}", style::warning("heapwright: warning:"));
}
