//! The threads' events in one order.
//!
//! A free is stamped before the call and an allocation after it, so whoever gets an address that another thread has freed is
//! stamped later. Two processors' clocks may differ a little, though, times are coarse, and until a process has a second thread its
//! readings of the clock are not ordered with what is around them: an event that cannot be yet, as its
//! address is still live or not live yet, lets the other threads go on until it can be, for a short time of theirs.
//!
//! ```text
//! thread 1   malloc A ───────────── free A          stamped 12
//! thread 2              malloc A                    stamped 11: waits for the free
//! ```

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;

use trace_format::PROCESS_ENDS;

use super::Progress;
use super::blocks::{Blocks, Verdict, Wait};
use super::index::{Index, Place};
use super::stream::{Next, Stream};
use crate::about::Missing;
use crate::error::TraceError;
use crate::packer::{Packed, Packer};

/// How long an event waits, in units of the recorder's clock: some ten microseconds.
const PATIENCE: u64 = 1024;

/// A thread that waits.
#[derive(Debug)]
struct Waiting {
    thread: usize,
    time: u64,
    until: Wait,
}

/// Merges the streams of all threads.
#[derive(Debug)]
pub(crate) struct Merge<'a> {
    file: &'a File,
    places: Vec<Place>,
    streams: Vec<Stream>,
    blocks: Blocks,
    missing: Missing,
    /// When each thread does something next, as far as is known.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    waiting: Vec<Waiting>,
    /// Chunks that were read.
    done: u64,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(file: &'a File, index: Index, packer: Packer) -> Self {
        let Index { about, clock, places } = index;
        let mut streams = Vec::new();
        let mut threads = Vec::new();
        let mut next = BinaryHeap::new();
        let mut begin = 0;
        for chunks in places.chunk_by(|a, b| a.head.thread == b.head.thread) {
            next.push(Reverse((chunks[0].head.time, streams.len())));
            streams.push(Stream::new(begin..begin + chunks.len()));
            threads.push(chunks[0].head.tid);
            begin += chunks.len();
        }
        let blocks = Blocks::new(packer, clock, &threads);
        let (missing, waiting) = (about.missing, Vec::new());
        Self { file, places, streams, blocks, missing, next, waiting, done: 0 }
    }

    pub(crate) fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Result<Packed, TraceError> {
        let all = self.places.len() as u64;
        let mut said = 0;
        loop {
            let next = self.next.peek().map(|&Reverse((time, _))| time);
            let over = |waiting: &Waiting| next.is_none_or(|time| time > waiting.time + PATIENCE);
            if let Some(at) = self.waiting.iter().position(over) {
                let waiting = self.waiting.swap_remove(at);
                self.blocks.insist(waiting.thread);
                self.next.push(Reverse((waiting.time, waiting.thread)));
                continue;
            }
            let Some(Reverse((_, thread))) = self.next.pop() else { break };
            self.go_on(thread)?;
            if self.done > said {
                said = self.done;
                progress(Progress { done: said, all });
            }
        }
        if self.places.iter().any(|place| place.head.flags & PROCESS_ENDS != 0) {
            self.missing.cut = 0;
        }
        self.blocks.finish(self.missing)
    }

    /// Lets a thread go on until another one comes first.
    fn go_on(&mut self, thread: usize) -> Result<(), TraceError> {
        let first = self.next.peek().map_or(u64::MAX, |&Reverse((time, _))| time);
        let ends = self.waiting.iter().map(|waiting| waiting.time + PATIENCE);
        let until = ends.fold(first, u64::min);
        loop {
            let stream = &mut self.streams[thread];
            let (time, verdict) = match stream.next(self.file, &self.places, &mut self.missing) {
                Next::Event(time, _) | Next::Ended(time) if time > until => {
                    stream.back();
                    self.next.push(Reverse((time, thread)));
                    return Ok(());
                }
                Next::Event(time, event) => (time, self.blocks.event(thread, time, &event)?),
                Next::Ended(time) => (time, self.blocks.ended(thread, time)?),
                Next::Again => {
                    self.done += 1;
                    continue;
                }
                Next::Nothing => return Ok(()),
            };
            if let Verdict::Wait(until) = verdict {
                stream.back();
                self.waiting.push(Waiting { thread, time, until });
                return Ok(());
            }
            if let Some(at) =
                self.waiting.iter().position(|waiting| self.blocks.is_over(waiting.until))
            {
                let waiting = self.waiting.swap_remove(at);
                self.next.push(Reverse((waiting.time, waiting.thread)));
                self.next.push(Reverse((time, thread)));
                return Ok(());
            }
        }
    }
}
