//! What a program was recorded on, and what its recording lacks.

use std::fs;
use std::path::Path;

use launch::allocator::Allocator;
use launch::environment::{SETTINGS, Setting};
use replay::Planned;
use show::number::count;
use trace::{About, Malloc, Trace};

use crate::flags::subject::{AllocatorArg, What};
use crate::{allocators, embedded, exit};

/// What is behind its name where the program's environment set something for the malloc.
const AS_SET: &str = " as set";

/// Whether `allocator` is what was recorded on, with what was set for it then.
pub(super) fn is(about: &About, allocator: &Allocator) -> bool {
    let sorted = |allocator: &Allocator| {
        let mut set = allocator.set();
        set.sort();
        set
    };
    is_malloc(&about.malloc, allocator)
        && sorted(allocator) == sorted(&as_set(about, allocator.clone()))
}

fn is_malloc(malloc: &Malloc, allocator: &Allocator) -> bool {
    match allocator.library() {
        None => malloc.is_glibc() && allocator.in_process.is_none(),
        Some(library) => {
            let is_same_file = fs::canonicalize(&malloc.path)
                .is_ok_and(|path| fs::canonicalize(library).is_ok_and(|library| library == path));
            let is_ours = embedded::find(&malloc.name).is_some();
            is_same_file || is_ours && allocator.base == malloc.name
        }
    }
}

/// The same with what was set for it when the program was recorded, and nothing else.
fn as_set(about: &About, allocator: Allocator) -> Allocator {
    let mut set = Allocator { settings: Vec::new(), environment: Vec::new(), ..allocator };
    for (name, value) in about.settings() {
        if name == SETTINGS {
            // A replay has no statistics to write.
            let items = value.split(',').filter(|item| !item.trim_start().starts_with("stats"));
            set.settings.extend(items.filter_map(|item| item.trim().parse::<Setting>().ok()));
        } else {
            set.environment.push((name.to_owned(), value.to_owned()));
        }
    }
    set
}

pub(super) fn place(about: &About, all: &[Allocator]) -> Option<usize> {
    all.iter().position(|allocator| is(about, allocator))
}

/// What was recorded on, if this machine has it; else why not.
pub(super) fn find(about: &About) -> Result<Allocator, String> {
    let malloc = &about.malloc;
    let is_known = embedded::find(&malloc.name).is_some();
    let arg = if malloc.is_glibc() {
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
    let found = allocators::find(&arg).map_err(|error| {
        format!("what the program was recorded on does not take part: {}", exit::said(&error))
    })?;
    let mut found = as_set(about, found);
    if !found.set().is_empty() {
        found.name += AS_SET;
    }
    Ok(found)
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
