//! Where the debugging information of a file is, if it is not in the file itself.
//!
//! ```text
//! /usr/lib/debug/.build-id/ab/cdef….debug        by its build id
//! /usr/lib/debug/bin/app.debug, /bin/.debug/app.debug, /bin/app.debug      by the name that the file gives
//! ```
//!
//! One that is found counts only if it has the same build id, or, named by a file without one, the same checksum.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use object::Object as _;

use crate::elf::{Elf, build_id, hexadecimal};

/// The debugging information of `file`, which was read from `path`, below one of the folders.
pub(crate) fn of(path: &Path, file: &object::File<'_>, folders: &[PathBuf]) -> Option<Elf> {
    let id = build_id(file);
    if let Some(id) = &id
        && let Some(found) = by_id(id, folders)
    {
        return Some(found);
    }
    let (name, checksum) = file.gnu_debuglink().ok()??;
    let name = Path::new(OsStr::from_bytes(name));
    let beside = path.parent()?;
    let places = [beside.join(name), beside.join(".debug").join(name)].into_iter();
    let below = folders
        .iter()
        .map(|folder| folder.join(beside.strip_prefix("/").unwrap_or(beside)).join(name));
    places.chain(below).filter(|place| place != path).find_map(|place| {
        let found = Elf::open(&place).ok()?;
        let is_it = match (&id, build_id(&found.file()?)) {
            (Some(id), Some(other)) => *id == other,
            _ => {
                let mut crc = flate2::Crc::new();
                crc.update(found.bytes());
                crc.sum() == checksum
            }
        };
        is_it.then_some(found)
    })
}

/// What `debug` shares with other files' debugging information (as `dwz` makes it).
pub(crate) fn supplement(
    path: &Path,
    debug: &object::File<'_>,
    folders: &[PathBuf],
) -> Option<Elf> {
    let (name, id) = debug.gnu_debugaltlink().ok()??;
    let named = Path::new(OsStr::from_bytes(name));
    let named = path.parent().map_or_else(|| named.to_owned(), |beside| beside.join(named));
    let is_it = |found: &Elf| {
        let other = found.file().and_then(|file| build_id(&file));
        other.is_some_and(|other| other == hexadecimal(id))
    };
    let found = Elf::open(&named).ok().filter(is_it);
    found.or_else(|| by_id(&hexadecimal(id), folders))
}

fn by_id(id: &str, folders: &[PathBuf]) -> Option<Elf> {
    let (first, rest) = id.split_at_checked(2).filter(|(_, rest)| !rest.is_empty())?;
    folders.iter().find_map(|folder| {
        let place = folder.join(".build-id").join(first).join(format!("{rest}.debug"));
        let found = Elf::open(&place).ok()?;
        let is_it = build_id(&found.file()?).is_some_and(|other| other == id);
        is_it.then_some(found)
    })
}
