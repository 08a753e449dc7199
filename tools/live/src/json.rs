//! The figures as the file of `stats=/PATH` has them, of a process that runs: what reads one reads the other.

use serde_json::{Value, json};

use crate::look::Figures;
use crate::parts::Parts;

/// The version of the fields, as in the file: rises when one changes its meaning.
const FORMAT: u32 = 1;

pub fn json(figures: &Figures) -> Value {
    let process = &figures.process;
    let mut all = json!({
        "heapwright": FORMAT,
        "allocator": figures.malloc.as_ref().map(|(name, _)| name),
        "version": figures.malloc.as_ref().map(|(_, version)| version),
        "process": process.pid,
        "parent": process.parent,
        "command": process.command,
        "ended": false,
        "resident": {
            "now": process.resident,
            "peak": process.peak,
            "anonymous": process.anonymous,
            "files": process.files,
            "shared": process.shared,
            "huge_pages": process.huge_pages,
        },
        "swapped": process.swapped,
        "faults": { "minor": process.faults[0], "major": process.faults[1] },
        "all_threads": process.threads,
    });
    let Some(heap) = &figures.heap else { return all };
    let sizes = heap.sizes.iter().map(|size| {
        json!({
            "bytes": size.bytes,
            "objects": size.objects,
            "kept": size.kept,
            "room": size.room,
            "slabs": size.slabs,
        })
    });
    let own = json!({
        "obtained": heap.obtained,
        "given_back": heap.given_back,
        "live": heap.live,
        "held": heap.held,
        "kept": { "now": heap.kept, "most_of_a_thread": heap.kept_most },
        "fragmented": heap.fragmented,
        "free": heap.dirty,
        "books": heap.books,
        "mappings": { "bytes": heap.huge, "count": heap.huge_count },
        "threads": { "now": heap.threads_now, "ever": heap.threads_ever },
        "slow_paths": { "refills": heap.refills, "flushes": heap.flushes },
        "uncached": heap.uncached,
        "shards": heap.shards,
        "unsettled": heap.unsettled,
        "now": heap.parts.as_ref().map(parts),
        "sizes": sizes.collect::<Vec<Value>>(),
    });
    if let (Some(all), Value::Object(own)) = (all.as_object_mut(), own) {
        all.extend(own);
    }
    all
}

fn parts(parts: &Parts) -> Value {
    let each = parts
        .parts
        .iter()
        .map(|part| json!({ "name": part.name, "held": part.held, "resident": part.resident }));
    json!({ "known": parts.is_known, "parts": each.collect::<Vec<Value>>() })
}
