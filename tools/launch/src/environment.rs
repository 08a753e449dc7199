//! The two variables that put a program on an allocator: `LD_PRELOAD`, and `HEAPWRIGHT` for the drop-in's settings.
//!
//! For glibc's malloc the C library itself is preloaded. It is in every program, but not always first: a distribution may have
//! linked a program to another malloc, and also one that a script starts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

pub use malloc::heapwright::options::KEYS;
use malloc::heapwright::options::{Mistake, Options};
use registry::MALLOCS;
use serde::Serialize;

use crate::allocator::Allocator;
use crate::inspect::Inspection;

pub const PRELOAD: &str = "LD_PRELOAD";

/// The library with `operator new`, as programs of GNU's and Clang's ask for it.
const CXX: &str = "libstdc++.so.6";

/// The variable the drop-in library reads: `key=value,key=value`.
pub const SETTINGS: &str = "HEAPWRIGHT";

/// Why a library or a setting cannot be handed to a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "LD_PRELOAD cannot carry the path {0:?}: it splits at spaces and colons and expands '$'. Use a link to it from a plain path"
    )]
    UnspeakablePath(PathBuf),
    #[error("setting {0:?} is not of the form key=value")]
    NotASetting(String),
    #[error("there is no setting {0:?}; there are {KEYS}")]
    Key(String),
    #[error(
        "{1:?} is no value of {0:?}: a switch is on or off, a size a number with k, m or g; stats may be peak, a path, or a time and a path (60s:/path/%p.json), too"
    )]
    Value(String, String),
}

/// Whether the loader would read `path` in `LD_PRELOAD` as that one path.
pub fn can_be_preloaded(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|b| b" :\t\n$".contains(b))
}

/// What to put into the environment of a program on `allocator`, of which this is known: what is set for the allocator, and
/// `settings` where that says nothing else.
/// Errors: the library's path holds a character that `LD_PRELOAD` cannot carry.
pub fn variables(
    allocator: &Allocator,
    settings: &[Setting],
    program: Option<&Inspection>,
) -> Result<Vec<(OsString, OsString)>, Error> {
    let inherited = env::var_os(PRELOAD);
    let value = match allocator.library() {
        Some(library) => Some(preload(library, inherited.as_deref())?),
        None if allocator.in_process.is_some() => None,
        None => {
            let has_other_new = program.is_some_and(|p| p.is_cxx && p.linked_to.is_some());
            preload_glibc(has_other_new, inherited.as_deref())
        }
    };
    let mut variables: Vec<_> = value.map(|value| (PRELOAD.into(), value)).into_iter().collect();
    let settings = [settings, &allocator.settings].concat();
    // What is in the program of workloads is told there.
    if !settings.is_empty() && allocator.in_process.is_none() {
        let value = self::settings(env::var_os(SETTINGS).as_deref(), &settings);
        variables.push((SETTINGS.into(), value));
    }
    let own = allocator.environment.iter();
    variables.extend(own.map(|(name, value)| (name.into(), value.into())));
    Ok(variables)
}

/// The files that a value of `LD_PRELOAD` names.
pub fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split([' ', ':']).filter(|entry| !entry.is_empty())
}

/// `LD_PRELOAD` with `library` first and what was there after it.
/// Errors: the path holds a character that `LD_PRELOAD` cannot carry.
pub fn preload(library: &Path, existing: Option<&OsStr>) -> Result<OsString, Error> {
    if !can_be_preloaded(library) {
        return Err(Error::UnspeakablePath(library.to_owned()));
    }
    let mut value = library.as_os_str().to_owned();
    if let Some(existing) = existing.filter(|e| !e.is_empty()) {
        value.push(":");
        value.push(existing);
    }
    Ok(value)
}

/// `LD_PRELOAD` with the C library first and what was there after it; `None` where this process has another C library. A program
/// with `has_other_new` is C++ and linked to another malloc, whose `operator new` would be found before the C++ library's.
pub fn preload_glibc(has_other_new: bool, existing: Option<&OsStr>) -> Option<OsString> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let is_libc = |line: &&str| line.contains("/libc.so.6") || line.contains("/libc-2.");
    let line = maps.lines().find(is_libc)?;
    let mut libraries = vec![OsStr::new(&line[line.find('/')?..])];
    libraries.extend(has_other_new.then_some(OsStr::new(CXX)));
    libraries.extend(existing.filter(|e| !e.is_empty()));
    Some(libraries.join(OsStr::new(":")))
}

/// One `key=value` for the drop-in, as the library itself reads it; a key alone means `key=1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub key: String,
    pub value: String,
}

impl core::str::FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::NotASetting(text.to_owned());
        let (key, value) = text.split_once('=').unwrap_or((text, "1"));
        if key.is_empty() || text.contains([',', '\0']) || key.contains(char::is_whitespace) {
            return Err(wrong());
        }
        let mut mistake = None;
        Options::parse(text, |found| mistake = Some(found));
        match mistake {
            // Of a malloc's own settings its library judges the value.
            Some(Mistake::Key(key)) if !MALLOCS.iter().any(|m| m.settings.contains(&key)) => {
                Err(Error::Key(key.to_owned()))
            }
            Some(Mistake::Value(key, value)) => Err(Error::Value(key.to_owned(), value.to_owned())),
            _ => Ok(Self { key: key.to_owned(), value: value.to_owned() }),
        }
    }
}

/// The value of `HEAPWRIGHT`: what was inherited, with `settings` added; a later one replaces an earlier one.
pub fn settings(inherited: Option<&OsStr>, settings: &[Setting]) -> OsString {
    let inherited = inherited.map(OsStr::to_string_lossy).unwrap_or_default();
    let replaced = |item: &str| {
        let key = item.split('=').next().unwrap_or(item).trim();
        settings.iter().any(|s| s.key == key)
    };
    let mut items: Vec<String> = inherited
        .split(',')
        .filter(|item| !item.trim().is_empty() && !replaced(item))
        .map(str::to_owned)
        .collect();
    for (i, s) in settings.iter().enumerate() {
        if !settings[i + 1..].iter().any(|later| later.key == s.key) {
            items.push(format!("{}={}", s.key, s.value));
        }
    }
    items.join(",").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Setting {
        text.parse().unwrap()
    }

    #[test]
    fn the_library_comes_first_and_the_rest_stays() {
        let lib = Path::new("/x/lib.so");
        assert_eq!(preload(lib, None).unwrap(), "/x/lib.so");
        assert_eq!(preload(lib, Some(OsStr::new(""))).unwrap(), "/x/lib.so");
        assert_eq!(preload(lib, Some(OsStr::new("/a.so /b.so"))).unwrap(), "/x/lib.so:/a.so /b.so");
    }

    #[test]
    fn for_glibc_the_c_library_comes_first() {
        let list = |new, existing: &str| {
            let list = preload_glibc(new, Some(OsStr::new(existing)))?;
            Some(list.to_str().unwrap().split(':').map(str::to_owned).collect::<Vec<_>>())
        };
        let Some(alone) = list(false, "") else { return };
        assert!(alone.len() == 1 && alone[0].starts_with('/'), "{alone:?}");
        assert_eq!(list(true, "/a.so:b.so").unwrap()[1..], [CXX, "/a.so", "b.so"]);
    }

    #[test]
    fn a_path_the_loader_would_split_is_refused() {
        for path in ["/my dir/lib.so", "/a:b/lib.so", "/$LIB/lib.so"] {
            let error = preload(Path::new(path), None).unwrap_err();
            assert!(error.to_string().contains(path), "{error}");
        }
    }

    #[test]
    fn settings_are_merged_and_the_last_one_wins() {
        let inherited = OsStr::new("purge=10ms,stats=0, ,check=1");
        let merged = settings(Some(inherited), &[set("stats"), set("keep=1m"), set("keep=2m")]);
        assert_eq!(merged, "purge=10ms,check=1,stats=1,keep=2m");
        assert_eq!(settings(None, &[]), "");
        assert_eq!(settings(Some(OsStr::new("x=1")), &[]), "x=1");
    }

    #[test]
    fn what_is_not_a_setting() {
        for text in
            ["", "=1", "safe=1,check=1", "a b=1", "a=1", "hugepage=off", "keep=lots", "stats="]
        {
            assert!(text.parse::<Setting>().is_err(), "{text:?}");
        }
        assert_eq!(set("stats"), Setting { key: "stats".into(), value: "1".into() });
        assert_eq!(set("keep=64m"), Setting { key: "keep".into(), value: "64m".into() });
        let said = "hugepage=off".parse::<Setting>().unwrap_err().to_string();
        assert!(said.contains("\"hugepage\"") && said.contains("hugepages"), "{said}");
    }
}
