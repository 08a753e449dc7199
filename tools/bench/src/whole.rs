//! Files that are written whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::Builder;

/// Writes a file under another name and renames it: on a full disk an older one stays as it was, and no part of the new one.
/// What is there and no file, such as `/dev/null` or a pipe, is written to as it is: it would be a file else from then on.
/// Errors: the file cannot be written or renamed; then nothing of it is left.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(content);
    }
    // As any new file: what the user's mask leaves.
    let mode = Permissions::from_mode(0o666);
    let folder = path.parent().filter(|folder| *folder != "").unwrap_or_else(|| Path::new("."));
    let mut file = Builder::new().permissions(mode).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_device_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("null");
        symlink("/dev/null", &path).unwrap();
        write(&path, b"gone").unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

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
