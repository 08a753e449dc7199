//! What was live when a recording began in the middle of a program: a walk through the malloc, less what the events explain.
//!
//! ```text
//! walk     born A │ born B │ born C │ free C: a thread kept it
//! events   malloc B: it was not there before │ born D, free D: it was, and had gone when the walk came there
//! live     A, D
//! ```
//!
//! The walk takes a while, and events are recorded from before it on. So whatever comes or goes meanwhile has an event: what is done
//! first with its address says whether a block was there before.

use std::fs::File;

use trace_format::{Event, WALK};

use super::index::{Index, Place};
use super::stream::{Next, Stream};
use crate::about::Missing;
use crate::blocks::NumberMap;

/// What a recording says of before its begin.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// Addresses and sizes of the blocks that were there.
    pub(crate) blocks: Vec<(u64, u64)>,
    /// These are all.
    pub(crate) is_complete: bool,
}

/// What is first done with an address.
#[derive(Debug, Clone, Copy)]
struct First {
    time: u64,
    /// A block was there: its size, or 0, where only the walk may know it.
    there: Option<u64>,
}

type Firsts = NumberMap<u64, First>;

/// What was live at the begin, if the recorder walked. The walk's chunks are taken out of the index. Where chunks are missing nothing
/// is: their events would be too.
pub(crate) fn before(file: &File, index: &mut Index) -> Before {
    let begin = index.places.partition_point(|place| place.head.thread < WALK);
    let end = index.places.partition_point(|place| place.head.thread <= WALK);
    let walk: Vec<Place> = index.places.drain(begin..end).collect();
    let is_whole = |chunks: &[Place]| (0..).zip(chunks).all(|(n, place)| place.head.sequence == n);
    let mut threads = index.places.chunk_by(|a, b| a.head.thread == b.head.thread);
    if walk.is_empty() || !is_whole(&walk) || !threads.all(is_whole) {
        return Before::default();
    }
    let until = walk
        .iter()
        .map(|place| if place.is_sealed() { place.head.last_time } else { u64::MAX })
        .max()
        .unwrap_or_default();
    let firsts = firsts(file, &index.places, until);
    let (mut blocks, mut kept) = (Vec::new(), NumberMap::<u64, ()>::default());
    each(file, &walk, u64::MAX, &mut index.about.missing, |_, event| match *event {
        Event::Born { at, size } => blocks.push((at, size)),
        Event::Free { at } => _ = kept.insert(at, ()),
        _ => {}
    });
    blocks.retain(|&(at, _)| match firsts.get(&at) {
        Some(first) => first.there.is_some(),
        None => !kept.contains_key(&at),
    });
    blocks.sort_unstable();
    blocks.dedup_by_key(|&mut (at, _)| at);
    let walked = blocks.len();
    for (&at, first) in &firsts {
        if let Some(size @ 1..) = first.there
            && blocks[..walked].binary_search_by_key(&at, |&(at, _)| at).is_err()
        {
            blocks.push((at, size));
        }
    }
    blocks.sort_unstable();
    Before { blocks, is_complete: true }
}

/// What is first done with each address until then.
fn firsts(file: &File, places: &[Place], until: u64) -> Firsts {
    let mut firsts = Firsts::default();
    // What is wrong with these chunks is found once more when they are merged.
    let mut missing = Missing::default();
    for chunks in places.chunk_by(|a, b| a.head.thread == b.head.thread) {
        each(file, chunks, until, &mut missing, |time, event| {
            let (at, there) = match *event {
                Event::Malloc { at, .. }
                | Event::Calloc { at, .. }
                | Event::Aligned { at, .. }
                | Event::ReallocTo { at, .. } => (at, None),
                Event::Born { at, size } => (at, Some(size)),
                Event::Free { at } | Event::ReallocFrom { at } => (at, Some(0)),
                _ => return,
            };
            let first = firsts.entry(at).or_insert(First { time, there });
            if time < first.time {
                *first = First { time, there };
            }
        });
    }
    firsts
}

/// Shows the events of a thread's chunks until then.
fn each(
    file: &File,
    places: &[Place],
    until: u64,
    missing: &mut Missing,
    mut visit: impl FnMut(u64, &Event<'_>),
) {
    let mut stream = Stream::new(0..places.len());
    loop {
        match stream.next(file, places, missing) {
            Next::Event(time, event) if time <= until => visit(time, &event),
            Next::Again => {}
            Next::Event(..) | Next::Ended(_) | Next::Nothing => return,
        }
    }
}
