//! A file on its way to its place: it has no name until it is whole, so nothing is left of it however this process ends.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
use tempfile::{Builder, TempPath};

/// As of any new file, what the user's mask leaves may be done with it.
const MODE: u32 = 0o666;

/// The files that this process has open.
const OPEN: &str = "/proc/self/fd";

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) file: File,
    path: PathBuf,
    /// Where the file system knows no files without one.
    name: Option<TempPath>,
}

impl Part {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let path = path.to_owned();
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // It gets its name by way of /proc.
        if Path::new(OPEN).exists()
            && let Ok(file) = open(folder(&path), flags, Mode::from_raw_mode(MODE))
        {
            return Ok(Self { file: file.into(), path, name: None });
        }
        let permissions = Permissions::from_mode(MODE);
        let named = named().permissions(permissions).tempfile_in(folder(&path))?;
        let (file, name) = named.into_parts();
        Ok(Self { file, path, name: Some(name) })
    }

    /// Puts it in its place, also where a file is.
    pub(crate) fn finish(self) -> io::Result<()> {
        let name = match self.name {
            Some(name) => name,
            None => {
                // Only a renamed file takes another's place.
                let own = format!("{OPEN}/{}", self.file.as_raw_fd());
                let link = |at: &Path| Ok(linkat(CWD, &own, CWD, at, AtFlags::SYMLINK_FOLLOW)?);
                named().make_in(folder(&self.path), link)?.into_temp_path()
            }
        };
        name.persist(&self.path).map_err(|error| error.error)
    }
}

fn named() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".part-");
    builder
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn nothing_of_it_is_there_before_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        fs::write(&path, "old").unwrap();
        let mut part = Part::of(&path).unwrap();
        part.file.write_all(b"new").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        // As after SIGKILL: no destructor has run.
        assert!(names() == 1 || part.name.is_some());
        part.finish().unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("new", 1));
    }
}
