//! Reads the results that are compared.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::result::Report;

const FILE: &str = "result.json";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    #[error("{0} {1}")]
    Schema(PathBuf, String),
    #[error("{0}")]
    Nothing(String),
}

/// Reads a result, from its file or from the folder that holds it.
/// Errors: the file cannot be read, or is no result of a version that is known.
pub fn load(path: &Path) -> Result<Report, Error> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let text = fs::read(&file).map_err(|e| Error::Read(file.clone(), e))?;
    let report = Report::from_json(&String::from_utf8_lossy(&text));
    report.map_err(|why| Error::Schema(file, why.0))
}
