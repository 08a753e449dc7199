//! `--every`: what is live at each moment, written as the program runs, so that a server which never ends has it too.
//!
//! All that is written by then is read each time, so if that takes long it is done less often; no moment is left out.

use core::time::Duration;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use profile::gather;
use trace::{Trace, pack};

use super::files;

/// Reading takes at most one part in so many of the time.
const SHARE: u32 = 20;

/// Nanoseconds, as traces count.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes moments until it is dropped.
pub(super) struct Moments {
    end: Option<Sender<()>>,
    writer: Option<JoinHandle<()>>,
}

impl Moments {
    /// Writes those of all processes that are recorded in a folder. `None`: no thread is to be had, and moments are written at the end.
    pub(super) fn begin(folder: &Path, every: Duration) -> Option<Self> {
        let (end, ended) = channel();
        let folder = folder.to_owned();
        let name = "moments".to_owned();
        let writer = thread::Builder::new().name(name).spawn(move || write(&folder, every, &ended));
        Some(Self { end: Some(end), writer: Some(writer.ok()?) })
    }
}

impl Drop for Moments {
    fn drop(&mut self) {
        drop(self.end.take());
        // If it has failed, the moments are written at the end.
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

fn write(folder: &Path, every: Duration, ended: &Receiver<()>) {
    let Ok(elsewhere) = tempfile::tempdir() else { return };
    // The recorder begins some time after this thread.
    let mut pause = every + every / 10;
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let began = Instant::now();
        let Ok(files) = fs::read_dir(folder) else { return };
        let files = files.flatten().map(|entry| entry.path());
        for chunks in files.filter(|path| path.extension().is_some_and(|end| end == "chunks")) {
            // What cannot be read or written now is when the program has ended, and then it is said why not.
            let _ = moments_of(&chunks, folder, elsewhere.path(), every);
        }
        pause = every.max(began.elapsed() * SHARE);
    }
}

fn moments_of(
    chunks: &Path,
    folder: &Path,
    elsewhere: &Path,
    every: Duration,
) -> anyhow::Result<()> {
    let name = chunks.with_extension("trace");
    let name = name.file_name().unwrap_or_default();
    let packed = pack(chunks, elsewhere.join(name), &mut |_| {})?.path;
    let profile = gather(&Trace::open(&packed)?, Some(nanoseconds(every)))?;
    files::write_moments(&profile, folder, &packed, true)
}
