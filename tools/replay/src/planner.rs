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
use trace::{Block, How, Op, Step};

use crate::asked::Asked;
use crate::marks::Marks;
use crate::slots::{Held, Slots};
use crate::streams::{Streams, WORD};
use crate::touched::{Place, Touched};
use crate::{Error, Recorded};

/// No epoch has more calls.
const EPOCH_EVENTS: u64 = 2000;

/// One of several threads ends after this many, if a 64th of what is live was allocated in it: shorter ones predict no other
/// memory, and have threads wait for each other more often.
const LEAST_EVENTS: u64 = 300;

/// That part of what is live.
const EPOCH_PART: u64 = 64;

/// Memory is looked at between epochs: one ends when what is live has changed by this part, or by so many bytes.
const CHANGE_PART: u64 = 128;
const CHANGE_BYTES: u64 = 256 << 10;

/// A pause of the whole program that is kept in a timed replay.
const PAUSE_NS: u64 = 1_000_000;

/// The conductor's stream; no thread has this number.
const CONDUCTOR: u32 = u32::MAX;

/// In which order the calls are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// A thread for each recorded one; what depends on each other in the recorded order.
    #[default]
    Causal,
    /// All by one thread.
    Serial,
    /// As causal, with the recorded pauses.
    Timed,
}

/// What a plan has in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planned {
    /// Its head.
    pub head: Head,
    /// The most threads that there are at one time.
    pub threads_at_once: u64,
    /// Steps that name a block which is not live: freed twice, or never seen.
    pub unknown: u64,
    /// Requests that were refused; they stay so.
    pub refused: u64,
    /// Events that the recording lacks.
    pub dropped: u64,
    /// The largest block.
    pub largest: u64,
    /// The call after which the most bytes were live.
    pub peak_event: u64,
    /// What was live at the end.
    pub end_live: u64,
    /// What the recording knew of the program's memory.
    pub recorded: Recorded,
    /// From the first step to the last.
    pub duration_ns: u64,
    /// Of that, what went by without a call of any thread for a millisecond or more.
    pub paused_ns: u64,
    /// The number of the call that was asked for, from 0 on.
    pub watched: Option<u64>,
    /// How long a period took when it was recorded, from a mark of the name that was asked for to the next.
    pub period_ns: Option<u64>,
    /// Names of other marks, a few.
    pub other_marks: Vec<String>,
}

/// Makes a plan of steps.
#[derive(Debug)]
pub struct Planner {
    path: PathBuf,
    order: Order,
    streams: Streams,
    slots: Slots,
    asked: Asked,
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

/// The epoch that is being written.
#[derive(Debug, Default)]
struct Epoch {
    number: u64,
    members: Vec<u32>,
    /// Whether a slot was given again in it.
    has_reused: bool,
    /// Whether it may have several members though slots were kept back from the beginning.
    is_shared: bool,
    events: u64,
    bytes: u64,
    /// When it began, the calls before it, and what was live then.
    before: [u64; 3],
}

impl Planner {
    /// Begins a plan in this file, which is replaced.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
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
            asked: Asked::default(),
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
    #[must_use]
    pub fn watching(self, word: u64) -> Self {
        Self { watch: word.checked_mul(WORD), ..self }
    }

    /// The same; marks of this name begin periods, whose calls are timed together.
    #[must_use]
    pub fn marking(self, name: &str) -> Self {
        Self { marks: Marks::of(name), ..self }
    }

    /// Where the call of the step that was pushed last is in the plan, if it was one that returned a block.
    pub(crate) fn call(&self) -> u64 {
        self.call
    }

    /// How many calls were planned.
    pub(crate) fn calls(&self) -> u64 {
        self.planned.head.events
    }

    /// Adds what the program did next.
    ///
    /// # Errors
    ///
    /// The plan cannot be written, or has no room.
    pub fn push(&mut self, step: &Step) -> Result<(), Error> {
        let since = step.time.saturating_sub(self.planned.duration_ns);
        if since >= PAUSE_NS {
            self.planned.paused_ns += since;
            if self.order == Order::Timed {
                self.cut()?;
            }
        }
        self.planned.duration_ns = self.planned.duration_ns.max(step.time);
        match step.op {
            Op::Allocate { block, how, size, align, .. } => {
                if how == How::Born {
                    self.planned.recorded.born(size);
                }
                self.allocate(step, block, size, call_of(how, align))
            }
            Op::Reallocate { old, block, size, .. } => self.reallocate(step, old, block, size),
            Op::Free { block, touched } => self.free(step, block, touched),
            Op::UsableSize { block, .. } => self.usable(step, block),
            Op::ThreadStart if self.order != Order::Serial => self.enter(step).map(drop),
            Op::ThreadEnd if self.order != Order::Serial => self.end_thread(step),
            Op::Mark(ref name) if self.marks.hear(step, name) => {
                let thread = self.enter(step)?;
                self.put(thread, &[Word::with(Kind::Mark, 0).0]).map(drop)
            }
            Op::Refused { .. } => {
                self.planned.refused += 1;
                Ok(())
            }
            Op::Memory { anon, .. } => {
                self.planned.recorded.look(self.planned.head.events, anon);
                Ok(())
            }
            Op::Map { len, .. } => {
                self.planned.recorded.map(len, 0);
                Ok(())
            }
            Op::Unmap { len, .. } => {
                self.planned.recorded.map(0, len);
                Ok(())
            }
            Op::Dropped { events } => {
                self.planned.dropped += events;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the plan.
    ///
    /// # Errors
    ///
    /// It cannot be written.
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
            let ended = self.streams.end(stream);
            ended.map_err(|e| Error::Write(self.path.clone(), e))?;
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
        let slot = if self.is_alone() {
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
        let at_once = self.is_alone();
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
        self.asked.by(live.slot, thread);
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
        // Nobody goes on before it has ended.
        self.cut()
    }

    /// The block that a step ends. Who asked about it has to have done so before.
    fn before_end(&mut self, step: &Step, block: Block) -> Result<Option<Held>, Error> {
        let Some(live) = self.known(block) else { return Ok(None) };
        let thread = self.threads.get(&self.recorded_thread(step)).copied().unwrap_or(CONDUCTOR);
        if self.asked.by_another(live.slot, thread) {
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
        let is_in = self.begun.get(thread as usize).is_some_and(|begun| begun.1 == number);
        if !is_in {
            self.begun[thread as usize].1 = number;
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

    /// Whether slots may be given again at once.
    fn is_alone(&self) -> bool {
        self.epoch.members.len() <= 1 && !self.epoch.is_shared
    }

    fn is_to_wait(&self, live: Held, thread: u32) -> bool {
        live.epoch == self.epoch.number && live.thread != thread
    }

    fn give(&mut self, block: Block, size: u64, thread: u32) -> Result<u32, Error> {
        self.planned.largest = self.planned.largest.max(size);
        self.slots.give(block, size, thread, self.epoch.number).ok_or(Error::TooManyBlocks)
    }

    fn put(&mut self, stream: u32, words: &[u64]) -> Result<u64, Error> {
        let put = self.streams.put(stream, words);
        let at = put.map_err(|e| Error::Write(self.path.clone(), e))?;
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
        let epoch = &self.epoch;
        let changed = self.live.abs_diff(epoch.before[2]);
        let is_ahead = epoch.members.len() > 1
            && epoch.events >= LEAST_EVENTS
            && epoch.bytes >= self.live / EPOCH_PART;
        if epoch.events >= EPOCH_EVENTS
            || is_ahead
            || changed >= CHANGE_BYTES.max(self.live / CHANGE_PART)
        {
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
        let mut record = vec![Word::with(Kind::Epoch, epoch.members.len() as u64).0];
        record.extend(epoch.before);
        let members = epoch.members.chunks(2);
        record.extend(members.map(|two| pair(two[0], two.get(1).copied().unwrap_or(0))));
        self.put(CONDUCTOR, &record)?;
        self.slots.next_epoch();
        self.asked.next_epoch();
        self.epoch.number = epoch.number + 1;
        Ok(())
    }
}

fn call_of(how: How, align: u64) -> (Call, u8) {
    match how {
        How::Calloc => (Call::Calloc, 0),
        How::Aligned => {
            #[expect(clippy::cast_possible_truncation, reason = "of 64 bits")]
            let log2 = align.max(1).ilog2().max(3) as u8;
            (Call::Aligned, log2)
        }
        How::Malloc | How::Born => (Call::Malloc, 0),
    }
}
