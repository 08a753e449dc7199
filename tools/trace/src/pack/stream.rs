//! The events of one thread: chunk after chunk, one of them in memory.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use trace_format::{CHUNK, ChunkHead, Cursor, Event, FaultKind, HEAD, THREAD_ENDED, WALK};

use super::index::Place;
use crate::about::Missing;

/// The chunks of one thread and how far they were read.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Those that were not begun.
    places: core::ops::Range<usize>,
    /// The one that is read.
    now: Option<(Place, Cursor)>,
    chunk: Vec<u8>,
    /// Where the last event was, to go back to it.
    before: Option<Cursor>,
    time: u64,
    next_sequence: u32,
    has_ended: bool,
}

/// What comes next of a thread.
#[derive(Debug)]
pub(crate) enum Next<'a> {
    Event(u64, Event<'a>),
    Ended(u64),
    /// Ask once more: a chunk is over.
    Again,
    /// Nothing more is known of it.
    Nothing,
}

impl Stream {
    /// The thread whose chunks are these of `places`.
    pub(crate) fn new(places: core::ops::Range<usize>) -> Self {
        Self { places, ..Self::default() }
    }

    pub(crate) fn next(
        &mut self,
        file: &File,
        places: &[Place],
        missing: &mut Missing,
    ) -> Next<'_> {
        if self.now.is_none() && !self.load(file, places, missing) {
            return Next::Nothing;
        }
        let Some((place, cursor)) = &mut self.now else { return Next::Nothing };
        let before = *cursor;
        match cursor.next(&self.chunk) {
            Some(Ok((time, _))) if place.is_sealed() && time > place.head.last_time => {
                let at = place.offset + before.offset() as u64;
                missing.damage(at, "this event is later than its chunk's end");
            }
            Some(Ok((time, event))) => {
                self.before = Some(before);
                self.time = self.time.max(time);
                return Next::Event(self.time, event);
            }
            Some(Err(fault)) => {
                missing.damage(place.offset + fault.offset as u64, what(fault.kind));
            }
            None if self.places.is_empty() && !self.has_ended => {
                self.before = Some(before);
                self.has_ended = true;
                if place.head.flags & THREAD_ENDED != 0 {
                    self.time = self.time.max(place.head.last_time);
                    return Next::Ended(self.time);
                }
                missing.cut += u64::from(!place.is_sealed() && place.head.thread < WALK);
            }
            None => {}
        }
        self.now = None;
        Next::Again
    }

    /// What was given last comes once more.
    pub(crate) fn back(&mut self) {
        if let (Some((_, cursor)), Some(before)) = (&mut self.now, self.before.take()) {
            *cursor = before;
            self.has_ended = false;
        }
    }

    fn load(&mut self, file: &File, places: &[Place], missing: &mut Missing) -> bool {
        self.before = None;
        let Some(place) = self.places.next().and_then(|at| places.get(at)) else {
            self.chunk = Vec::new();
            return false;
        };
        let head = &place.head;
        missing.chunks += u64::from(head.sequence.saturating_sub(self.next_sequence));
        self.next_sequence = head.sequence.saturating_add(1);
        self.chunk.resize(CHUNK, 0);
        let len = match read(file, &mut self.chunk, place.offset) {
            Ok(len) => len,
            Err(error) => {
                missing.damage(place.offset, format!("this chunk cannot be read: {error}"));
                0
            }
        };
        // A thread that still writes may have begun it anew: what was there is a copy now, which the index does not know.
        let sequence = ChunkHead::read(&self.chunk[..len]).map(|now| now.sequence);
        if sequence.is_some_and(|sequence| sequence != head.sequence) {
            missing.chunks += 1;
            self.now = Some((*place, Cursor::begin(head, HEAD)));
            return true;
        }
        if len < HEAD + head.committed as usize && head.committed as usize <= CHUNK - HEAD {
            missing.damage(place.offset + len as u64, "the file ends within a chunk");
        }
        self.now = Some((*place, Cursor::begin(head, len)));
        true
    }
}

/// Reads as much as there is.
fn read(file: &File, into: &mut [u8], offset: u64) -> std::io::Result<usize> {
    let mut len = 0;
    while len < into.len() {
        match file.read_at(&mut into[len..], offset + len as u64) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

fn what(kind: FaultKind) -> String {
    match kind {
        FaultKind::Cut => "this event is cut".into(),
        FaultKind::Unknown(kind) => format!("there are no events of kind {kind}"),
        FaultKind::Value => "this event has an impossible value".into(),
    }
}
