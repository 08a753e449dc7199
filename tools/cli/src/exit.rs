//! Exit codes, as `env`, `timeout` and the shells use them.

use core::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use launch::resolve;

use show::text::{self, wrapped};

use crate::{format, style};

/// heapwright itself failed.
pub(crate) const FAILED: u8 = 125;

/// A `--fail-if` holds.
pub(crate) const CROSSED: u8 = 1;

pub(crate) const USAGE: u8 = 2;

/// Some allocator failed; the others were measured.
pub(crate) const SOME_FAILED: u8 = 3;

/// The user interrupted; what was measured was printed.
pub(crate) const INTERRUPTED: u8 = 130;

/// The command line names something that there is not.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Usage {}

pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    say_as(&style::error("heapwright:"), &format!(" {}", broken(&said(error))));
    if error.chain().any(|e| e.is::<Usage>()) {
        return ExitCode::from(USAGE);
    }
    let resolve = error.chain().find_map(|e| e.downcast_ref::<resolve::Error>());
    ExitCode::from(resolve.map_or(FAILED, resolve::Error::exit_code))
}

/// The error with its causes; a cause that it ends with already is not said twice.
pub(crate) fn said(error: &anyhow::Error) -> String {
    error.chain().skip(1).map(ToString::to_string).fold(error.to_string(), |said, cause| {
        if said.ends_with(&cause) { said } else { format!("{said}: {cause}") }
    })
}

/// Prints something the user should know on standard error, in one line.
pub(crate) fn warn(text: &str) {
    say_as(&style::warning("heapwright: warning:"), &format!(" {}", broken(text)));
}

/// A sentence as long as the terminal is wide; what our name in front takes is the least that it is indented by.
fn broken(text: &str) -> String {
    wrapped(text, "heapwright: warning: ".len(), text::width())
}

/// Prints a line on standard error. What cannot be said there ends nothing: it may be a file on a full disk.
pub(crate) fn say(text: &str) {
    say_as("", text);
}

/// The same behind words of ours, which may have a colour.
fn say_as(head: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{head}{}", format::visible(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let refused = || io::Error::from_raw_os_error(libc::ENOENT);
        let own = bench::measured::Error::System("start the helper", refused());
        let once = "cannot start the helper: No such file or directory (os error 2)";
        assert_eq!(said(&own.into()), once);
        let context = anyhow::Error::from(refused()).context("cannot start the helper");
        assert_eq!(said(&context), once);
    }
}
