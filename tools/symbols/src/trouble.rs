//! Why addresses have no names, and what would help.

use core::fmt;

use serde::{Deserialize, Serialize};

/// Why a file's addresses have no names, or not all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Gone,
    Unreadable(String),
    Changed,
    /// It has no table of symbols and no debugging information.
    Stripped,
    NoLines,
    NoFile,
    /// Several files were, one after the other.
    Several,
}

/// A file whose addresses have no names, or not all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The file; nothing where there is none.
    pub path: String,
    /// The recorded one's build id, or nothing.
    pub build_id: String,
    pub why: Why,
    pub addresses: usize,
}

impl fmt::Display for Trouble {
    /// What is wrong and what would help, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.why {
            Why::Gone => write!(f, "{path} is gone: put back the recorded file, and its functions have names"),
            Why::Unreadable(why) => write!(f, "{path} cannot be read: {why}"),
            Why::Changed if self.build_id.is_empty() => write!(
                f,
                "{path} was changed after the recording, so its names are left out: put back the recorded file, or record again"
            ),
            Why::Changed => write!(
                f,
                "{path} is not the recorded file (build id {}), so its names are left out: put that one back, or record again",
                self.build_id
            ),
            Why::Stripped if self.build_id.is_empty() => {
                write!(f, "{path} is stripped: build it with -g and leave it unstripped, and its functions have names")
            }
            Why::Stripped => write!(
                f,
                "{path} is stripped: a package of debug symbols for it (build id {}), or a build with -g, gives its functions names",
                self.build_id
            ),
            Why::NoLines => {
                write!(f, "{path} has names, but no lines: a package of debug symbols for it, or a build with -g, gives them")
            }
            Why::NoFile => f.write_str(
                "some addresses lie in no file: code that was made at run time (node --perf-basic-prof and python -X perf leave its names in /tmp), or a file that was not recorded",
            ),
            Why::Several => {
                write!(f, "several files lay where {path} did, one after the other, so the names are left out")
            }
        }
    }
}
