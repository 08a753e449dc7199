//! What a writer writes, a reader reads; what is broken ends the chunk and nothing else.

extern crate std;

use std::boxed::Box;
use std::vec::Vec;

use super::{Cursor, Fault, FaultKind};
use crate::chunk::{CHUNK, ChunkHead, HEAD};
use crate::event::Event;
use crate::write::{ROOM, Writer};

const EVENTS: &[Event<'static>] = &[
    Event::Malloc { at: 0x7F00_0000_1000, size: 24 },
    Event::Malloc { at: 0x7F00_0000_1028, size: 1 << 40 },
    Event::Free { at: 0x7F00_0000_1028 },
    Event::Calloc { at: 0x10, size: 0 },
    Event::Aligned { at: 0x20_0000, size: 100, align: 1 << 21 },
    Event::ReallocFrom { at: 0x10 },
    Event::ReallocTo { at: 0, size: u64::MAX },
    Event::Refused { size: u64::MAX },
    Event::UsableSize { at: 0x20_0000, usable: 128 },
    Event::Touched { pages: 3 },
    Event::Frame { frame: 1, caller: 0, ip: 0x5555_5555_1234 },
    Event::From { frame: 1 },
    Event::ThreadName { name: b"worker 1" },
    Event::Fork { child: 4711 },
    Event::Exec { path: b"/bin/true" },
    Event::Map { at: 0x7F00_1000_0000, len: 1 << 20 },
    Event::Unmap { at: 0x7F00_1000_0000, len: 1 << 20 },
    Event::Mark { name: b"" },
    Event::Born { at: 0x7F00_0000_2008, size: 64 },
    Event::Memory { anon: 1 << 30, file: 0, shmem: 4096 },
    Event::Dropped { events: 7 },
    Event::Module { start: 0x40_0000, end: 0x41_0000, offset: 0, path: b"/bin/x\0\x01\x02" },
];

#[repr(align(64))]
struct Chunk([u8; CHUNK]);

fn head() -> ChunkHead {
    ChunkHead {
        magic: ChunkHead::MAGIC,
        thread: 3,
        tid: 99,
        sequence: 0,
        committed: 0,
        flags: 0,
        time: 1000,
        monotonic: 5,
        last_time: 0,
        last_monotonic: 0,
        reserved: 0,
    }
}

/// The events of the chunk with this head, each with its time.
fn all_of<'a>(
    head: &ChunkHead,
    chunk: &'a [u8],
) -> impl Iterator<Item = Result<(u64, Event<'a>), Fault>> {
    let mut cursor = Cursor::begin(head, chunk.len());
    core::iter::from_fn(move || cursor.next(chunk))
}

/// A chunk of all events, `gap` units apart.
fn written(gap: u64) -> Box<Chunk> {
    let mut chunk = Box::new(Chunk([0; CHUNK]));
    // SAFETY: a chunk of its own.
    let mut writer = unsafe { Writer::begin(chunk.0.as_mut_ptr(), &head()) };
    for (number, event) in EVENTS.iter().enumerate() {
        assert!(writer.has_room());
        // SAFETY: there is room.
        unsafe { writer.event(1000 + gap * number as u64, event) };
    }
    writer.seal(0, 0, 77);
    chunk
}

#[test]
fn what_is_written_is_read() {
    for gap in [0, 1, 62, 63, 1 << 40] {
        let chunk = written(gap);
        let head = ChunkHead::read(&chunk.0).unwrap();
        assert_eq!(head.last_time, 1000 + gap * (EVENTS.len() as u64 - 1));
        let read: Vec<_> = all_of(&head, &chunk.0).map(Result::unwrap).collect();
        assert_eq!(read.len(), EVENTS.len());
        for (number, (time, event)) in read.into_iter().enumerate() {
            assert_eq!((time, event), (1000 + gap * number as u64, EVENTS[number]));
        }
    }
}

#[test]
fn a_writer_pauses_and_ends() {
    assert!(!Writer::NONE.has_room());
    let mut none = Writer::NONE;
    assert!(!none.pause_after(1));
    none.seal(0, 1, 1);
    let mut chunk = Box::new(Chunk([0; CHUNK]));
    // SAFETY: a chunk of its own.
    let mut writer = unsafe { Writer::begin(chunk.0.as_mut_ptr(), &head()) };
    let mut events = 0;
    while writer.pause_after(100) {
        while writer.has_room() {
            // SAFETY: there is room.
            unsafe { writer.malloc(1000, u64::MAX << (events % 64), u64::MAX) };
            events += 1;
        }
    }
    writer.look_at_clock(2000, 3);
    let head = ChunkHead::read(&chunk.0).unwrap();
    assert!(head.committed as usize > CHUNK - HEAD - ROOM);
    assert_eq!((head.flags, head.last_time, head.last_monotonic), (0, 2000, 3));
    assert_eq!(all_of(&head, &chunk.0).map(Result::unwrap).count(), events);
}

#[test]
fn a_cut_chunk_gives_what_is_whole() {
    let chunk = written(100);
    let mut head = ChunkHead::read(&chunk.0).unwrap();
    let all = head.committed;
    for committed in 0..all {
        head.committed = committed;
        let (good, bad): (Vec<_>, Vec<_>) = all_of(&head, &chunk.0).partition(Result::is_ok);
        assert!(bad.len() <= 1 && good.len() < EVENTS.len());
        if let Some(Err(fault)) = bad.first() {
            assert_eq!(fault.kind, FaultKind::Cut);
            assert!(fault.offset < HEAD + committed as usize);
        }
    }
}

#[test]
fn any_bytes_end() {
    let mut chunk = written(63);
    let head = ChunkHead::read(&chunk.0).unwrap();
    for flipped in 0..head.committed as usize * 8 {
        chunk.0[HEAD + flipped / 8] ^= 1 << (flipped % 8);
        assert!(all_of(&head, &chunk.0).count() <= head.committed as usize);
        chunk.0[HEAD + flipped / 8] ^= 1 << (flipped % 8);
    }
    let wild = ChunkHead { committed: u32::MAX, ..head };
    assert!(all_of(&wild, &chunk.0).count() <= CHUNK);
    assert_eq!(all_of(&wild, &chunk.0[..HEAD]).count(), 0);
}
