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

use crate::errno::Kept;
use crate::options::{Children, Options};
#[cfg(target_arch = "x86_64")]
use crate::profile;
use crate::thread::{Thread, Turn};
use crate::{
    armed, chunk, clock, file, huge, live, mapping, names, next, operators, record, samples,
    shared, short, snapshot, stacks, system,
};

/// A page of its own, on machines whose pages are no larger.
#[repr(C, align(4096))]
struct Page([AtomicU32; WORDS], [u8; 4096 - 4 * WORDS]);

static PAGE: Page = Page([const { AtomicU32::new(0) }; WORDS], [0; _]);
const WORDS: usize = 6;

/// A word of the page: 0 in a child of `fork`.
#[derive(Clone, Copy)]
pub(crate) enum Word {
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
    #[inline(always)]
    pub(crate) fn of_page(self) -> &'static AtomicU32 {
        &PAGE.0[self as usize]
    }

    /// Waits for the right to what it is the lock of, which a child of `fork` finds open, whoever had it.
    pub(crate) fn lock(self) -> Lock {
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
pub(crate) struct Lock(&'static AtomicU32);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

/// Whether the calling process is recorded (session-S1).
#[inline(always)]
pub(crate) fn is_on() -> bool {
    Word::On.of_page().load(Ordering::Relaxed) != 0
}

/// Whether it is recorded, and this is the recording's number: what a thread has of one before is another file's.
#[inline(always)]
pub(crate) fn is_on_as(number: u32) -> bool {
    Word::On.of_page().load(Ordering::Relaxed) == number
}

/// Whether call stacks are recorded.
#[inline(always)]
pub(crate) fn has_stacks() -> bool {
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
pub(crate) fn options() -> &'static Options {
    // SAFETY: it is not written any more.
    unsafe { &*OPTIONS.0.get() }
}

/// Reads what is asked for, and begins to record or to pass by.
pub(crate) fn begin() {
    // SAFETY: the first call, before any other.
    unsafe { (*OPTIONS.0.get()).read() };
    PROCESS.store(system::process(), Ordering::Relaxed);
    let page = (&raw const PAGE).cast();
    // SAFETY: a page of ours.
    let is_wiped = unsafe { system::wipe_in_children(page, size_of::<Page>()) };
    if options().folder().is_empty() || !is_asked_for(true) || !is_wiped {
        return pass_by();
    }
    mapping::find_malloc();
    let has_begun = if options().armed {
        snapshot::find();
        armed::arm()
    } else {
        record()
    };
    if !has_begun {
        pass_by();
    }
}

/// Has the calls recorded. `false`: there is no file.
fn record() -> bool {
    if !start(false) {
        return false;
    }
    let table = table();
    names::switch_to(table);
    operators::settle(table);
    true
}

/// The functions that record what is asked for.
fn table() -> &'static names::Table {
    #[cfg(target_arch = "x86_64")]
    if options().only_sampled {
        return &profile::PROFILE;
    }
    if live::is_asked_for() {
        return &live::LIVE;
    }
    if has_stacks() { &stacks::STACKS } else { &record::RECORD }
}

/// An armed recorder is asked for this. `false`: it cannot be done.
pub(crate) fn begin_armed(asked: &[u8]) -> bool {
    if IS_BEGINNING.swap(true, Ordering::Acquire) {
        return true;
    }
    let mut has_begun = is_on();
    if !has_begun {
        // SAFETY: nothing is recorded, so it is not read.
        unsafe { (*OPTIONS.0.get()).take(asked) };
        PROCESS.store(system::process(), Ordering::Relaxed);
        if !options().only_sampled {
            snapshot::begin();
        }
        has_begun = !options().folder().is_empty() && record();
    }
    IS_BEGINNING.store(false, Ordering::Release);
    has_begun
}

/// From now on the next functions are called, and nothing is recorded.
pub(crate) fn pass_by() {
    names::switch_to(&next::PASS);
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
pub(crate) fn is_this_process() -> bool {
    PROCESS.load(Ordering::Relaxed) == system::process()
}

/// Makes the file of this process, or of a child of `fork`. `false`: there is none.
fn start(is_child: bool) -> bool {
    let session = number() + 1;
    if !file::create(is_child) {
        return false;
    }
    SESSION.store(session, Ordering::Relaxed);
    shared::FRAMES.locked().begin();
    shared::LATE.locked().begin();
    short::clear();
    huge::begin();
    #[cfg(target_arch = "x86_64")]
    if options().only_sampled && !profile::begin(is_child) {
        return false;
    }
    let keeps_frames = is_child && live::is_asked_for();
    let has_stacks = stacks::begin(options(), keeps_frames);
    if live::is_asked_for() && !(has_stacks && live::begin()) {
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
pub(crate) struct Now {
    /// In units of the recorder's clock.
    pub(crate) time: u64,
    /// In nanoseconds of `CLOCK_MONOTONIC`.
    pub(crate) monotonic: u64,
}

impl Now {
    pub(crate) fn read() -> Self {
        Self { time: clock::now(), monotonic: system::nanoseconds(libc::CLOCK_MONOTONIC) }
    }
}

/// Has the events of a call written whose thread has no room for them, or no chunk; or which are rare, so that more is done with each.
#[cold]
#[inline(never)]
pub(crate) fn write_slowly(
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
pub(crate) fn make_room(turn: &mut Turn, time: u64) -> bool {
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
        crate::lifetime::watch(thread);
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
    if let Err(why) = snapshot::take_if_due() {
        stop(thread, writer, time, why);
        return false;
    }
    true
}

/// Which recording of the process this is.
pub(crate) fn number() -> u32 {
    SESSION.load(Ordering::Relaxed)
}

/// Why nothing more is asked for, if that is so.
fn end_of_time(now: &Now) -> Option<&'static [u8]> {
    let time = options().time;
    if time != 0 && now.monotonic.saturating_sub(BEGAN.load(Ordering::Relaxed)) > time {
        return Some(b"the time that was asked for is over");
    }
    armed::why_to_stop(now.monotonic)
}

/// In a child of `fork`, which has this thread only: begins a recording of its own.
fn begin_in_child() -> bool {
    if is_this_process() || IS_BEGINNING.swap(true, Ordering::Acquire) {
        return false;
    }
    PROCESS.store(system::process(), Ordering::Relaxed);
    let is_on = is_asked_for(false) && start(true);
    if !is_on {
        pass_by();
    }
    IS_BEGINNING.store(false, Ordering::Release);
    is_on
}

/// Writes what is due: what a signal handler's calls lost, the thread's name, what the process has resident.
pub(crate) fn note(thread: &Thread, writer: &mut Writer, now: &Now) {
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
pub(crate) fn stop(thread: &Thread, writer: &mut Writer, time: u64, why: &[u8]) {
    if Word::On.of_page().swap(0, Ordering::Relaxed) == 0 {
        return;
    }
    if armed::is_armed() {
        armed::rest();
    } else {
        pass_by();
    }
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
