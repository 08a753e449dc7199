//! From steps to a plan: slots instead of blocks, a stream for each thread, and epochs that bind them together.
//!
//! ```text
//! recorded order   A a│a b│b a│ …        letters: threads; │: an epoch ends
//! stream of a      1: …  2: …  3: …      each says which epoch its next operations are in
//! stream of b            2: …  3: …
//! conductor        1: a  2: a b  3: a b  who takes part, when it began, what was live
//! ```
//!
//! Within an epoch threads run as they like, but for a free of what another thread allocates in it, which waits. What waiting
//! for a slot cannot put in order ends the epoch.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use ::plan::{AHEAD_BYTES, ALL_PAGES, Call, Head, Kind, LARGE, Long, MAGIC, Word, pair};
use trace::{Block, Op, Step};

use crate::Error;
use crate::epoch::Epoch;
use crate::marks::Marks;
use crate::planned::{Order, Planned, call_of};
use crate::slots::{Held, Slots};
use crate::streams::{Streams, WORD};
use crate::touched::{Place, Touched};

/// A pause of the whole program that is kept in a timed replay.
const PAUSE_NS: u64 = 1_000_000;

/// The conductor's stream; no thread has this number.
const CONDUCTOR: u32 = u32::MAX;

/// Makes a plan of steps.
#[derive(Debug)]
pub struct Planner {
    path: PathBuf,
    order: Order,
    streams: Streams,
    slots: Slots,
    /// By slot, who asked for its block's usable size in this epoch, `None` for several: another thread must not free it before.
    asked: HashMap<u32, Option<u32>>,
    /// By recorded thread, the number in the plan.
    threads: HashMap<u32, u32>,
    /// By number in the plan: where its stream begins, and the epoch that it is in.
    begun: Vec<(u64, u64)>,
    epoch: Epoch,
    touched: Touched,
    live: u64,
    planned: Planned,
    /// Where the last words of a thread are.
    call: u64,
    /// Where the call is whose number among all is asked for.
    watch: Option<u64>,
    marks: Marks,
}

impl Planner {
    /// Begins a plan in this file, which is replaced.
    /// Errors: the file cannot be made.
    pub fn create(path: &Path, order: Order) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| Error::Write(path.to_owned(), e))?;
        let mut streams = Streams::new(file);
        let conductor = streams.begin(CONDUCTOR);
        let head = Head { magic: MAGIC, conductor, ..Head::default() };
        Ok(Self {
            path: path.to_owned(),
            order,
            streams,
            slots: Slots::default(),
            asked: HashMap::new(),
            threads: HashMap::new(),
            begun: Vec::new(),
            epoch: Epoch::default(),
            touched: Touched::default(),
            live: 0,
            planned: Planned { head, ..Planned::default() },
            call: 0,
            watch: None,
            marks: Marks::default(),
        })
    }

    /// The same; what is asked for is which of all calls is the one at `word` of the plan.
    pub fn watching(self, word: u64) -> Self {
        Self { watch: word.checked_mul(WORD), ..self }
    }

    /// The same; marks of this name begin periods, whose calls are timed together.
    pub fn marking(self, name: &str) -> Self {
        Self { marks: Marks::of(name), ..self }
    }

    /// Where the call of the step that was pushed last is in the plan, if it was one that returned a block.
    pub(crate) fn call(&self) -> u64 {
        self.call
    }

    pub(crate) fn calls(&self) -> u64 {
        self.planned.head.events
    }

    /// Adds what the program did next.
    /// Errors: the plan cannot be written, or has no room.
    pub fn push(&mut self, step: &Step) -> Result<(), Error> {
        let since = step.time.saturating_sub(self.planned.duration_ns);
        if since >= PAUSE_NS {
            self.planned.paused_ns += since;
            if self.order == Order::Timed {
                self.cut()?;
            }
        }
        self.planned.duration_ns = self.planned.duration_ns.max(step.time);
        self.planned.recorded.step(self.planned.head.events, &step.op);
        match step.op {
            Op::Allocate { block, how, size, align, .. } => {
                return self.allocate(step, block, size, call_of(how, align));
            }
            Op::Reallocate { old, block, size, .. } => {
                return self.reallocate(step, old, block, size);
            }
            Op::Free { block, touched } => return self.free(step, block, touched),
            Op::UsableSize { block, .. } => return self.usable(step, block),
            Op::ThreadStart if self.order != Order::Serial => drop(self.enter(step)?),
            Op::ThreadEnd if self.order != Order::Serial => return self.end_thread(step),
            Op::Mark(ref name) if self.marks.hear(step, name) => {
                let thread = self.enter(step)?;
                self.put(thread, &[Word::with(Kind::Mark, 0).0])?;
            }
            Op::Refused { .. } => self.planned.refused += 1,
            Op::Dropped { events } => self.planned.dropped += events,
            _ => {}
        }
        Ok(())
    }

    /// Ends the plan.
    /// Errors: it cannot be written.
    pub fn finish(mut self) -> Result<Planned, Error> {
        self.cut()?;
        for slot in self.touched.live() {
            self.untouched(slot, None)?;
        }
        for stream in self.streams.open().into_iter().filter(|s| *s != CONDUCTOR) {
            self.put(stream, &[Word::with(Kind::Stop, 0).0])?;
        }
        let events = self.planned.head.events;
        self.put(
            CONDUCTOR,
            &[Word::with(Kind::Stop, 0).0, self.planned.duration_ns, events, self.live],
        )?;
        for stream in self.streams.open() {
            self.streams.end(stream).map_err(|e| Error::Write(self.path.clone(), e))?;
        }
        let mut table: Vec<u8> = self.begun.iter().flat_map(|(at, _)| at.to_ne_bytes()).collect();
        // Who reads looks some words ahead.
        table.extend([0; AHEAD_BYTES]);
        let mut write = || {
            let head = &mut self.planned.head;
            head.table = self.streams.put_behind(&table)?;
            head.threads = self.begun.len() as u64;
            head.slots = self.slots.len();
            head.epochs = self.epoch.number;
            // Looks are rare: it may have had somewhat more.
            head.most_touched = self.planned.recorded.peak / 4 * 5;
            self.streams.put_head(&head.to_bytes())
        };
        write().map_err(|e| Error::Write(self.path.clone(), e))?;
        self.planned.end_live = self.live;
        self.planned.period_ns = self.marks.period();
        self.planned.other_marks = self.marks.into_others();
        Ok(self.planned)
    }

    fn allocate(
        &mut self,
        step: &Step,
        block: Block,
        size: u64,
        call: (Call, u8),
    ) -> Result<(), Error> {
        let thread = self.enter(step)?;
        let slot = self.give(block, size, thread)?;
        let (call, align_log2) = call;
        let short = match call {
            Call::Malloc => Word::short(Kind::Malloc, slot, size),
            Call::Calloc => Word::short(Kind::Calloc, slot, size),
            _ => None,
        };
        match short.filter(|_| size < LARGE) {
            Some(word) => self.put(thread, &[word.0]).map(drop)?,
            None => {
                let long = Long { call, slot, align_log2, wait: false };
                self.put_long(thread, long, size, slot, 0)?;
            }
        }
        self.changed(size, 0)
    }

    fn reallocate(
        &mut self,
        step: &Step,
        old: Block,
        block: Block,
        size: u64,
    ) -> Result<(), Error> {
        let Some(live) = self.before_end(step, old)? else {
            // Of a block that was never seen: what it becomes is there all the same.
            return self.allocate(step, block, size, (Call::Malloc, 0));
        };
        let thread = self.enter(step)?;
        self.slots.live.remove(old);
        self.untouched(live.slot, None)?;
        let wait = self.is_to_wait(live, thread);
        let slot = if self.epoch.is_alone() {
            self.epoch.has_reused = true;
            let epoch = self.epoch.number;
            self.slots.live.insert(block, Held { size, thread, epoch, ..live });
            live.slot
        } else {
            self.slots.release(live.slot, false);
            self.give(block, size, thread)?
        };
        let is_short = slot == live.slot && !wait && size < LARGE && live.size < LARGE;
        match Word::short(Kind::Realloc, slot, size).filter(|_| is_short) {
            Some(word) => self.put(thread, &[word.0]).map(drop)?,
            None => {
                let long = Long { call: Call::Realloc, slot, align_log2: 0, wait };
                self.put_long(thread, long, size, live.slot, live.size)?;
            }
        }
        self.changed(size, live.size)
    }

    fn free(&mut self, step: &Step, block: Block, touched: Option<u32>) -> Result<(), Error> {
        let Some(live) = self.before_end(step, block)? else { return Ok(()) };
        let thread = self.enter(step)?;
        self.slots.live.remove(block);
        self.untouched(live.slot, touched)?;
        let kind = if self.is_to_wait(live, thread) { Kind::FreeWait } else { Kind::Free };
        let at_once = self.epoch.is_alone();
        self.epoch.has_reused |= at_once;
        self.slots.release(live.slot, at_once);
        if let Some(word) = Word::short(kind, live.slot, 0) {
            self.put(thread, &[word.0])?;
        }
        self.changed(0, live.size)
    }

    fn usable(&mut self, step: &Step, block: Block) -> Result<(), Error> {
        let Some(live) = self.known(block) else { return Ok(()) };
        let thread = self.enter(step)?;
        let asker = self.asked.entry(live.slot).or_insert(Some(thread));
        *asker = asker.filter(|asker| *asker == thread);
        if self.is_to_wait(live, thread) {
            let long = Long { call: Call::Usable, slot: live.slot, align_log2: 0, wait: true };
            self.put(thread, &[Word::long(long).0, 0, pair(live.slot, ALL_PAGES), 0])?;
        } else if let Some(word) = Word::short(Kind::Usable, live.slot, 0) {
            self.put(thread, &[word.0])?;
        }
        self.changed(0, 0)
    }

    fn end_thread(&mut self, step: &Step) -> Result<(), Error> {
        let thread = self.enter(step)?;
        self.put(thread, &[Word::with(Kind::End, 0).0])?;
        self.streams.end(thread).map_err(|e| Error::Write(self.path.clone(), e))?;
        self.threads.remove(&step.thread);
        self.slots.end_thread(thread);
        self.cut()
    }

    /// The block that a step ends. Who asked about it has to have done so before.
    fn before_end(&mut self, step: &Step, block: Block) -> Result<Option<Held>, Error> {
        let Some(live) = self.known(block) else { return Ok(None) };
        let thread = self.threads.get(&self.recorded_thread(step)).copied();
        if self.asked.get(&live.slot).is_some_and(|asker| asker.is_none() || *asker != thread) {
            self.cut()?;
        }
        Ok(Some(live))
    }

    fn known(&mut self, block: Block) -> Option<Held> {
        let live = self.slots.live.get(block);
        self.planned.unknown += u64::from(live.is_none());
        live
    }

    /// The thread of a step is a member of the epoch from now on; its number.
    fn enter(&mut self, step: &Step) -> Result<u32, Error> {
        let recorded = self.recorded_thread(step);
        let thread = match self.threads.get(&recorded) {
            Some(thread) => *thread,
            None => self.begin(recorded),
        };
        let is_others = self.epoch.members.first().is_some_and(|first| *first != thread);
        if is_others && self.epoch.has_reused {
            self.cut()?;
            self.epoch.is_shared = true;
        }
        if self.epoch.members.is_empty() {
            self.epoch.before = [step.time, self.planned.head.events, self.live];
        }
        let number = self.epoch.number;
        if core::mem::replace(&mut self.begun[thread as usize].1, number) != number {
            self.epoch.members.push(thread);
            self.put(thread, &[Word::with(Kind::Epoch, number).0])?;
        }
        Ok(thread)
    }

    fn recorded_thread(&self, step: &Step) -> u32 {
        if self.order == Order::Serial { 0 } else { step.thread }
    }

    fn begin(&mut self, recorded: u32) -> u32 {
        let thread = u32::try_from(self.begun.len()).unwrap_or(CONDUCTOR - 1);
        let at = self.streams.begin(thread);
        self.begun.push((at, u64::MAX));
        self.threads.insert(recorded, thread);
        let at_once = self.threads.len() as u64;
        self.planned.threads_at_once = self.planned.threads_at_once.max(at_once);
        thread
    }

    fn is_to_wait(&self, live: Held, thread: u32) -> bool {
        live.epoch == self.epoch.number && live.thread != thread
    }

    fn give(&mut self, block: Block, size: u64, thread: u32) -> Result<u32, Error> {
        self.planned.largest = self.planned.largest.max(size);
        self.slots.give(block, size, thread, self.epoch.number).ok_or(Error::TooManyBlocks)
    }

    fn put(&mut self, stream: u32, words: &[u64]) -> Result<u64, Error> {
        let at = self.streams.put(stream, words).map_err(|e| Error::Write(self.path.clone(), e))?;
        if stream != CONDUCTOR {
            self.call = at;
        }
        Ok(at)
    }

    /// Four words; where the pages to touch stand is kept.
    fn put_long(
        &mut self,
        thread: u32,
        long: Long,
        size: u64,
        old: u32,
        old_size: u64,
    ) -> Result<(), Error> {
        let words = [Word::long(long).0, size, pair(old, ALL_PAGES), old_size];
        let at = self.put(thread, &words)?;
        self.touched
            .allocated(long.slot, Place { stream: thread, at: at + 2 * WORD, slot: old, size });
        Ok(())
    }

    /// The block of a slot ends: of how many pages it is to be touched.
    fn untouched(&mut self, slot: u32, touched: Option<u32>) -> Result<(), Error> {
        let Some((place, pages)) = self.touched.ended(slot, touched) else { return Ok(()) };
        let replaced = self.streams.replace(place.stream, place.at, pair(place.slot, pages));
        replaced.map_err(|e| Error::Write(self.path.clone(), e))
    }

    /// A call was added.
    fn changed(&mut self, more: u64, less: u64) -> Result<(), Error> {
        if self.watch == Some(self.call) {
            self.planned.watched = Some(self.planned.head.events);
        }
        self.live = (self.live + more).saturating_sub(less);
        let head = &mut self.planned.head;
        head.events += 1;
        if self.live > head.peak_live {
            head.peak_live = self.live;
            self.planned.peak_event = head.events;
        }
        self.epoch.events += 1;
        self.epoch.bytes += more;
        if self.epoch.is_over(self.live) {
            self.cut()?;
        }
        Ok(())
    }

    /// Ends the epoch.
    fn cut(&mut self) -> Result<(), Error> {
        if self.epoch.members.is_empty() {
            return Ok(());
        }
        let epoch = core::mem::take(&mut self.epoch);
        self.put(CONDUCTOR, &epoch.record())?;
        self.slots.next_epoch();
        self.asked.clear();
        self.epoch.number = epoch.number + 1;
        Ok(())
    }
}
