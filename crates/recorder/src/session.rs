//! One recording of one process: whether it is on, and what its threads share.
//!
//! ```text
//! begin ─► on ─┬─► stopped             the file is full, or the disk: the program goes on without us
//!              └─► (fork) ─► off ─► begin anew in the child, with a file of its own
//! ```
//!
//! - **session-S1** whether it is on stands in a page that a child of `fork` finds empty: so however it was forked, it never goes on writing into
//!   its parent's chunks, which it shares.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use source::os::Os;
use trace_format::{Event, Writer};

use crate::blocks;
use crate::errno::Kept;
use crate::options::{Children, Options};
use crate::thread::{Thread, Turn};
use crate::{chunk, clock, file, front, huge, lifetime, samples, shared, short, stacks, system};

/// A page of its own, on machines whose pages are no larger.
#[repr(C, align(4096))]
struct Page {
    words: [AtomicU32; WORDS],
    locks: [base::lock::Lock<Os>; LOCKS],
}

static PAGE: Page = Page {
    words: [const { AtomicU32::new(0) }; WORDS],
    locks: [const { base::lock::Lock::new() }; LOCKS],
};
const WORDS: usize = 3;
const LOCKS: usize = 5;

/// The number of a recording that ends at this moment: it has no more threads, and none begins yet.
const ENDING: u32 = u32::MAX;

/// A word of the page: 0 in a child of `fork`.
#[derive(Clone, Copy)]
pub enum Word {
    /// Which recording of the process is on, from 1 on; or that one ends.
    On,
    /// Whether there are stacks.
    Stacks,
    /// What is to be done about a snapshot.
    Snapshot,
}

impl Word {
    /// Where it stands.
    #[inline(always)]
    pub fn of_page(self) -> &'static AtomicU32 {
        &PAGE.words[self as usize]
    }
}

/// A lock of the page: a child of `fork` finds it open, whichever thread had it.
#[derive(Clone, Copy)]
pub(crate) enum Lock {
    /// Of those who write frames.
    Frames,
    /// Of those who have no chunk.
    Late,
    /// Of those who end early.
    Shelf,
    /// Of those who use the file.
    File,
    /// Of who begins a recording.
    Begins,
}

/// A lock that is the calling thread's, until it is dropped.
pub(crate) type Guard = base::lock::Guard<'static, Os>;

impl Lock {
    /// Waits for the right to what it is the lock of.
    pub(crate) fn lock(self) -> Guard {
        PAGE.locks[self as usize].lock()
    }

    fn try_lock(self) -> Option<Guard> {
        PAGE.locks[self as usize].try_lock()
    }
}

/// Whether the calling process is recorded (session-S1).
#[inline(always)]
pub fn is_on() -> bool {
    Word::On.of_page().load(Ordering::Relaxed) != 0
}

/// Whether it is recorded, and this is the recording's number: what a thread has of one before is another file's.
#[inline(always)]
pub fn is_on_as(number: u32) -> bool {
    Word::On.of_page().load(Ordering::Relaxed) == number
}

/// Whether call stacks are recorded.
#[inline(always)]
pub fn has_stacks() -> bool {
    Word::Stacks.of_page().load(Ordering::Relaxed) != 0
}

struct Shared(UnsafeCell<Options>);

// SAFETY: written once, by the first call, before there are threads.
unsafe impl Sync for Shared {}

static OPTIONS: Shared = Shared(UnsafeCell::new(Options::NONE));
/// The process that was recorded last.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// How many recordings there were; each process that was forked is a new one.
static SESSION: AtomicU32 = AtomicU32::new(0);
/// When the recording began.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// What was asked for.
pub fn options() -> &'static Options {
    // SAFETY: it is not written any more.
    unsafe { &*OPTIONS.0.get() }
}

/// Reads what the environment asks for, in a process that begins. `false`: this one is not to be recorded, or cannot be.
pub fn begin() -> bool {
    // SAFETY: the first call, before any other.
    unsafe { (*OPTIONS.0.get()).read() };
    let is_ready = prepare();
    !options().folder().is_empty() && is_asked_for(true) && is_ready
}

/// Makes a recording possible in this process. `false`: it is not.
pub(crate) fn prepare() -> bool {
    PROCESS.store(system::process(), Ordering::Relaxed);
    let page = (&raw const PAGE).cast();
    // SAFETY: a page of ours.
    unsafe { system::wipe_in_children(page, size_of::<Page>()) }
}

/// What became of a recording that was to begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// It is on.
    Yes,
    /// One is on already, or begins or ends at this moment.
    Already,
    /// It cannot be done.
    No,
}

/// Begins what `asked` asks for, by `begins`, in the middle of a program.
pub fn begin_as(asked: &[u8], begins: impl FnOnce() -> bool) -> Begun {
    // A signal handler comes in while its thread has locks of ours.
    let Some(_turn) = Turn::to_ask() else { return Begun::Already };
    let Some(_lock) = Lock::Begins.try_lock() else { return Begun::Already };
    if is_on() {
        return Begun::Already;
    }
    // SAFETY: nothing is recorded, so it is not read.
    unsafe { (*OPTIONS.0.get()).take(asked) };
    PROCESS.store(system::process(), Ordering::Relaxed);
    if !options().folder().is_empty() && begins() { Begun::Yes } else { Begun::No }
}

/// Whether this process is one that is recorded.
fn is_asked_for(is_new_program: bool) -> bool {
    match options().children {
        Children::All => true,
        Children::Exec => is_new_program,
        Children::Of(parent) => system::parent() == parent,
    }
}

/// Whether this is the process whose memory this is, and no child of its `vfork`.
pub fn is_this_process() -> bool {
    PROCESS.load(Ordering::Relaxed) == system::process()
}

/// Makes the file of this process, or of a child of `fork`. `false`: there is none. From now on what comes is recorded.
pub fn start(is_child: bool) -> bool {
    let session = SESSION.fetch_add(1, Ordering::Relaxed) + 1;
    if !file::create(session, is_child) {
        return false;
    }
    shared::FRAMES.locked().begin(session);
    shared::LATE.locked().begin(session);
    short::begin(session);
    huge::begin();
    if options().only_sampled && !blocks::begin(is_child) {
        return false;
    }
    let keeps_frames = is_child && options().copy;
    let has_stacks = stacks::begin(options(), keeps_frames);
    if !(front::get().begins)(has_stacks) {
        return false;
    }
    Word::Stacks.of_page().store(has_stacks.into(), Ordering::Relaxed);
    BEGAN.store(system::nanoseconds(libc::CLOCK_MONOTONIC), Ordering::Relaxed);
    Word::On.of_page().store(session, Ordering::Release);
    if keeps_frames {
        stacks::tell_frames();
    }
    true
}

/// A moment by both clocks.
pub struct Now {
    /// In units of the recorder's clock.
    pub time: u64,
    /// In nanoseconds of `CLOCK_MONOTONIC`.
    pub monotonic: u64,
}

impl Now {
    /// This moment.
    pub fn read() -> Self {
        Self { time: clock::now(), monotonic: system::nanoseconds(libc::CLOCK_MONOTONIC) }
    }
}

/// Has the events of a call written whose thread has no room for them, or no chunk; or which are rare, so that more is done with each.
#[cold]
#[inline(never)]
pub fn write_slowly(
    turn: &mut Turn,
    time: u64,
    frees: bool,
    writes: &mut dyn FnMut(&mut Writer, u64),
) {
    if is_on() && turn.thread.goes_without(frees) {
        shared::write_late(writes);
    } else if make_room(turn, time) {
        // SAFETY: the thread's turn.
        writes(unsafe { &mut *turn.writer_as_it_is() }, time);
    }
}

/// Makes room for an event of this thread, and does what is due every few kilobytes. `false`: nothing is recorded.
#[cold]
#[inline(never)]
pub fn make_room(turn: &mut Turn, time: u64) -> bool {
    let _errno = Kept::now();
    let now = Now { time, monotonic: system::nanoseconds(libc::CLOCK_MONOTONIC) };
    // Read once: the thread may come late, when this one has ended and another one is on.
    let session = match number() {
        0 if begin_in_child() => number(),
        session => session,
    };
    if session == 0 {
        return false;
    }
    let thread = turn.thread;
    // SAFETY: the thread's turn.
    let writer = unsafe { &mut *turn.writer_as_it_is() };
    if thread.session.get() != session {
        chunk::forget(thread, writer);
        thread.session.set(session);
        thread.number.set(file::next_thread());
        thread.tid.set(system::thread());
        lifetime::watch(thread);
        stacks::begin_thread(thread, time);
    }
    if let Some(why) = end_of_time(&now) {
        stop(thread, writer, time, why);
        return false;
    }
    if !chunk::pause(writer) && !chunk::renew(thread, writer, &now) {
        return false;
    }
    note(thread, writer, &now);
    if let Err(why) = (front::get().due)() {
        stop(thread, writer, time, why);
        return false;
    }
    true
}

/// Which recording of the process is on; 0: none.
pub fn number() -> u32 {
    match Word::On.of_page().load(Ordering::Acquire) {
        ENDING => 0,
        number => number,
    }
}

/// Why nothing more is asked for, if that is so.
fn end_of_time(now: &Now) -> Option<&'static [u8]> {
    let time = options().time;
    if time != 0 && now.monotonic.saturating_sub(BEGAN.load(Ordering::Relaxed)) > time {
        return Some(b"the time that was asked for is over");
    }
    (front::get().why_to_stop)(now.monotonic)
}

/// In a child of `fork`, which has this thread only: begins a recording of its own.
fn begin_in_child() -> bool {
    if is_this_process() {
        return false;
    }
    let Some(_lock) = Lock::Begins.try_lock() else { return false };
    PROCESS.store(system::process(), Ordering::Relaxed);
    let is_on = is_asked_for(false) && start(true);
    if !is_on {
        (front::get().rests)();
    }
    is_on
}

/// Writes what is due: what a signal handler's calls lost, the thread's name, what the process has resident.
pub fn note(thread: &Thread, writer: &mut Writer, now: &Now) {
    let time = now.time;
    let dropped = thread.dropped.replace(0);
    if dropped > 0 {
        // SAFETY: the caller has made room, for these three too.
        unsafe { writer.event(time, &Event::Dropped { events: u64::from(dropped) }) };
    }
    if chunk::is_young(writer) {
        chunk::note_name(thread, writer, time);
    }
    samples::note(writer, now);
    writer.look_at_clock(time, now.monotonic);
}

/// Ends the recording that the thread has a part in, unless it has ended, and says why in the file.
#[cold]
pub fn stop(thread: &Thread, writer: &mut Writer, time: u64, why: &[u8]) {
    let (on, session) = (Word::On.of_page(), thread.session.get());
    if on.compare_exchange(session, ENDING, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return;
    }
    (front::get().rests)();
    if !writer.chunk().is_null() {
        // SAFETY: a full chunk has room for this.
        unsafe { writer.event(time, &Event::Dropped { events: 0 }) };
    }
    file::note(b"stopped", why);
    chunk::leave(thread, writer);
    shared::FRAMES.locked().seal();
    shared::LATE.locked().seal();
    short::begin(0);
    file::close();
    on.store(0, Ordering::Release);
}
