//! The command `heapwright`: runs programs on another malloc, and measures which malloc suits them.
//!
//! One file per subcommand in `commands`, one per group of flags in `flags`; the work is done by the
//! libraries `heapwright-launch` and `heapwright-bench`. The drop-in libraries are inside this executable (`embedded`).

// They panic where nothing can be written; `out` and `exit` report it.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod allocators;
mod cli;
mod commands;
mod embedded;
mod exit;
mod flags;
mod format;
mod out;
mod recorded;
mod style;
mod traces;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use bench::{helper, prepare, warm};
use launch::probe;

fn main() -> ExitCode {
    // First of all, and with nothing else touched: what the helper touches counts as the measured program's memory.
    if let Some(code) = hidden() {
        return code;
    }
    // A reader that has seen enough ends us as it ends every other filter; `bench` has more to do and ignores it again.
    // SAFETY: setting the default disposition installs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    cli::run()
}

/// The subcommands that heapwright starts itself with.
fn hidden() -> Option<ExitCode> {
    let mut args = env::args_os().skip(1);
    let first = args.next()?;
    if first == helper::SUBCOMMAND {
        let rest: Vec<OsString> = args.collect();
        let code = u8::try_from(helper::main(&rest)).unwrap_or(1);
        return Some(ExitCode::from(code));
    }
    if first == prepare::SUBCOMMAND {
        let rest: Vec<OsString> = args.collect();
        let code = u8::try_from(prepare::main(&rest)).unwrap_or(1);
        return Some(ExitCode::from(code));
    }
    if first == warm::SUBCOMMAND {
        warm::main(&args.collect::<Vec<OsString>>());
        return Some(ExitCode::SUCCESS);
    }
    if first == probe::SUBCOMMAND {
        // Who asked and did not wait gets no answer.
        let told = io::stdout().write_all(probe::answer().as_bytes());
        return Some(ExitCode::from(u8::from(told.is_err())));
    }
    None
}
