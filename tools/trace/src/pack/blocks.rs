//! From events with addresses to steps with blocks.
//!
//! An address is a block's from the end of the call that returns it to the begin of the call that gives it back. Between the two
//! stamps of a `realloc` the block has no address: another thread may be given it, while this one copies.

mod order;
mod pending;
mod recent;

use std::collections::HashMap;

use trace_format::Event;

use self::pending::{Deed, New, Pending};
use self::recent::Recent;
use super::born::Before;
use super::clock::Clock;
use crate::about::{Missing, Module, Strange, StrangeKind};
use crate::addresses::{Addresses, Found, LARGEST};
use crate::error::TraceError;
use crate::frames::Frames;
use crate::packer::{Packed, Packer};
use crate::step::{Block, Frame, How, Op, Step, Thread};

/// What is remembered of a thread from one event to a later one.
#[derive(Debug, Default)]
struct Doing {
    tid: u32,
    /// Its number in the packed trace, once it has done something.
    thread: Option<Thread>,
    reallocates: Realloc,
    touched: Option<u32>,
    frame: Frame,
    /// How many of its events wait.
    waiting: usize,
    /// When it ended, though events of it wait.
    ended: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Realloc {
    #[default]
    No,
    /// It has begun, at this address, with this block and its size.
    Of(u64, Block, u64),
    /// It has begun at this address, whose free waits; what it returns is a block like any other.
    Waits(u64),
}

/// The blocks of the recorded program, and the packer that its steps go to.
#[derive(Debug)]
pub(crate) struct Blocks {
    packer: Packer,
    clock: Clock,
    live: Addresses,
    threads: Vec<Doing>,
    pending: Pending,
    recent: Recent,
    frames: Frames,
    /// Numbers of frames by the recorder's numbers.
    numbers: HashMap<u64, Frame>,
    missing: Missing,
    /// Blocks below this number were there when the recording began.
    inherited: Block,
    /// No others were.
    knows_before: bool,
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
            pending: Pending::default(),
            recent: Recent::default(),
            frames: Frames::default(),
            numbers: HashMap::new(),
            missing: Missing::default(),
            inherited: 0,
            knows_before: false,
            is_replaced: false,
        }
    }

    /// The first thread has what was there before: of the process that it was forked from, or as a walk has found it.
    pub(crate) fn inherit(&mut self, before: &Before) -> Result<(), TraceError> {
        self.knows_before = before.is_complete;
        for &(address, size) in &before.blocks {
            let size = size.min(LARGEST);
            let new = New { how: How::Born, size, align: 0, frame: 0, old: None };
            self.done(0, 0, address, Deed::Allocate(new))?;
        }
        (self.inherited, _) = self.packer.next();
        Ok(())
    }

    pub(crate) fn event(
        &mut self,
        thread: usize,
        time: u64,
        event: &Event<'_>,
    ) -> Result<(), TraceError> {
        self.judge_late(time)?;
        self.is_replaced = matches!(event, Event::Exec { .. });
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let op = match *event {
            Event::Malloc { at, size } => {
                return self.allocate(thread, time, at, How::Malloc, size, 0);
            }
            Event::Free { at } => {
                let touched = self.threads[thread].touched.take();
                return self.come(thread, time, at, Deed::Free(touched));
            }
            Event::Calloc { at, size } => {
                return self.allocate(thread, time, at, How::Calloc, size, 0);
            }
            Event::Aligned { at, size, align } => {
                return self.allocate(thread, time, at, How::Aligned, size, align);
            }
            Event::Born { at, size } => {
                // The recorder found a block whose allocation it has seen, too.
                if self.knows_before || self.is_live(at) {
                    return Ok(());
                }
                return self.allocate(thread, time, at, How::Born, size, 0);
            }
            Event::ReallocFrom { at } => return self.come(thread, time, at, Deed::Move),
            Event::ReallocTo { at, size } => return self.realloc_ends(thread, time, at, size),
            Event::UsableSize { at, usable } => match self.live.get(at) {
                Found::Live(block, _) => Op::UsableSize { block, usable },
                _ => return Ok(()),
            },
            Event::Refused { size } => {
                self.threads[thread].frame = 0;
                Op::Refused { size }
            }
            Event::Touched { pages } => {
                self.threads[thread].touched = u32::try_from(pages).ok();
                return Ok(());
            }
            Event::Frame { frame, caller, ip } => {
                let (frame, caller) = (self.frame(frame), self.frame(caller));
                if let Some(place) =
                    (frame as usize).checked_sub(1).and_then(|at| self.frames.list.get_mut(at))
                {
                    *place = (caller, ip);
                }
                return Ok(());
            }
            Event::From { frame } => {
                self.threads[thread].frame = self.frame(frame);
                return Ok(());
            }
            Event::Module { start, end, offset, path } => {
                self.module(start, end, offset, path);
                return Ok(());
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
        self.step(thread, time, op, 0)
    }

    pub(crate) fn ended(&mut self, thread: usize, time: u64) -> Result<(), TraceError> {
        let doing = &mut self.threads[thread];
        if doing.waiting > 0 {
            doing.ended = Some(time);
            return Ok(());
        }
        if doing.thread.is_some() { self.step(thread, time, Op::ThreadEnd, 0) } else { Ok(()) }
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
    ) -> Result<(), TraceError> {
        let frame = core::mem::take(&mut self.threads[thread].frame);
        let new = New { how, size: size.min(LARGEST), align, frame, old: None };
        self.come(thread, time, address, Deed::Allocate(new))
    }

    /// A `realloc` returns.
    fn realloc_ends(
        &mut self,
        thread: usize,
        time: u64,
        address: u64,
        size: u64,
    ) -> Result<(), TraceError> {
        let doing = &mut self.threads[thread];
        let begun = core::mem::take(&mut doing.reallocates);
        if address != 0 {
            let frame = core::mem::take(&mut doing.frame);
            let old = match begun {
                Realloc::Of(_, block, size) => Some((block, size)),
                _ => None,
            };
            let size = size.min(LARGEST);
            let new = New { how: How::Malloc, size, align: 0, frame, old };
            return self.come(thread, time, address, Deed::Allocate(new));
        }
        match begun {
            Realloc::Of(_, block, gone) if size == 0 => {
                return self.step(thread, time, Op::Free { block, touched: None }, gone);
            }
            _ if size == 0 => return Ok(()),
            Realloc::Of(address, block, size) => self.live.insert(address, block, size),
            Realloc::Waits(address) => {
                if let Some(waiting) = self.pending.withdraw(address, thread) {
                    self.has_waited(&waiting)?;
                }
            }
            Realloc::No => {}
        }
        self.step(thread, time, Op::Refused { size }, 0)
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
        let module = Module { start, end, offset, base: None, path, build_id };
        let modules = &mut self.packer.about_mut().modules;
        if !modules.contains(&module) {
            modules.push(module);
        }
    }

    /// Ends the packed trace; `missing` is what the streams have said.
    pub(crate) fn finish(mut self, missing: Missing) -> Result<Packed, TraceError> {
        self.judge_late(u64::MAX)?;
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
