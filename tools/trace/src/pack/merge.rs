//! The threads' events in the order of their stamps. What cannot have been in that order, [`Blocks`] mends.

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;

use trace_format::PROCESS_ENDS;

use super::Progress;
use super::blocks::Blocks;
use super::born::Before;
use super::index::{Index, Place};
use super::stream::{Next, Stream};
use crate::about::Missing;
use crate::error::TraceError;
use crate::packer::{Packed, Packer};

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
    /// Chunks that were read.
    done: u64,
}

impl<'a> Merge<'a> {
    /// Of a process that has had some blocks before its recording began.
    pub(crate) fn new(
        file: &'a File,
        index: Index,
        packer: Packer,
        before: &Before,
    ) -> Result<Self, TraceError> {
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
        let mut blocks = Blocks::new(packer, clock, &threads);
        if !threads.is_empty() {
            blocks.inherit(before)?;
        }
        Ok(Self { file, places, streams, blocks, missing: about.missing, next, done: 0 })
    }

    pub(crate) fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Result<Packed, TraceError> {
        let all = self.places.len() as u64;
        let mut said = 0;
        while let Some(Reverse((_, thread))) = self.next.pop() {
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
        let until = self.next.peek().map_or(u64::MAX, |&Reverse((time, _))| time);
        let stream = &mut self.streams[thread];
        loop {
            match stream.next(self.file, &self.places, &mut self.missing) {
                Next::Event(time, _) | Next::Ended(time) if time > until => {
                    stream.back();
                    self.next.push(Reverse((time, thread)));
                    return Ok(());
                }
                Next::Event(time, event) => self.blocks.event(thread, time, &event)?,
                Next::Ended(time) => self.blocks.ended(thread, time)?,
                Next::Again => self.done += 1,
                Next::Nothing => return Ok(()),
            }
        }
    }
}
