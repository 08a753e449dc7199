//! What happened, in a few words.

use crate::launch::Exit;
use crate::session::How;

impl How {
    /// What happened, in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        match *self {
            Self::Ended(Exit::Code(code)) => format!("exit code {code}"),
            Self::Ended(Exit::Signal(signal)) => match signal_name(signal) {
                Some(name) => format!("crashed: {name}"),
                None => format!("killed by signal {signal}"),
            },
            Self::NotStarted(errno) => {
                format!("could not be executed: {}", std::io::Error::from_raw_os_error(errno))
            }
            Self::TimedOut => "took longer than the time limit (--timeout sets it)".to_owned(),
        }
    }
}

/// The signals that end programs, by name.
#[must_use]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        _ => return None,
    })
}
