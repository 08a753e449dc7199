//! A recording's file, written as the recorder writes it, but by one thread.

use core::fmt;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use trace_format::{
    CHUNK, ChunkHead, Event, FileHead, PROCESS_ENDS, THREAD_ENDED, VERSION, Writer,
};

/// Nanoseconds of a unit of time in these recordings.
const UNIT: u64 = 10;
/// When they begin, in units.
const BEGIN: u64 = 1_000_000;

#[repr(align(64))]
struct Chunk([u8; CHUNK]);

struct Open {
    chunk: Box<Chunk>,
    writer: Writer,
    offset: u64,
    sequence: u32,
    time: u64,
}

/// A recording that is written.
pub struct Raw {
    file: File,
    path: PathBuf,
    threads: BTreeMap<u32, Open>,
    end: u64,
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raw").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Raw {
    /// Begins a recording.
    pub fn create(path: impl AsRef<Path>) -> Self {
        Self::of(path.as_ref(), 4711, "")
    }

    /// The same of a child of the process of [`create`](Self::create).
    pub fn forked(path: impl AsRef<Path>, process: u32) -> Self {
        Self::of(path.as_ref(), process, "forked_from=4711\n")
    }

    fn of(path: &Path, pid: u32, note: &str) -> Self {
        let path = path.to_owned();
        let text = format!(
            "exe=/usr/bin/test\ncommand=test --all\nmalloc=glibc\nmalloc_path=/lib/libc.so.6\nkernel=6\n{note}"
        );
        let file = File::create(&path).unwrap();
        let mut first = Chunk([0; CHUNK]);
        FileHead {
            version: VERSION,
            pid,
            parent: 1,
            page: 4096,
            time: BEGIN,
            monotonic: BEGIN * UNIT,
            realtime: 1_700_000_000_000_000_000,
            text: text.as_bytes(),
        }
        .write(&mut first.0);
        file.write_all_at(&first.0, 0).unwrap();
        Self { file, path, threads: BTreeMap::new(), end: CHUNK as u64 }
    }

    /// An event of a thread, so many units of 10 ns after the recording's begin.
    pub fn event(&mut self, thread: u32, time: u64, event: Event<'_>) {
        let mut open = match self.threads.remove(&thread) {
            Some(open) if open.writer.has_room() => open,
            Some(full) => {
                let sequence = full.sequence + 1;
                self.close(full, 0);
                self.open(thread, sequence, time)
            }
            None => self.open(thread, 0, time),
        };
        open.time = time;
        // SAFETY: the chunk has room.
        unsafe { open.writer.event(BEGIN + time, &event) };
        self.threads.insert(thread, open);
    }

    fn open(&mut self, thread: u32, sequence: u32, time: u64) -> Open {
        let mut chunk = Box::new(Chunk([0; CHUNK]));
        let head = ChunkHead {
            magic: ChunkHead::MAGIC,
            thread,
            tid: thread.wrapping_add(4711),
            sequence,
            committed: 0,
            flags: 0,
            time: BEGIN + time,
            monotonic: (BEGIN + time) * UNIT,
            last_time: 0,
            last_monotonic: 0,
            reserved: 0,
        };
        // SAFETY: a chunk of its own, which stays where it is in its box.
        let writer = unsafe { Writer::begin(chunk.0.as_mut_ptr(), &head) };
        let offset = self.end;
        self.end += CHUNK as u64;
        Open { chunk, writer, offset, sequence, time }
    }

    fn close(&self, mut open: Open, flags: u32) {
        open.writer.seal(flags, BEGIN + open.time, (BEGIN + open.time) * UNIT);
        self.file.write_all_at(&open.chunk.0, open.offset).unwrap();
    }

    /// What comes of a thread is in its chunk after the next: that one is missing.
    pub fn skip(&mut self, thread: u32) {
        if let Some(open) = self.threads.remove(&thread) {
            let (sequence, time) = (open.sequence + 2, open.time);
            self.close(open, 0);
            let open = self.open(thread, sequence, time);
            self.threads.insert(thread, open);
        }
    }

    /// A program that is killed while it copies a full chunk leaves it twice: as it was, and as much of the copy as was written.
    pub fn copy(&mut self, thread: u32, written: usize) {
        if let Some(open) = self.threads.get_mut(&thread) {
            let offset = self.end;
            self.end += CHUNK as u64;
            open.writer.seal(0, BEGIN + open.time, (BEGIN + open.time) * UNIT);
            self.file.write_all_at(&open.chunk.0[..written], offset).unwrap();
        }
    }

    pub fn end(&mut self, thread: u32) {
        if let Some(open) = self.threads.remove(&thread) {
            self.close(open, THREAD_ENDED);
        }
    }

    /// The program ends, and its threads with it. Returns where the file is.
    pub fn finish(mut self) -> PathBuf {
        for open in core::mem::take(&mut self.threads).into_values() {
            self.close(open, 0);
        }
        self.path
    }

    /// A thread has the process end. What is written from now on are its destructors.
    pub fn exit(&mut self, thread: u32) {
        if let Some(open) = self.threads.get_mut(&thread) {
            open.writer.flag(PROCESS_ENDS);
        }
    }

    /// The program is killed.
    pub fn kill(mut self) -> PathBuf {
        for open in core::mem::take(&mut self.threads).into_values() {
            self.file.write_all_at(&open.chunk.0, open.offset).unwrap();
        }
        self.path
    }
}
