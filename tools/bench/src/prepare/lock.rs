//! One at a time: who came second would keep what the first one set as what was there before.
//!
//! The lock is the kernel's, on a file in `/run`, and ends with the process that has it; the file stays and says which
//! measurement that was. Who may not write there may hardly set anything, and goes on without: each setting says why.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Below the root.
const FILE: &str = "run/heapwright-prepare.lock";

/// Somebody else has the lock: the process, if it says so.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Held(pub(super) Option<u32>);

/// Takes the lock below `root` for the measurement of process `owner`, until what is returned is dropped; `None`: there can
/// be none.
pub(super) fn take(root: &Path, owner: Option<u32>) -> Result<Option<File>, Held> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let Ok(mut file) = options.open(root.join(FILE)) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(_)) => return Ok(None),
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            return Err(Held(text.trim().parse().ok()));
        }
    }
    // The lock holds whatever is written.
    let _ = file.set_len(0);
    if let Some(owner) = owner {
        let _ = writeln!(file, "{owner}");
    }
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_second_is_told_who_has_it_until_it_is_free() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("run")).unwrap();
        let first = take(root.path(), Some(1_234_567)).unwrap().unwrap();
        assert_eq!(take(root.path(), Some(8)).unwrap_err(), Held(Some(1_234_567)));
        drop(first);
        let third = take(root.path(), None).unwrap().unwrap();
        assert_eq!(take(root.path(), Some(9)).unwrap_err(), Held(None), "nobody's old number");
        drop(third);
    }

    #[test]
    fn without_a_place_for_it_there_is_none() {
        let root = tempfile::tempdir().unwrap();
        assert!(take(root.path(), Some(1)).unwrap().is_none());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}
