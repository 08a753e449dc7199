//! The begin of the library, the end of threads and of the process.

use core::ffi::c_void;

use source::os::imp::thread_end;

use crate::errno::Kept;
use crate::session::Now;
use crate::thread::{Thread, Turn};
use crate::{armed, chunk, copy, first, samples, session};

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = {
    extern "C" fn begin() {
        first::begin();
    }
    begin
};

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = process_ends;

/// The process ends: the last that is known of it. Other threads may go on until it has.
extern "C" fn process_ends() {
    let _errno = Kept::now();
    armed::end();
    let Some(mut turn) = Turn::to_write() else { return };
    let now = Now::read();
    let thread = turn.thread;
    if session::is_on()
        && let Some(writer) = turn.writer(now.time)
    {
        if session::options().copy && session::is_this_process() {
            copy::make(writer);
        }
        samples::write(writer, now.time, true);
        chunk::note_name(thread, writer, now.time);
        session::note(thread, writer, &now);
        writer.process_ends();
    }
}

/// The C library goes through the destructors of a thread up to four times. A thread's end is told the second time, behind what
/// all others do the first time; earlier than the last, as one that allocates in destructors only is told of late.
const ROUNDS: usize = 2;

/// Has the thread's end told.
pub(crate) fn watch(thread: &Thread) {
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
    }
    thread.ends();
}
