//! `cargo xtask libraries`: builds the libraries and the program that the command carries along, once, for whoever embeds or
//! tests them.
//!
//! What it prints is for `HEAPWRIGHT_EMBED`. The folder is a copy: cargo would see the build script's own output change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::peers::target_dir;

pub(crate) fn run() -> Result<bool, String> {
    println!("{}", copy(heapwright_tests::libraries())?.display());
    Ok(true)
}

/// Copies the files of `from`; those that have not changed keep their time, by which cargo judges.
fn copy(from: &Path) -> Result<PathBuf, String> {
    let folder = target_dir().join("libraries");
    let said = |path: &Path, why: std::io::Error| format!("{}: {why}", path.display());
    fs::create_dir_all(&folder).map_err(|why| said(&folder, why))?;
    for entry in fs::read_dir(from).map_err(|why| said(from, why))?.flatten() {
        let (file, to) = (entry.path(), folder.join(entry.file_name()));
        if !file.is_file() {
            continue;
        }
        let bytes = fs::read(&file).map_err(|why| said(&file, why))?;
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        // fs::copy keeps that a program may be run.
        fs::copy(&file, &to).map_err(|why| said(&to, why))?;
    }
    Ok(folder)
}
