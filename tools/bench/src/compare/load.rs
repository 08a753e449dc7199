//! Reads the results that are compared, also those of other versions: all since the second, as later ones only add fields.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::result::{Report, SCHEMA};

/// The file in a folder of results.
const FILE: &str = "result.json";

/// The oldest version of results that can be read.
const OLDEST: u64 = 2;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// It is no result, or one of another version.
    #[error("{0} {1}")]
    Schema(PathBuf, String),
    /// The two have nothing that can be compared.
    #[error("{0}")]
    Nothing(String),
}

/// Reads a result, from its file or from the folder that holds it.
/// Errors: the file cannot be read, or is no result of a version that is known.
pub fn load(path: &Path) -> Result<Report, Error> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let text = fs::read(&file).map_err(|e| Error::Read(file.clone(), e))?;
    let fault = |what: String| Error::Schema(file.clone(), what);
    let json: serde_json::Value =
        serde_json::from_slice(&text).map_err(|e| fault(format!("is no JSON: {e}")))?;
    match json.get("schema").and_then(|s| s.as_str()) {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(fault(format!("has the schema {other:?}; expected {SCHEMA:?}")));
        }
        None => return Err(fault(format!("has no \"schema\"; expected {SCHEMA:?}"))),
    }
    match json.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version >= OLDEST => {}
        found => {
            let found = found.map_or_else(|| "none".to_owned(), |v| v.to_string());
            return Err(fault(format!(
                "has version {found} of {SCHEMA}; this heapwright reads version {OLDEST} and newer ones: measure again"
            )));
        }
    }
    serde_json::from_value(json).map_err(|e| fault(format!("says it is {SCHEMA}, but: {e}")))
}
