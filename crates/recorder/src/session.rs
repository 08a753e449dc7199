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
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use trace_format::{Event, Writer};

use crate::blocks;
use crate::errno::Kept;
use crate::options::{Children, Options};
use crate::thread::{Thread, Turn};
use crate::{chunk, clock, file, front, huge, lifetime, samples, shared, short, stacks, system};

/// A page of its own, on machines whose pages are no larger.
#[repr(C, align(4096))]
struct Page([AtomicU32; WORDS], [u8; 4096 - 4 * WORDS]);

static PAGE: Page = Page([const { AtomicU32::new(0) }; WORDS], [0; _]);
const WORDS: usize = 6;

/// A word of the page: 0 in a child of `fork`.
#[derive(Clone, Copy)]
pub enum Word {
    /// Which recording of the process is on, from 1 on.
    On,
    /// Whether there are stacks.
    Stacks,
    /// The lock of those who write frames.
    Frames,
    /// The lock of those who have no chunk.
    Late,
    /// The lock of those who end early.
    Shelf,
    /// What is to be done about a snapshot.
    Snapshot,
}

impl Word {
    /// Where it stands.
    #[inline(always)]
    pub fn of_page(self) -> &'static AtomicU32 {
        &PAGE.0[self as usize]
    }

    /// Waits for the right to what it is the lock of, which a child of `fork` finds open, whoever had it.
    pub fn lock(self) -> Lock {
        let lock = self.of_page();
        while lock.swap(1, Ordering::Acquire) != 0 {
            core::hint::spin_loop();
            // SAFETY: lets another thread run.
            unsafe { libc::syscall(libc::SYS_sched_yield) };
        }
        Lock(lock)
    }
}

/// A lock that is the calling thread's, until it is dropped.
pub struct Lock(&'static AtomicU32);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
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
/// A thread is beginning a recording.
static IS_BEGINNING: AtomicBool = AtomicBool::new(false);

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

/// Begins what `asked` asks for, by `begins`, in the middle of a program. `false`: it cannot be done. Where another thread is at it already
/// nothing is done.
pub fn begin_as(asked: &[u8], begins: impl FnOnce() -> bool) -> bool {
    if IS_BEGINNING.swap(true, Ordering::Acquire) {
        return true;
    }
    let mut has_begun = is_on();
    if !has_begun {
        // SAFETY: nothing is recorded, so it is not read.
        unsafe { (*OPTIONS.0.get()).take(asked) };
        PROCESS.store(system::process(), Ordering::Relaxed);
        has_begun = !options().folder().is_empty() && begins();
    }
    IS_BEGINNING.store(false, Ordering::Release);
    has_begun
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
    let session = number() + 1;
    if !file::create(is_child) {
        return false;
    }
    SESSION.store(session, Ordering::Relaxed);
    shared::FRAMES.locked().begin();
    shared::LATE.locked().begin();
    short::clear();
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
    if !is_on() && !begin_in_child() {
        return false;
    }
    let thread = turn.thread;
    let session = number();
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

/// Which recording of the process this is.
pub fn number() -> u32 {
    SESSION.load(Ordering::Relaxed)
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
    if is_this_process() || IS_BEGINNING.swap(true, Ordering::Acquire) {
        return false;
    }
    PROCESS.store(system::process(), Ordering::Relaxed);
    let is_on = is_asked_for(false) && start(true);
    if !is_on {
        (front::get().rests)();
    }
    IS_BEGINNING.store(false, Ordering::Release);
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

/// Ends the recording, and says why in the file.
#[cold]
pub fn stop(thread: &Thread, writer: &mut Writer, time: u64, why: &[u8]) {
    if Word::On.of_page().swap(0, Ordering::Relaxed) == 0 {
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
    short::clear();
    file::close();
}
