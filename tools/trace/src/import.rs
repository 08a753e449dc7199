//! Recordings of other tools, as packed traces.
//!
//! ```text
//! heaptrack.APP.PID.zst ─► lines ─► steps ─► Packer
//! ```

mod heaptrack;
mod lines;

use std::path::Path;

use crate::error::TraceError;
use crate::packer::Packed;

/// Packs a recording of heaptrack, compressed or not, beneath `packed`.
///
/// What it has is taken over: the order of calls, sizes, times to the millisecond, call stacks; addresses where it was recorded
/// with `--raw`. Which of several equal blocks was freed is not in the other files: the youngest is taken. Threads are not in
/// it at all.
/// Errors: it is none, of a newer version, or cannot be read; the trace cannot be written.
pub fn import(recording: &Path, packed: &Path) -> Result<Packed, TraceError> {
    heaptrack::import(recording, packed)
}
