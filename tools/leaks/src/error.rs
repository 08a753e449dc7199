//! Why leaks could not be looked for.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("process {process} left no copy of its memory: {why}")]
    NoCopy {
        process: u32,
        /// What the recorder says, or what that means.
        why: String,
    },
    #[error("the copy of process {process} cannot be read: {why}")]
    Unreadable { process: u32, why: io::Error },
    #[error(
        "process {process} had no memory left for the table of live blocks (a limit on its addresses?), so what it lost is not known"
    )]
    NoTable { process: u32 },
    #[error(
        "the recording of process {process} cannot be read as far as its end, so which blocks were live is not known"
    )]
    Unrecorded { process: u32 },
    #[error(transparent)]
    Trace(#[from] trace::TraceError),
}
