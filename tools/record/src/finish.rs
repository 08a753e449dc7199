//! The end of a recording: each process's chunks become a packed trace, and the chunks go.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use launch::tree::with_memory;
use trace::{Op, Packed, Progress, Trace, TraceError, began, pack_beside, stopped};

use crate::running::mapped_by;

#[derive(Debug)]
pub enum Process {
    Packed {
        packed: Box<Packed>,
        /// Bytes that the file as it was written took on the disk.
        written: u64,
    },
    /// It still writes: its chunks stay.
    Running { file: PathBuf },
    /// It could not be packed: its chunks stay.
    Failed { file: PathBuf, why: TraceError },
}

/// Packs what is in the folder, of which `progress` is told. Returns the processes, the one with the largest trace
/// first, as what opens the folder takes it. What a process still writes is left as it is,
/// unless that was called off.
/// Errors: the folder cannot be read.
pub fn finish(
    folder: &Path,
    is_called_off: bool,
    progress: &mut dyn FnMut(&Path, Progress),
) -> io::Result<Vec<Process>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "chunks") {
            files.push((began(&path), path));
        }
    }
    // Parents before the children that they forked.
    files.sort_unstable();
    let mut all: Vec<_> =
        files.into_iter().map(|(_, file)| one(file, is_called_off, progress)).collect();
    all.sort_by_key(|process| core::cmp::Reverse(process.bytes()));
    Ok(all)
}

fn one(file: PathBuf, is_called_off: bool, progress: &mut dyn FnMut(&Path, Progress)) -> Process {
    if !is_called_off && still_writes(&file) {
        return Process::Running { file };
    }
    // What went back to the disk is a hole; a ring has many.
    let written = fs::metadata(&file).map_or(0, |meta| meta.len().min(meta.blocks() * 512));
    match pack_beside(&file, &mut |done| progress(&file, done)) {
        Ok(packed) => {
            if packed.path.parent() == file.parent() {
                // A file that stays is packed already.
                let _ = fs::remove_file(&file);
            }
            Process::Packed { packed: Box::new(packed), written }
        }
        Err(why) => Process::Failed { file, why },
    }
}

impl Process {
    /// Its number, and when its recording began.
    fn begin(&self) -> Option<(u32, u64)> {
        match self {
            Self::Packed { packed, .. } => Some((packed.about.pid, packed.about.start)),
            Self::Running { file } | Self::Failed { file, .. } => {
                Some((number(file)?, began(file)?))
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Packed { packed, .. } => packed.bytes,
            Self::Running { .. } | Self::Failed { .. } => 0,
        }
    }
}

/// A process that became a program of which there is no recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    pub process: u32,
    pub program: String,
}

/// The processes whose recordings end with an `exec` and which have no later one: they lost the recorder with their environment, or
/// became a program that cannot be recorded.
pub fn unrecorded(processes: &[Process]) -> Vec<Unrecorded> {
    let known: Vec<_> = processes.iter().filter_map(Process::begin).collect();
    let ended = processes.iter().filter_map(|process| {
        let Process::Packed { packed, .. } = process else { return None };
        let trace = Trace::open(&packed.path).ok()?;
        let last = trace.steps_from(trace.segments().len().checked_sub(1)?).last()?.ok()?;
        let Op::Exec(program) = last.op else { return None };
        let (process, start) = (packed.about.pid, packed.about.start);
        let goes_on = known.iter().any(|other| other.0 == process && other.1 > start);
        (!goes_on).then(|| Unrecorded { process, program: program.clone() })
    });
    ended.collect()
}

/// The processes that run and are told to record into this folder, as far as their environment may be read.
pub fn recorded_on(folder: &Path) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let mut end = b"dir=".to_vec();
    end.extend_from_slice(folder.as_os_str().as_bytes());
    let is_told = |environment: &[u8]| {
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| variable.starts_with(VARIABLE) && variable.ends_with(&end))
    };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number: &u32| {
            with_memory(number.cast_signed())
                .and_then(|one| fs::read(format!("/proc/{one}/environ")).ok())
                .is_some_and(|environment| is_told(&environment))
        })
        .collect()
}

/// What the recorder reads.
const VARIABLE: &[u8] = b"HEAPWRIGHT_RECORD=";

/// Whether the process that a file of chunks is named after has it open, or mapped without having said that it stopped.
fn still_writes(file: &Path) -> bool {
    let Some(number) = number(file) else { return false };
    let Ok(path) = file.canonicalize() else { return false };
    let Some(one) = with_memory(number.cast_signed()) else { return false };
    match fs::read_dir(format!("/proc/{one}/fd")) {
        Ok(files) => {
            files.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|to| to == path))
                || stopped(&path).is_none() && mapped_by(number).contains(&path)
        }
        // It has gone, or is another user's: then it may still write.
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

/// The process that a file is named after.
pub(crate) fn number(file: &Path) -> Option<u32> {
    let name = file.file_stem()?.to_string_lossy();
    name.rsplit('-').next()?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
