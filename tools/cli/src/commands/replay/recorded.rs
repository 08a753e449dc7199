//! What a program was recorded on, and what its recording lacks.

use std::fs;
use std::path::Path;

use launch::allocator::Allocator;
use replay::Planned;
use show::number::count;
use trace::{Malloc, Trace};

use crate::flags::subject::{AllocatorArg, What};
use crate::{allocators, embedded};

/// Whether `allocator`, as it is, is what was recorded on.
pub(super) fn is(malloc: &Malloc, allocator: &Allocator) -> bool {
    if !allocator.set().is_empty() {
        return false;
    }
    match allocator.library() {
        None => is_libc(malloc),
        Some(library) => {
            let is_same_file = fs::canonicalize(&malloc.path)
                .is_ok_and(|path| fs::canonicalize(library).is_ok_and(|library| library == path));
            let is_ours = embedded::find(&malloc.name).is_some();
            is_same_file || is_ours && allocator.base == malloc.name
        }
    }
}

pub(super) fn place(malloc: &Malloc, all: &[Allocator]) -> Option<usize> {
    all.iter().position(|allocator| is(malloc, allocator))
}

/// What was recorded on, if this machine has it; else why not.
pub(super) fn find(malloc: &Malloc) -> Result<Allocator, String> {
    let is_known = embedded::find(&malloc.name).is_some();
    let arg = if is_libc(malloc) {
        AllocatorArg::known(launch::allocator::GLIBC)
    } else if is_known {
        AllocatorArg::known(&malloc.name)
    } else if Path::new(&malloc.path).is_file() {
        AllocatorArg {
            name: malloc.name.clone(),
            what: What::File((&malloc.path).into()),
            ..AllocatorArg::known(&malloc.name)
        }
    } else {
        let on = if malloc.path.is_empty() { "an unknown malloc" } else { &malloc.path };
        return Err(format!(
            "the program was recorded on {on}, which is not here: how far the replay is from the recording is not known"
        ));
    };
    let found = allocators::find(&arg);
    found.map_err(|error| format!("what the program was recorded on does not take part: {error:#}"))
}

fn is_libc(malloc: &Malloc) -> bool {
    let file = Path::new(&malloc.path).file_name().unwrap_or_default().to_string_lossy();
    file.starts_with("libc.so") || file.starts_with("libc-")
}

/// What a reader should know of the recording.
pub(super) fn missing(trace: &Trace, planned: &Planned) -> Vec<String> {
    let missing = &trace.about().missing;
    let strange = missing.unknown_frees + missing.double_frees;
    let figures = [
        (missing.dropped.max(planned.dropped), "events were not recorded"),
        (missing.damaged, "places of the trace are damaged"),
        (missing.chunks, "pieces of the recording are missing"),
        (strange + planned.unknown, "frees of what is no live block are left out"),
        (missing.unseen_frees, "frees are missing"),
    ];
    let said = figures.into_iter().filter(|(n, _)| *n > 0);
    said.map(|(n, what)| format!("{} {what}", count(n as f64))).collect()
}
