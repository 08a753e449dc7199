//! Files and folders, with errors that say which.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An error in words, with the path that it is about.
pub fn said(path: &Path) -> impl Fn(io::Error) -> String + '_ {
    move |why| format!("{}: {why}", path.display())
}

pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(said(path))
}

/// What a folder has, in the order of the names.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(said(folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Makes a folder that is not there yet.
pub fn folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(said(path))
}

/// Writes a file, in a folder that is made if need be.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    folder(path.parent().unwrap_or(path))?;
    fs::write(path, content).map_err(said(path))
}

/// The same; one that is as it was keeps its time, by which cargo judges.
pub fn keep(path: &Path, content: &[u8]) -> Result<(), String> {
    let is_same = fs::read(path).is_ok_and(|there| there == content);
    if is_same { Ok(()) } else { write(path, content) }
}
