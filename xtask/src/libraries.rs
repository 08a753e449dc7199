//! `cargo xtask libraries`: builds the libraries and the program that the command carries along, once, for whoever embeds or
//! tests them.
//!
//! What it prints is for `HEAPWRIGHT_EMBED`. The folder is a copy: cargo would see the build script's own output change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;
use crate::peers::target_dir;

pub(crate) fn run() -> Result<bool, String> {
    println!("{}", copy(heapwright_tests::libraries())?.display());
    Ok(true)
}

/// Copies the files of `from`; those that have not changed keep their time, by which cargo judges.
fn copy(from: &Path) -> Result<PathBuf, String> {
    let folder = target_dir().join("libraries");
    files::folder(&folder)?;
    for file in files::list(from)?.into_iter().filter(|path| path.is_file()) {
        let to = folder.join(file.file_name().unwrap_or_default());
        let bytes = fs::read(&file).map_err(files::said(&file))?;
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        // fs::copy keeps that a program may be run.
        fs::copy(&file, &to).map_err(files::said(&to))?;
    }
    Ok(folder)
}
