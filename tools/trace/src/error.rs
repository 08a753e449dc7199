//! Why a trace cannot be read or written.

use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are named by what they are")]
pub enum TraceError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// It is something else.
    #[error("{} is no trace of heapwright", path.display())]
    Foreign { path: PathBuf },
    /// It was written by a newer heapwright.
    #[error(
        "{} is a trace of version {found}, and this heapwright reads versions up to {known}: use the one that recorded it, or a newer one",
        path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("{}: damaged at byte {offset}: {what}", path.display())]
    Damaged { path: PathBuf, offset: u64, what: String },
    #[error("{} has no trace in it: neither a .trace nor a .chunks file", path.display())]
    Empty { path: PathBuf },
    /// It is there, and nobody said that it may be written over.
    #[error("{} is there", path.display())]
    Exists { path: PathBuf },
    /// A step that cannot follow the ones before.
    #[error("step {step}: {what}")]
    Step { step: u64, what: String },
}

impl TraceError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn damaged(path: &Path, offset: u64, what: impl fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), offset, what: what.to_string() }
    }
}
