//! A folder for one test, removed with everything in it.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary folder that every user of the machine may look into; removed when dropped.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes the folder.
    /// Panics: when the system's temporary folder cannot be written to.
    pub fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o755);
        let made = tempfile::Builder::new().prefix("heapwright-").permissions(open).tempdir();
        Self(made.expect("the temporary folder can be written to"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file into it and returns its path.
    /// Panics: when the file cannot be written.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::write(&path, contents).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        path
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}
