//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process;

/// Writes a file under another name and renames it: on a full disk an older one stays as it was, and no part of the new one.
///
/// # Errors
///
/// The file cannot be written or renamed; then nothing of it is left.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", process::id()));
    let unfinished = path.with_file_name(name);
    let written = fs::write(&unfinished, content).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // Nothing to do about a file that cannot even be removed.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_put_in_place_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let taken = dir.path().join("folder");
        fs::create_dir_all(taken.join("full")).unwrap();
        assert!(write(&taken, b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left behind");
    }
}
