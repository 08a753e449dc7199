//! Call stacks: where the program asks for blocks, of all of them or of a sample.
//!
//! ```text
//! entry ─► record::malloc ─► is it in the sample? ─► walk: from the caller out ─► frames: one number for the stack ─► From, Malloc
//! notes the caller            [points]                [rules of cfi, memory]       new ones ─► shared: Frame, Module
//! ```
//!
//! - **stacks-K1** the walk reads what is known to be readable, and what a compiler's table or a stack says otherwise ends it: it never
//!   faults, whatever the stack is and whoever runs on it.

use core::cell::Cell;
use core::mem::offset_of;

use trace_format::Writer;

use crate::errno::Kept;
use crate::options::{Options, Stacks};
use crate::shared::FRAMES;
use crate::thread::Thread;
use crate::{session, system};

mod bytes;
mod cfi;
mod frames;
mod memory;
mod met;
mod modules;
mod object;
mod rule;
mod rules;
mod sample;
mod walk;

pub(crate) use sample::weight;
use walk::Walk;

/// Where a thread's caller is noted, and what it knows for its stacks. Zeros at first.
#[repr(C)]
pub struct Caller {
    /// Where the return address stands; 0: nothing is noted.
    sp: Cell<usize>,
    rbp: Cell<usize>,
    points: sample::Points,
    known: memory::Known,
    walk: Cell<*mut Walk>,
}

/// What is left until a thread's next point.
pub const UNTIL: usize = offset_of!(Caller, points) + sample::UNTIL;
/// Where the entry of a call writes.
pub const SP: usize = offset_of!(Caller, sp);
/// The same of the register that frames are found by.
pub const RBP: usize = offset_of!(Caller, rbp);

/// A recording begins. Whether it has stacks. `keeps_frames`: they have the numbers that they had before.
pub fn begin(options: &Options, keeps_frames: bool) -> bool {
    if options.stacks == Stacks::Off {
        return false;
    }
    memory::begin();
    // Without the lock: the loader has one of its own.
    object::begin();
    sample::begin(options.interval, options.seed);
    // A thread that comes late may be writing a frame.
    let _out = FRAMES.locked();
    modules::begin();
    frames::begin(keeps_frames) && rules::begin()
}

/// How many frames there are.
pub fn frames() -> u32 {
    frames::count()
}

/// Writes all frames and the files that they are of, as the recording before had them.
pub fn tell_frames() {
    frames::tell(|address| {
        if let Some(object) = object::Object::around(address) {
            modules::met(&object);
        }
    });
}

/// A library was closed: what is known of its code is not true any more.
pub fn closed() {
    rules::forget();
    modules::begin();
}

/// The thread's part in a recording begins.
pub fn begin_thread(thread: &Thread, time: u64) {
    let caller = &thread.caller;
    match session::options().stacks {
        // They began with the thread's first allocation.
        Stacks::Sampled if session::options().only_sampled => {}
        Stacks::Sampled => caller.points.begin(thread.number.get(), time),
        _ => caller.points.are_everywhere(),
    }
    let walk = caller.walk.get();
    if !walk.is_null() {
        // SAFETY: the thread's own, and it is in no walk.
        unsafe { (*walk).forget() };
    }
}

/// The thread is a child's of `fork`.
pub fn forked(thread: &Thread) {
    thread.caller.points.forked();
}

/// The thread ends.
pub fn end_thread(thread: &Thread) {
    let walk = thread.caller.walk.replace(core::ptr::null_mut());
    if !walk.is_null() {
        // SAFETY: nothing else points there.
        unsafe { system::unmap(walk.cast(), size_of::<Walk>()) };
    }
}

/// Writes where an allocation comes from, in front of it, if that is asked for.
#[inline(always)]
pub fn note(thread: &Thread, writer: &mut Writer, time: u64, size: usize) {
    if session::has_stacks() && thread.caller.points.is_due(size) {
        note_due(thread, writer, time);
    }
}

/// The same of an allocation that is in the sample.
#[inline(never)]
pub fn note_due(thread: &Thread, writer: &mut Writer, time: u64) {
    let caller = &thread.caller;
    if session::options().stacks == Stacks::Sampled && !thread.has_ended() {
        caller.points.next();
    }
    let frame = number(thread, usize::MAX);
    // Where another recording has begun meanwhile it is one of its frames.
    if frame != 0 && session::is_on_as(thread.session.get()) {
        // SAFETY: the caller has made room.
        unsafe { writer.stack(time, frame.into()) };
    }
}

/// The number of the frame that the thread has noted. 0: there is none. So many callers of it are looked at: where all of them stand
/// as in a stack that was met before, it is taken for that.
#[inline(always)]
pub fn number(thread: &Thread, callers: usize) -> u32 {
    let caller = &thread.caller;
    let sp = caller.sp.replace(0);
    // Further off it is what a signal handler has noted meanwhile.
    const NEAR: usize = 4096;
    let here = (&raw const sp).addr();
    if thread.has_ended() || sp.wrapping_sub(here) > NEAR {
        return 0;
    }
    let walk = match caller.walk.get() {
        walk if walk.is_null() => new_walk(caller),
        walk => walk,
    };
    if walk.is_null() {
        return 0;
    }
    // SAFETY: the thread's own, and it is here once, in its turn.
    let walk = unsafe { &mut *walk };
    walk.number(thread.session.get(), &caller.known, (sp, caller.rbp.get()), callers)
}

/// Another number whenever a block of the thread was counted.
pub fn counted(thread: &Thread) -> u64 {
    thread.caller.points.counted()
}

/// Counts a block of this size. Whether that may be the one that reaches the next point.
pub fn counts(thread: &Thread, size: usize) -> bool {
    thread.caller.points.is_due(size)
}

/// A block of this size, which was counted, there was none.
pub fn refused(thread: &Thread, size: usize) {
    thread.caller.points.give_back(size);
}

/// Whether a block of this size, which was counted, reached the next point; then the one behind it is drawn.
pub fn reached(thread: &Thread, session: u32, size: usize) -> bool {
    thread.caller.points.reached(session, size)
}

/// Null: there is no memory.
#[cold]
fn new_walk(caller: &Caller) -> *mut Walk {
    let _errno = Kept::now();
    let walk = system::memory(size_of::<Walk>()).unwrap_or(core::ptr::null_mut());
    caller.walk.set(walk.cast());
    walk.cast()
}
