//! What is asked of the recorder, as variables of the program's environment.

use core::fmt::Write as _;
use core::time::Duration;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use launch::environment::{self, PRELOAD, preload};

const VARIABLE: &str = "HEAPWRIGHT_RECORD";
/// The longest value of it that the recorder takes.
const LONGEST: usize = 2000;

/// Which of the program's children are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Children {
    All,
    /// Those that become another program.
    Exec,
    None,
}

/// Of which allocations call stacks are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stacks {
    Off,
    /// Of a sample: points lie at random among the bytes that are allocated, and blocks that one falls in are in it.
    Sampled {
        /// Bytes between two points, in the mean.
        interval: u64,
        /// What chance begins with, for the same sample again; `None`: the clock.
        seed: Option<u64>,
    },
    /// Of a sample, and nothing is recorded of blocks that are not in it.
    Only {
        interval: u64,
        seed: Option<u64>,
    },
    All,
}

#[derive(Debug, Clone)]
pub struct Request {
    /// Where the files go: an absolute path.
    pub folder: PathBuf,
    /// The most bytes of a file as it is written.
    pub most: u64,
    /// Old events make room for new ones.
    pub ring: bool,
    pub time: Option<Duration>,
    pub children: Children,
    pub stacks: Stacks,
    /// Whether each process leaves a copy of itself at its end, to look for leaks in.
    pub copy: bool,
    /// What the malloc is called, if the program does not have its own.
    pub name: Option<String>,
    /// The key of the [`Porter`](crate::Porter) who makes files where the program may not.
    pub porter: Option<String>,
}

impl Request {
    /// The variables that have `recorder` recorded what a program does on the malloc that `variables` put it on.
    /// Errors: a path holds a character that `LD_PRELOAD` cannot carry, or is too long.
    pub fn variables(
        &self,
        recorder: &Path,
        inherited: Option<&OsStr>,
        variables: Vec<(OsString, OsString)>,
    ) -> Result<Vec<(OsString, OsString)>, environment::Error> {
        before(recorder, inherited, variables, self.value())
    }

    /// The variables that have `recorder` wait before the malloc that `variables` put a program on and which is called `name`, with a
    /// file in `folder`.
    /// Errors: as for [`variables`](Self::variables).
    pub fn armed(
        folder: &Path,
        recorder: &Path,
        name: Option<&str>,
        inherited: Option<&OsStr>,
        variables: Vec<(OsString, OsString)>,
    ) -> Result<Vec<(OsString, OsString)>, environment::Error> {
        let mut value = OsString::from("armed=1;");
        if let Some(name) = name {
            value.push(format!("name={};", without_separator(name)));
        }
        value.push("dir=");
        value.push(folder);
        before(recorder, inherited, variables, value)
    }

    /// What the recorder reads.
    pub(crate) fn value(&self) -> OsString {
        let mut value = format!("max={}", self.most);
        let mut set = |key: &str, what: &dyn core::fmt::Display| {
            // A string takes all that is written to it.
            let _ = write!(value, ";{key}={what}");
        };
        if self.ring {
            set("ring", &1);
        }
        if let Some(time) = self.time {
            set("for", &time.as_nanos());
        }
        match self.children {
            Children::All => {}
            Children::Exec => set("children", &"exec"),
            Children::None => set("parent", &std::process::id()),
        }
        match self.stacks {
            Stacks::Off => {}
            Stacks::All => set("stacks", &"all"),
            Stacks::Sampled { interval, seed } | Stacks::Only { interval, seed } => {
                set("stacks", &"sampled");
                if matches!(self.stacks, Stacks::Only { .. }) {
                    set("events", &"sampled");
                }
                set("interval", &interval);
                if let Some(seed) = seed {
                    set("seed", &seed);
                }
            }
        }
        if self.copy {
            set("copy", &1);
        }
        if let Some(name) = &self.name {
            set("name", &without_separator(name));
        }
        if let Some(key) = &self.porter {
            set("porter", key);
        }
        let mut value = OsString::from(value + ";dir=");
        value.push(&self.folder);
        value
    }
}

/// A name, without what separates one thing that is asked for from the next.
fn without_separator(name: &str) -> String {
    name.replace(';', ":")
}

fn before(
    recorder: &Path,
    inherited: Option<&OsStr>,
    variables: Vec<(OsString, OsString)>,
    value: OsString,
) -> Result<Vec<(OsString, OsString)>, environment::Error> {
    let (malloc, mut all): (Vec<_>, Vec<_>) =
        variables.into_iter().partition(|(name, _)| name == PRELOAD);
    let behind = malloc.first().map(|(_, value)| value.as_os_str()).or(inherited);
    all.push((PRELOAD.into(), preload(recorder, behind)?));
    if value.len() > LONGEST {
        return Err(environment::Error::UnspeakablePath(value.into()));
    }
    all.push((VARIABLE.into(), value));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            folder: "/a;b c/d".into(),
            most: 4096,
            ring: true,
            time: Some(Duration::from_secs(2)),
            children: Children::Exec,
            stacks: Stacks::Sampled { interval: 1024, seed: Some(7) },
            copy: true,
            name: Some("je;1".into()),
            porter: Some("0a1b".into()),
        }
    }

    #[test]
    fn the_recorder_is_before_the_malloc_and_the_folder_last() {
        let malloc = vec![("A".into(), "1".into()), (PRELOAD.into(), "/je.so".into())];
        let all = request().variables(Path::new("/r.so"), Some(OsStr::new("/x.so")), malloc);
        let text = "max=4096;ring=1;for=2000000000;children=exec;stacks=sampled;interval=1024;seed=7;copy=1;name=je:1;porter=0a1b;dir=/a;b c/d";
        let expected: Vec<(OsString, OsString)> = vec![
            ("A".into(), "1".into()),
            (PRELOAD.into(), "/r.so:/je.so".into()),
            (VARIABLE.into(), text.into()),
        ];
        assert_eq!(all.unwrap(), expected);
        let own = request().variables(Path::new("/r.so"), Some(OsStr::new("/x.so")), Vec::new());
        assert_eq!(own.unwrap()[0].1, "/r.so:/x.so");
    }

    #[test]
    fn what_the_recorder_cannot_read_is_refused() {
        let long = Request { folder: format!("/{}", "x".repeat(3000)).into(), ..request() };
        assert!(long.variables(Path::new("/r.so"), None, Vec::new()).is_err());
        assert!(request().variables(Path::new("/r r.so"), None, Vec::new()).is_err());
    }
}
