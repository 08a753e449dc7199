//! The end of threads and of the process.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use source::os::imp::thread_end;
use trace_format::PROCESS_ENDS;

use crate::errno::Kept;
use crate::session::Now;
use crate::thread::{Thread, Turn};
use crate::{chunk, front, samples, session};

/// The process ends: the last that is known of it. Other threads may go on until it has.
pub extern "C" fn process_ends() {
    let _errno = Kept::now();
    let Some(mut turn) = Turn::to_write() else { return };
    let now = Now::read();
    let thread = turn.thread;
    if session::is_on()
        && let Some(writer) = turn.writer(now.time)
    {
        (front::get().ends)(writer);
        samples::write(writer, now.time, true);
        chunk::note_name(thread, writer, now.time);
        session::note(thread, writer, &now);
        writer.flag(PROCESS_ENDS);
    }
}

/// Has the process's end told, where no library does.
pub(crate) fn end_is_told() {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    if !IS_TOLD.swap(true, Ordering::Relaxed) {
        // SAFETY: a function of ours, which stays. If it is refused the last moments are missing.
        unsafe { libc::atexit(process_ends) };
    }
}

/// The C library goes through the destructors of a thread up to four times. A thread's end is told the second time, behind what
/// all others do the first time; earlier than the last, as one that allocates in destructors only is told of late.
const ROUNDS: usize = 2;

/// Has the thread's end told.
pub fn watch(thread: &Thread) {
    if !thread.is_watched.replace(true) {
        thread_end::watch(thread_ends, 1);
    }
}

extern "C" fn thread_ends(round: *mut c_void) {
    if round.addr() < ROUNDS && thread_end::watch(thread_ends, round.addr() + 1) {
        return;
    }
    let _errno = Kept::now();
    let Some(mut turn) = Turn::to_write() else { return };
    let now = Now::read();
    let thread = turn.thread;
    if session::is_on()
        && let Some(writer) = turn.writer(now.time)
    {
        chunk::note_name(thread, writer, now.time);
        session::note(thread, writer, &now);
        chunk::end(thread, writer);
    } else {
        // It had a part in a recording that has ended.
        // SAFETY: the thread's turn.
        chunk::let_go(unsafe { &mut *turn.writer_as_it_is() });
        crate::stacks::end_thread(thread);
    }
    thread.ends();
}
