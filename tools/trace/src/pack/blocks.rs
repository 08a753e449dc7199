//! From events with addresses to steps with blocks.
//!
//! An address is a block's from the end of the call that returns it to the begin of the call that gives it back. Between the two
//! stamps of a `realloc` the block has no address: another thread may be given it, while this one copies.

use std::collections::HashMap;

use trace_format::Event;

use super::clock::Clock;
use crate::about::{Missing, Module, Strange, StrangeKind};
use crate::addresses::{Addresses, Found};
use crate::error::TraceError;
use crate::frames::Frames;
use crate::packer::{Packed, Packer};
use crate::step::{Block, Frame, How, Op, Step, Thread};

/// Whether an event was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verdict {
    /// It was.
    Taken,
    /// It cannot be before this.
    Wait(Wait),
}

/// What a thread waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait {
    /// The address is free.
    Free(u64),
    /// The address is live.
    Live(u64),
}

/// What is remembered of a thread from one event to a later one.
#[derive(Debug, Default)]
struct Doing {
    tid: u32,
    /// Its number in the packed trace, once it has done something.
    thread: Option<Thread>,
    /// The address, block and size whose `realloc` has begun.
    reallocates: Option<(u64, Block, u64)>,
    resident: Option<u32>,
    frame: Frame,
    /// It has waited long enough.
    insists: bool,
}

/// The blocks of the recorded program, and the packer that its steps go to.
#[derive(Debug)]
pub(crate) struct Blocks {
    packer: Packer,
    clock: Clock,
    live: Addresses,
    threads: Vec<Doing>,
    frames: Frames,
    /// Numbers of frames by the recorder's numbers.
    numbers: HashMap<u64, Frame>,
    missing: Missing,
    /// The last event was an `exec`: another program goes on.
    is_replaced: bool,
}

impl Blocks {
    pub(crate) fn new(packer: Packer, clock: Clock, tids: &[u32]) -> Self {
        let threads = tids.iter().map(|&tid| Doing { tid, ..Doing::default() });
        Self {
            packer,
            clock,
            live: Addresses::new(),
            threads: threads.collect(),
            frames: Frames::default(),
            numbers: HashMap::new(),
            missing: Missing::default(),
            is_replaced: false,
        }
    }

    /// The thread's next event is taken as it is.
    pub(crate) fn insist(&mut self, thread: usize) {
        self.threads[thread].insists = true;
    }

    /// Whether what a thread waits for is there.
    pub(crate) fn is_over(&self, wait: Wait) -> bool {
        match wait {
            Wait::Free(address) => !matches!(self.live.get(address), Found::Live(..)),
            Wait::Live(address) => matches!(self.live.get(address), Found::Live(..)),
        }
    }

    pub(crate) fn event(
        &mut self,
        thread: usize,
        time: u64,
        event: &Event<'_>,
    ) -> Result<Verdict, TraceError> {
        self.is_replaced = matches!(event, Event::Exec { .. });
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let op = match *event {
            Event::Malloc { at, size } => {
                return self.allocate(thread, time, at, How::Malloc, size, 0);
            }
            Event::Free { at } => return self.free(thread, time, at),
            Event::Calloc { at, size } => {
                return self.allocate(thread, time, at, How::Calloc, size, 0);
            }
            Event::Aligned { at, size, align } => {
                return self.allocate(thread, time, at, How::Aligned, size, align);
            }
            Event::Born { at, size } => {
                // The recorder found a block whose allocation it has seen, too.
                if matches!(self.live.get(at), Found::Live(..)) {
                    return Ok(Verdict::Taken);
                }
                return self.allocate(thread, time, at, How::Born, size, 0);
            }
            Event::ReallocFrom { at } => return self.realloc_begins(thread, time, at),
            Event::ReallocTo { at, size } => return self.realloc_ends(thread, time, at, size),
            Event::UsableSize { at, usable } => match self.live.get(at) {
                Found::Live(block, _) => Op::UsableSize { block, usable },
                _ => return Ok(Verdict::Taken),
            },
            Event::Refused { size } => Op::Refused { size },
            Event::Resident { pages } => {
                self.threads[thread].resident = u32::try_from(pages).ok();
                return Ok(Verdict::Taken);
            }
            Event::Frame { frame, caller, ip } => {
                let (frame, caller) = (self.frame(frame), self.frame(caller));
                if let Some(place) =
                    (frame as usize).checked_sub(1).and_then(|at| self.frames.list.get_mut(at))
                {
                    *place = (caller, ip);
                }
                return Ok(Verdict::Taken);
            }
            Event::From { frame } => {
                self.threads[thread].frame = self.frame(frame);
                return Ok(Verdict::Taken);
            }
            Event::Module { start, end, offset, path } => {
                self.module(start, end, offset, path);
                return Ok(Verdict::Taken);
            }
            Event::ThreadName { name } => Op::ThreadName(text(name)),
            Event::Fork { child } => Op::Fork { child: u32::try_from(child).unwrap_or_default() },
            Event::Exec { path } => Op::Exec(text(path)),
            Event::Map { at, len } => Op::Map { address: at, len },
            Event::Unmap { at, len } => Op::Unmap { address: at, len },
            Event::Mark { name } => Op::Mark(text(name)),
            Event::Memory { anon, file, shmem } => Op::Memory { anon, file, shmem },
            Event::Dropped { events } => {
                if events == 0 {
                    self.missing.stopped.get_or_insert(self.clock.nanos(time));
                }
                self.missing.dropped = self.missing.dropped.saturating_add(events);
                Op::Dropped { events }
            }
        };
        self.step(thread, time, op, 0)?;
        Ok(Verdict::Taken)
    }

    pub(crate) fn ended(&mut self, thread: usize, time: u64) -> Result<Verdict, TraceError> {
        if self.threads[thread].thread.is_some() {
            self.step(thread, time, Op::ThreadEnd, 0)?;
        }
        Ok(Verdict::Taken)
    }

    fn step(&mut self, thread: usize, time: u64, op: Op, gone: u64) -> Result<(), TraceError> {
        let time = self.clock.nanos(time);
        let number = self.number(thread, time)?;
        self.packer.add(&Step { time, thread: number, op }, gone)
    }

    /// A thread's number, which it gets when it does something for the first time.
    fn number(&mut self, thread: usize, time: u64) -> Result<Thread, TraceError> {
        let doing = &mut self.threads[thread];
        if let Some(number) = doing.thread {
            return Ok(number);
        }
        let number = Thread::try_from(self.packer.about_mut().threads.len()).unwrap_or(Thread::MAX);
        doing.thread = Some(number);
        let tid = doing.tid;
        self.packer.add(&Step { time, thread: number, op: Op::ThreadStart }, 0)?;
        if let Some(about) = self.packer.about_mut().threads.last_mut() {
            about.tid = tid;
        }
        Ok(number)
    }

    fn allocate(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
        how: How,
        size: u64,
        align: u64,
    ) -> Result<Verdict, TraceError> {
        if let Some(wait) = self.make_free(thread, time, address)? {
            return Ok(wait);
        }
        let frame = core::mem::take(&mut self.threads[thread].frame);
        let block = self.new_block(address, size);
        self.step(thread, time, Op::Allocate { block, how, size, align, address, frame }, 0)?;
        Ok(Verdict::Taken)
    }

    fn new_block(&mut self, address: u64, size: u64) -> Block {
        let (block, _) = self.packer.next();
        self.live.insert(address, block, size);
        block
    }

    /// An address that is returned is no block's. If it is one's, and nobody frees it, its free was not seen.
    fn make_free(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
    ) -> Result<Option<Verdict>, TraceError> {
        let Found::Live(block, size) = self.live.get(address) else { return Ok(None) };
        if !core::mem::take(&mut self.threads[thread].insists) {
            return Ok(Some(Verdict::Wait(Wait::Free(address))));
        }
        self.strange(StrangeKind::UnseenFree, thread, time, address)?;
        self.live.remove(address);
        self.step(thread, time, Op::Free { block, resident: None }, size)?;
        Ok(None)
    }

    fn free(&mut self, thread: usize, time: u64, address: u64) -> Result<Verdict, TraceError> {
        match self.take(thread, time, address)? {
            Ok((block, size)) => {
                let resident = self.threads[thread].resident.take();
                self.step(thread, time, Op::Free { block, resident }, size)?;
                Ok(Verdict::Taken)
            }
            Err(verdict) => Ok(verdict),
        }
    }

    /// The block of an address, which is none's from now on.
    fn take(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
    ) -> Result<Result<(Block, u64), Verdict>, TraceError> {
        let kind = match self.live.remove(address) {
            Found::Live(block, size) => return Ok(Ok((block, size))),
            Found::Dead => StrangeKind::DoubleFree,
            Found::Unknown => StrangeKind::UnknownFree,
        };
        if !core::mem::take(&mut self.threads[thread].insists) {
            return Ok(Err(Verdict::Wait(Wait::Live(address))));
        }
        self.strange(kind, thread, time, address)?;
        self.threads[thread].resident = None;
        Ok(Err(Verdict::Taken))
    }

    fn realloc_begins(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
    ) -> Result<Verdict, TraceError> {
        match self.take(thread, time, address)? {
            Ok((block, size)) => {
                self.threads[thread].reallocates = Some((address, block, size));
                Ok(Verdict::Taken)
            }
            Err(verdict) => Ok(verdict),
        }
    }

    fn realloc_ends(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
        size: u64,
    ) -> Result<Verdict, TraceError> {
        if address == 0 {
            let old = self.threads[thread].reallocates.take();
            if size == 0 {
                if let Some((_, block, gone)) = old {
                    self.step(thread, time, Op::Free { block, resident: None }, gone)?;
                }
                return Ok(Verdict::Taken);
            }
            if let Some((address, block, size)) = old {
                self.live.insert(address, block, size);
            }
            self.step(thread, time, Op::Refused { size }, 0)?;
            return Ok(Verdict::Taken);
        }
        if let Some(wait) = self.make_free(thread, time, address)? {
            return Ok(wait);
        }
        let doing = &mut self.threads[thread];
        let frame = core::mem::take(&mut doing.frame);
        let old = doing.reallocates.take();
        let block = self.new_block(address, size);
        let (op, gone) = match old {
            Some((_, old, gone)) => (Op::Reallocate { old, block, size, address, frame }, gone),
            // The old block's address was unknown.
            None => (Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame }, 0),
        };
        self.step(thread, time, op, gone)?;
        Ok(Verdict::Taken)
    }

    fn strange(
        &mut self,
        kind: StrangeKind,
        thread: usize,
        time: u64,
        address: u64,
    ) -> Result<(), TraceError> {
        let time = self.clock.nanos(time);
        let thread = self.number(thread, time)?;
        let (_, step) = self.packer.next();
        self.missing.strange(Strange { kind, step, time, thread, address });
        Ok(())
    }

    /// The number of a frame. It may be used before it is described, as another thread describes it.
    fn frame(&mut self, number: u64) -> Frame {
        if number == 0 {
            return 0;
        }
        if let Some(&frame) = self.numbers.get(&number) {
            return frame;
        }
        let Some(frame) = self.frames.push(0, 0) else { return 0 };
        self.numbers.insert(number, frame);
        frame
    }

    fn module(&mut self, start: u64, end: u64, offset: u64, path: &[u8]) {
        let (path, id) = match path.iter().position(|&byte| byte == 0) {
            Some(at) => (&path[..at], &path[at + 1..]),
            None => (path, &[][..]),
        };
        let path = String::from_utf8_lossy(path).into_owned();
        let build_id = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let module = Module { start, end, offset, path, build_id };
        let modules = &mut self.packer.about_mut().modules;
        if !modules.contains(&module) {
            modules.push(module);
        }
    }

    /// Ends the packed trace; `missing` is what the streams have said.
    pub(crate) fn finish(mut self, missing: Missing) -> Result<Packed, TraceError> {
        self.packer.set_frames(self.frames);
        let about = self.packer.about_mut();
        about.missing = Missing {
            cut: if self.is_replaced { 0 } else { missing.cut },
            dropped: self.missing.dropped,
            stopped: self.missing.stopped,
            unknown_frees: self.missing.unknown_frees,
            double_frees: self.missing.double_frees,
            unseen_frees: self.missing.unseen_frees,
            strange: self.missing.strange,
            ..missing
        };
        self.packer.finish()
    }
}
