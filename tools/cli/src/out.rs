//! Standard output. What a command prints goes through here, so that a full disk is an error and no panic.

use std::io::{self, ErrorKind, Write as _};

use anyhow::Context as _;

/// Prints `text` as it is.
///
/// A reader that has gone is no error: where this is seen at all, and does not end the process, there is other work to do.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot write to standard output"),
    }
}
