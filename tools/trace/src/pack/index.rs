//! The first look at a recording: its head, and where each thread's chunks are.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use trace_format::{
    CHUNK, ChunkHead, FileHead, HEAD, HeadError, SEALED, SHORT, SHORT_ALIGN, VERSION,
};

use super::clock::Clock;
use crate::about::{About, Malloc};
use crate::error::TraceError;

/// Where a chunk is, and its head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) head: ChunkHead,
}

impl Place {
    pub(crate) fn is_sealed(&self) -> bool {
        self.head.flags & SEALED != 0
    }
}

/// All chunks of a recording, each thread's in the order in which it wrote them.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) about: About,
    pub(crate) clock: Clock,
    pub(crate) places: Vec<Place>,
}

impl Index {
    pub(crate) fn read(file: &File, path: &Path) -> Result<Self, TraceError> {
        let len = file.metadata().map_err(TraceError::io(path))?.len();
        let mut first = vec![0; usize::try_from(len.min(CHUNK as u64)).unwrap_or_default()];
        file.read_exact_at(&mut first, 0).map_err(TraceError::io(path))?;
        let head = FileHead::read(&first).map_err(|error| match error {
            HeadError::Foreign => TraceError::Foreign { path: path.to_owned() },
            HeadError::Newer(found) => {
                TraceError::Newer { path: path.to_owned(), found, known: VERSION }
            }
            HeadError::Short => TraceError::damaged(path, len, "the file ends within its head"),
        })?;
        let mut about = about(&head);
        let mut places = Vec::new();
        let mut bytes = [0; HEAD];
        let mut offset = CHUNK as u64;
        while offset < len {
            let end = (offset / CHUNK as u64 + 1) * CHUNK as u64;
            let mut next = end;
            if offset + HEAD as u64 > len {
                about.missing.damage(offset, "the file ends within a chunk's head");
            } else if let Err(error) = file.read_exact_at(&mut bytes, offset) {
                about.missing.damage(offset, format!("this chunk cannot be read: {error}"));
            } else if let Some(head) = ChunkHead::read(&bytes) {
                places.push(Place { offset, head });
                if head.flags & SHORT != 0 {
                    let chunk = HEAD as u64 + u64::from(head.committed);
                    next = (offset + chunk.next_multiple_of(SHORT_ALIGN as u64)).min(end);
                }
            } else if bytes != [0; HEAD] {
                about.missing.damage(offset, "no chunk begins here");
            } else if offset.is_multiple_of(CHUNK as u64) {
                // Not written, or given back by a recorder that keeps the last gigabytes only: there may be many of these.
                next = written(file, end, len);
            }
            offset = next;
        }
        places.retain(|place| is_right(place, &mut about));
        places.sort_by_key(|place| (place.head.thread, place.head.sequence, place.offset));
        // A program that was killed while it copied a full chunk has left it twice, the first one whole.
        places.dedup_by_key(|place| (place.head.thread, place.head.sequence));
        let since = |time: u64, monotonic: u64| {
            (time.saturating_sub(head.time), monotonic.saturating_sub(head.monotonic))
        };
        let pairs: Vec<_> = places
            .iter()
            .flat_map(|Place { head, .. }| {
                [since(head.time, head.monotonic), since(head.last_time, head.last_monotonic)]
            })
            .collect();
        Ok(Self { about, clock: Clock::new(head.time, &pairs), places })
    }
}

/// The first chunk from `offset` on that is not a hole in the file.
fn written(file: &File, offset: u64, len: u64) -> u64 {
    match rustix::fs::seek(file, SeekFrom::Data(offset)) {
        Ok(at) => at / CHUNK as u64 * CHUNK as u64,
        Err(Errno::NXIO) => len,
        // This file system does not know its holes.
        Err(_) => offset,
    }
    .max(offset)
}

fn is_right(place: &Place, about: &mut About) -> bool {
    let head = &place.head;
    if place.is_sealed() && head.last_time < head.time {
        about.missing.damage(place.offset, "this chunk ends before it begins");
        return false;
    }
    if head.committed as usize > CHUNK - HEAD {
        about.missing.damage(place.offset, "this chunk says that it is longer than chunks are");
    }
    true
}

fn about(head: &FileHead<'_>) -> About {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let get = |key: &str| head.get(key).map(text).unwrap_or_default();
    const KNOWN: [&str; 4] = ["exe", "command", "malloc", "malloc_path"];
    let lines = head.text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let notes = lines
        .map(text)
        .filter(|line| !line.split_once('=').is_some_and(|(key, _)| KNOWN.contains(&key)));
    About {
        exe: get("exe"),
        command: get("command"),
        malloc: Malloc { name: get("malloc"), path: get("malloc_path") },
        pid: head.pid,
        parent: head.parent,
        page: head.page,
        start: head.realtime,
        addresses: true,
        notes: notes.collect(),
        ..About::default()
    }
}
