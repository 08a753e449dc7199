//! Pages of real files: every shared library under some folders, or every file.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

const PAGE: usize = 4096;

/// Which files are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those with `.so` in their name.
    Libraries,
    /// All of them.
    Every,
}

impl Which {
    fn takes(self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self == Which::Every || name.ends_with(".so") || name.contains(".so.")
    }
}

/// Files below a folder, or the file itself, in the order of their names; links are not followed.
fn below(path: &Path, which: Which, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_file() && which.takes(path) {
        found.push(path.to_owned());
    } else if kind.is_dir() {
        let mut inside: Vec<PathBuf> = match fs::read_dir(path) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            // Folders of other users.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            Err(error) => return Err(error),
        };
        inside.sort();
        inside.iter().try_for_each(|path| below(path, which, found))?;
    }
    Ok(())
}

/// Whole pages of files, and how many files they are from.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The pages, one after another.
    pub bytes: Vec<u8>,
    /// Files that were read.
    pub files: usize,
}

impl Loaded {
    /// The pages.
    pub fn pages(&self) -> impl ExactSizeIterator<Item = &[u8; PAGE]> + Clone {
        let (pages, _) = self.bytes.as_chunks::<PAGE>();
        pages.iter()
    }
}

/// Reads files until there are `most` bytes of pages; the last page of each is filled up with zeros. What may not be read
/// is left out.
///
/// # Errors
///
/// A folder does not exist, or reading fails.
pub fn load(folders: &[PathBuf], which: Which, most: usize) -> io::Result<Loaded> {
    let mut found = Vec::new();
    for folder in folders {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        };
        below(folder, which, &mut found).map_err(named)?;
    }
    let most = most / PAGE * PAGE;
    let mut loaded = Loaded { bytes: Vec::with_capacity(most.min(8 << 30)), files: 0 };
    for path in found {
        let left = most - loaded.bytes.len();
        if left == 0 {
            break;
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
            Err(error) => return Err(error),
        };
        file.take(left as u64).read_to_end(&mut loaded.bytes)?;
        loaded.bytes.resize(loaded.bytes.len().next_multiple_of(PAGE), 0);
        loaded.files += 1;
    }
    Ok(loaded)
}
