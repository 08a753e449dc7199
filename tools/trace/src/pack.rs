//! From a recording's chunks to a packed trace.
//!
//! ```text
//! index: whose chunk is where ─► streams, one a thread ─► merge by time ─► blocks ─► packer
//!                                             a forked child: its parent's ─┤
//!                                          begun in the middle: what was live ─┘
//! ```
//!
//! In memory are the live blocks and one chunk of each thread that is between its first event and its last.

mod blocks;
mod born;
mod clock;
mod index;
mod inherit;
mod merge;
mod stream;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use trace_format::{CHUNK, FileHead};

use crate::about::UNKNOWN;
use crate::error::TraceError;
use crate::packer::{Packed, Packer};

/// How long an event waits for one of another thread that must have been before it, in units of the recorder's clock: some ten
/// microseconds.
const PATIENCE: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub all: u64,
}

/// Packs a recording's chunks.
/// Errors: the recording is none, or of a newer version, or one of the files cannot be read or written. Damaged chunks are no error:
/// [`Missing`](crate::Missing) names them.
pub fn pack(
    raw: impl AsRef<Path>,
    packed: impl AsRef<Path>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Packed, TraceError> {
    let raw = raw.as_ref();
    let file = locked(raw)?;
    pack_locked(&file, raw, packed.as_ref(), progress)
}

/// When a recording began, in nanoseconds since 1970; `None`: it is none. A forked child's is packed behind its parent's, which has
/// what the child has inherited.
pub fn began(raw: impl AsRef<Path>) -> Option<u64> {
    let mut begin = Vec::new();
    File::open(raw).ok()?.take(CHUNK as u64).read_to_end(&mut begin).ok()?;
    FileHead::read(&begin).ok().map(|head| head.realtime)
}

/// Why a recorder gave up before its program ended, as it says in its file; `None`: it did not, or that is no recording.
pub fn stopped(raw: impl AsRef<Path>) -> Option<String> {
    let mut begin = Vec::new();
    File::open(raw).ok()?.take(CHUNK as u64).read_to_end(&mut begin).ok()?;
    let head = FileHead::read(&begin).ok()?;
    head.get("stopped").map(|why| String::from_utf8_lossy(why).into_owned())
}

/// A recording that nobody packs but we: who packs it already is waited for.
pub(crate) fn locked(raw: &Path) -> Result<File, TraceError> {
    let file = File::open(raw).map_err(TraceError::io(raw))?;
    // Where the file system has no locks, two may pack at once; each of their files is whole.
    _ = file.lock();
    Ok(file)
}

pub(crate) fn pack_locked(
    file: &File,
    raw: &Path,
    packed: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Packed, TraceError> {
    let mut index = index::Index::read(file, raw)?;
    let mut before = born::before(file, &mut index);
    if !before.is_complete && index.about.is_attached() {
        index.about.notes.push(UNKNOWN.to_owned());
    }
    before.blocks.extend(inherit::inherited(raw, &index.about));
    let packer = Packer::create(packed, &index.about)?;
    merge::Merge::new(file, index, packer, &before)?.run(progress)
}

#[cfg(test)]
mod tests;
