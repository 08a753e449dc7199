//! How a program ended.

use core::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};
use signal_hook::low_level::signal_name;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            None => Self::Code(status.code().unwrap_or(-1)),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "crashed: {name}"),
                None => write!(f, "killed by signal {signal}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_every_kind() {
        let of = |status| Exit::from(ExitStatus::from_raw(status));
        assert_eq!(of(3 << 8), Exit::Code(3));
        assert_eq!(of(11), Exit::Signal(11));
        assert_eq!(of(6 | 0x80), Exit::Signal(6), "with a core dump");
        let words = [of(0), of(11), of(64)].map(|exit| exit.to_string());
        assert_eq!(words, ["exit code 0", "crashed: SIGSEGV", "killed by signal 64"]);
    }
}
