//! Where pointers are looked for at first: what the program reaches without a pointer.
//!
//! ```text
//! /bin/server   data │ bss            root: files' data, and what follows it without a name
//! [heap], any mapping with a block    no root: the malloc's own, with free memory and what it writes down of it
//! 7f10…         ████▒▒▒▒              from where the thread's stack ends on; a stack without a thread is none
//! 7f20…         of the program's own mmap    root
//! ```

use core::ops::Range;

use crate::copy::{Mapping, Thread};
use crate::ranges::Ranges;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) range: Range<u64>,
    /// Whether it is of no file, so that pages that were never touched are zeros.
    pub(crate) is_anonymous: bool,
    /// Only pointers to the begin of a block count.
    pub(crate) only_begins: bool,
}

/// Bytes below a thread's stack pointer that a function without calls uses.
const RED_ZONE: u64 = 128;
/// Thread-local storage around what a thread finds it by, where it shares a mapping with blocks.
const BEFORE: u64 = 64 << 10;
const BEHIND: u64 = 4 << 10;

/// What the kernel calls the stack of a process's first thread.
const MAIN_STACK: &str = "[stack]";

#[derive(Debug)]
pub(crate) struct Known<'a> {
    pub(crate) mappings: &'a [Mapping],
    /// Of each: whether a block ever was in it.
    pub(crate) had_block: &'a [bool],
    pub(crate) threads: &'a [Thread],
    pub(crate) own: &'a Ranges,
    /// From a thread's pointer on: what the recorder keeps of it, the last block's address too.
    pub(crate) recorder: Range<u64>,
    pub(crate) malloc: &'a str,
}

pub(crate) fn roots(known: &Known<'_>) -> Vec<Root> {
    let pointers =
        known.threads.iter().map(|thread| thread.pointer).filter(|pointer| *pointer != 0);
    let places = pointers.map(|pointer| {
        let Range { start, end } = known.recorder;
        pointer.wrapping_add(start)..pointer.wrapping_add(end)
    });
    let kept: Vec<Range<u64>> = places.filter(|place| place.start < place.end).collect();
    let parts = all(known).into_iter().flat_map(|root| {
        let mut ranges = Ranges::default();
        ranges.add(root.range.clone());
        kept.iter().for_each(|place| ranges.remove(place));
        let parts: Vec<_> = ranges.within(&root.range).collect();
        parts.into_iter().map(move |range| Root { range, ..root })
    });
    parts.collect()
}

fn all(known: &Known<'_>) -> Vec<Root> {
    let mut roots = Vec::new();
    // The module that the mappings before belong to, as far as they follow each other.
    let mut module: Option<(&str, u64)> = None;
    for (mapping, &had_block) in known.mappings.iter().zip(known.had_block) {
        let (range, is_file) = (&mapping.range, is_file(&mapping.path));
        module = match module {
            _ if is_file && !is_recording(&mapping.path) => Some((&mapping.path, range.end)),
            // What a file's data needs beyond the file.
            Some((path, end)) if end == range.start && mapping.path.is_empty() => {
                Some((path, range.end))
            }
            _ => None,
        };
        if !mapping.is_writable || is_recording(&mapping.path) {
            continue;
        }
        match module {
            Some((path, _)) if is_file || !had_block && !is_malloc_s(path, known.malloc) => {
                if !is_malloc_s(path, known.malloc) {
                    roots.push(Root {
                        range: range.clone(),
                        is_anonymous: !is_file,
                        // The C library's malloc has pointers to free blocks there, which seem to lie in the blocks before.
                        only_begins: is_c_library(path),
                    });
                }
            }
            _ => without_file(known, mapping, had_block, &mut roots),
        }
    }
    roots
}

/// Whether a module is the recorder, or the malloc, whose notes on blocks do not keep them.
pub(crate) fn is_malloc_s(module: &str, malloc: &str) -> bool {
    let name = name(module).trim_end_matches(" (deleted)");
    let is_recorder = ["libheapwright-record", "libheapwright_record"]
        .iter()
        .any(|begin| name.starts_with(begin));
    is_recorder || module == malloc && !is_c_library(module)
}

/// Stacks, thread-local storage, and what the program mapped itself.
fn without_file(known: &Known<'_>, mapping: &Mapping, had_block: bool, roots: &mut Vec<Root>) {
    let mut root = |range: Range<u64>| {
        if !range.is_empty() {
            roots.push(Root { range, is_anonymous: true, only_begins: false });
        }
    };
    let range = &mapping.range;
    let lowest =
        known.threads.iter().map(|thread| thread.stack).filter(|at| range.contains(at)).min();
    if let Some(lowest) = lowest {
        return root((lowest - RED_ZONE).max(range.start)..range.end);
    }
    if mapping.path == MAIN_STACK {
        // The main thread is on another stack, and comes back to this one.
        return root(range.clone());
    }
    known.own.within(range).for_each(&mut root);
    let pointers = known.threads.iter().map(|thread| thread.pointer);
    for pointer in pointers.filter(|at| range.contains(at)) {
        if !had_block {
            return root(range.clone());
        }
        root(pointer.saturating_sub(BEFORE).max(range.start)..(pointer + BEHIND).min(range.end));
    }
}

fn is_file(path: &str) -> bool {
    path.starts_with('/')
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_c_library(path: &str) -> bool {
    ["libc.so", "libc-2", "ld-musl", "libc.musl"].iter().any(|begin| name(path).starts_with(begin))
}

pub(crate) fn is_loader(path: &str) -> bool {
    ["ld-linux", "ld-musl", "ld-2", "ld64.so"].iter().any(|begin| name(path).starts_with(begin))
}

/// Whether a file is what the recorder writes.
fn is_recording(path: &str) -> bool {
    path.trim_end_matches(" (deleted)").ends_with(".chunks")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64, path: &str) -> Mapping {
        Mapping { range: start..end, is_writable: true, path: path.to_owned() }
    }

    #[test]
    fn data_stacks_and_own_mappings_are_roots_and_the_malloc_s_are_not() {
        let mappings = [
            mapping(0x1000, 0x2000, "/bin/server"),
            mapping(0x2000, 0x3000, ""),
            mapping(0x4000, 0x9000, "[heap]"),
            mapping(0x10000, 0x20000, ""),
            mapping(0x30000, 0x40000, ""),
            mapping(0x50000, 0x60000, ""),
            mapping(0x70000, 0x71000, "/lib/libc.so.6"),
            mapping(0x71000, 0x72000, ""),
            mapping(0x80000, 0x81000, "/tmp/x/libheapwright-record.so"),
            mapping(0x81000, 0x82000, ""),
            mapping(0x90000, 0x91000, "[stack]"),
        ];
        let mut had_block = [false; 11];
        had_block[2] = true;
        had_block[3] = true;
        let mut own = Ranges::default();
        own.add(0x52000..0x53000);
        let threads =
            [Thread { stack: 0x38000, pointer: 0x3f000 }, Thread { stack: 1, pointer: 0x1f000 }];
        let known = Known {
            mappings: &mappings,
            had_block: &had_block,
            threads: &threads,
            own: &own,
            recorder: 0u64.wrapping_sub(0x100)..0u64.wrapping_sub(0x80),
            malloc: "",
        };
        let found: Vec<_> =
            roots(&known).into_iter().map(|root| (root.range, root.only_begins)).collect();
        let expected = [
            (0x1000..0x2000, false),
            (0x2000..0x3000, false),
            (0x10000..0x1ef00, false),
            (0x1ef80..0x20000, false),
            (0x37f80..0x3ef00, false),
            (0x3ef80..0x40000, false),
            (0x52000..0x53000, false),
            (0x70000..0x71000, true),
            (0x71000..0x72000, true),
            (0x90000..0x91000, false),
        ];
        assert_eq!(found, expected);
    }
}
