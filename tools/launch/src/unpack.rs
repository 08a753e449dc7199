//! Puts an embedded library or program where the dynamic loader of any child can open it.
//!
//! The first of these that works: `$XDG_CACHE_HOME/heapwright`; for root `/var/cache/heapwright` (children that
//! become another user must be able to read it, and root's home is closed to them); `~/.cache/heapwright`; a
//! directory of this user in the temporary directory; and when nothing can be written, a file in memory.
//!
//! The name contains a hash of the content, so that versions do not meet; the content is compared before use, and is
//! written under another name and renamed, so that a program never loads half a library.

use std::env;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{MemfdFlags, StatVfsMountFlags, memfd_create, statvfs};
use rustix::process::geteuid;

use crate::artefact::Kind;
use crate::environment::can_be_preloaded;

#[derive(Debug)]
pub struct Embedded {
    /// The allocator's name, as `-a` takes it; or the program's.
    pub name: &'static str,
    pub kind: Kind,
    /// What its file is called where it is installed.
    pub file: &'static str,
    pub bytes: &'static [u8],
    /// A hash of the content, for the unpacked file's name.
    pub hash: &'static str,
}

impl Embedded {
    /// The name of the unpacked file, in front of the hash and behind it.
    fn parts(&self) -> (&str, &str) {
        match self.file.strip_suffix(".so") {
            Some(stem) => (stem, ".so"),
            None => (self.file, ""),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no directory can be written to, and the library cannot be put into memory: {0}")]
pub struct Error(#[from] io::Error);

/// The path of `library` as a file that a child can load.
/// Errors: nothing can be written, and not even a file in memory can be made.
pub fn unpack(library: &Embedded) -> Result<PathBuf, Error> {
    let candidates = directories(
        env::var_os("XDG_CACHE_HOME").map(PathBuf::from),
        env::var_os("HOME").map(PathBuf::from),
        geteuid().as_raw(),
    );
    for directory in candidates {
        if let Ok(path) = unpack_into(&directory, library) {
            return Ok(path);
        }
    }
    Ok(in_memory(library)?)
}

fn directories(cache: Option<PathBuf>, home: Option<PathBuf>, user: u32) -> Vec<PathBuf> {
    let mut all = Vec::new();
    all.extend(cache.map(|c| c.join("heapwright")));
    if user == 0 {
        all.push("/var/cache/heapwright".into());
    }
    all.extend(home.map(|h| h.join(".cache/heapwright")));
    for temporary in [env::temp_dir(), "/tmp".into(), "/var/tmp".into()] {
        all.push(temporary.join(format!("heapwright-{user}")));
    }
    all.retain(|path| path.is_absolute() && can_be_preloaded(path));
    all
}

fn unpack_into(directory: &Path, library: &Embedded) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o755).create(directory)?;
    let meta = fs::symlink_metadata(directory)?;
    let is_ours = meta.is_dir() && meta.uid() == geteuid().as_raw() && meta.mode() & 0o022 == 0;
    if !is_ours {
        return Err(io::Error::other("others can write there"));
    }
    if statvfs(directory)?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err(io::Error::other("libraries cannot be loaded from there"));
    }
    let (stem, suffix) = library.parts();
    let path = directory.join(format!("{stem}-{}{suffix}", library.hash));
    if is_unpacked(&path, library) {
        return Ok(path);
    }
    let temporary = directory.join(format!(".{stem}-{}.{}", library.hash, process::id()));
    let written = write_new(&temporary, library).and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // Nothing to do about a file that cannot even be removed.
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| path)
}

fn is_unpacked(path: &Path, library: &Embedded) -> bool {
    let is_readable = |m: &fs::Metadata| m.is_file() && m.mode() & 0o555 == 0o555;
    fs::symlink_metadata(path).is_ok_and(|m| is_readable(&m))
        && fs::read(path).is_ok_and(|content| content == library.bytes)
}

fn write_new(path: &Path, library: &Embedded) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    file.write_all(library.bytes)?;
    // Whatever the umask was.
    file.set_permissions(Permissions::from_mode(0o755))
}

/// A file without a name. It stays open, across exec too, so that its path stays valid for the program's lifetime.
fn in_memory(library: &Embedded) -> io::Result<PathBuf> {
    let mut file = fs::File::from(memfd_create(library.parts().0, MemfdFlags::empty())?);
    file.write_all(library.bytes)?;
    let path = format!("/proc/{}/fd/{}", process::id(), file.as_raw_fd());
    let _ = file.into_raw_fd();
    Ok(path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: Embedded = Embedded {
        name: "other",
        kind: Kind::Malloc,
        file: "libtest.so",
        bytes: b"the content",
        hash: "0123",
    };

    #[test]
    fn unpacked_once_and_mended_when_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("a/b");
        let path = unpack_into(&cache, &LIBRARY).unwrap();
        assert_eq!(path, cache.join("libtest-0123.so"));
        assert_eq!(fs::read(&path).unwrap(), LIBRARY.bytes);
        let before = fs::metadata(&path).unwrap();
        assert_eq!(before.mode() & 0o7777, 0o755);
        unpack_into(&cache, &LIBRARY).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().ino(), before.ino(), "left as it was");
        fs::write(&path, "damaged").unwrap();
        unpack_into(&cache, &LIBRARY).unwrap();
        assert_eq!(fs::read(&path).unwrap(), LIBRARY.bytes);
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        unpack_into(&cache, &LIBRARY).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o755);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("open");
        fs::create_dir(&cache).unwrap();
        fs::set_permissions(&cache, Permissions::from_mode(0o777)).unwrap();
        assert!(unpack_into(&cache, &LIBRARY).is_err());
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(unpack_into(&link, &LIBRARY).is_err());
    }

    #[test]
    fn a_place_is_found_without_a_home_and_past_paths_that_cannot_be_preloaded() {
        let bare = directories(None, None, 1000);
        assert!(!bare.is_empty() && bare.iter().all(|d| d.ends_with("heapwright-1000")));
        let odd = directories(Some("relative".into()), Some("/home/two words".into()), 1000);
        assert_eq!(odd, bare);
        let usual = directories(Some("/c".into()), Some("/h".into()), 0);
        let start = ["/c/heapwright", "/var/cache/heapwright", "/h/.cache/heapwright"];
        assert_eq!(usual[..3], start.map(PathBuf::from));
    }

    #[test]
    fn memory_is_the_last_resort() {
        let path = in_memory(&LIBRARY).unwrap();
        assert_eq!(fs::read(path).unwrap(), LIBRARY.bytes);
    }
}
