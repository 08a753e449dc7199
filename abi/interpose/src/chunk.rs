//! The chunk a thread writes into: taken, given a pause every few kilobytes, sealed and unmapped.

use trace_format::{CHUNK, ChunkHead, Event, THREAD_ENDED, Writer};

use crate::session::Now;
use crate::thread::Thread;
use crate::{file, session, stacks, system};

/// Bytes between two pauses. A thread's first come sooner, as it may name itself.
const STEP: usize = 4 << 10;
const FIRST_STEP: usize = 256;

/// Lets the writer go on to the next pause. `false`: the chunk is full, or there is none.
pub(crate) fn pause(writer: &mut Writer) -> bool {
    let written = writer.written();
    writer.pause_after(if written < STEP { written.max(FIRST_STEP) } else { STEP })
}

/// Whether it is one of a chunk's first pauses.
pub(crate) fn is_young(writer: &Writer) -> bool {
    writer.written() < STEP
}

/// Seals the thread's chunk, if it has one, and takes a new one. `false`: there is none to be had.
pub(crate) fn renew(thread: &Thread, writer: &mut Writer, now: &Now) -> bool {
    let (place, chunk) = match file::take_chunk() {
        Ok(taken) => taken,
        Err(why) => {
            session::stop(thread, writer, now.time, why);
            return false;
        }
    };
    seal(thread, writer, 0);
    let head = ChunkHead {
        magic: ChunkHead::MAGIC,
        thread: thread.number.get(),
        tid: thread.tid.get(),
        sequence: thread.sequence.replace(thread.sequence.get() + 1),
        committed: 0,
        flags: 0,
        time: now.time,
        monotonic: now.monotonic,
        last_time: 0,
        last_monotonic: 0,
        reserved: 0,
    };
    // SAFETY: a chunk of its own.
    *writer = unsafe { Writer::begin(chunk, &head) };
    thread.place.set(place);
    pause(writer)
}

/// Nothing more comes into the thread's chunk.
fn seal(thread: &Thread, writer: &mut Writer, flags: u32) {
    let chunk = writer.chunk();
    if chunk.is_null() {
        return;
    }
    let now = Now::read();
    writer.seal(flags, now.time, now.monotonic);
    let written = writer.written();
    *writer = Writer::NONE;
    // SAFETY: the writer was the only one to point there.
    unsafe { system::unmap(chunk, CHUNK) };
    file::sealed(thread.place.get(), written, false);
}

/// The thread ends: its last chunk.
pub(crate) fn end(thread: &Thread, writer: &mut Writer) {
    seal(thread, writer, THREAD_ENDED);
    stacks::end_thread(thread);
}

/// The recording is over, and the thread's chunk with it.
pub(crate) fn leave(thread: &Thread, writer: &mut Writer) {
    seal(thread, writer, 0);
}

/// What the thread has is another process's: a child of `fork` lets go of it.
pub(crate) fn forget(thread: &Thread, writer: &mut Writer) {
    let chunk = writer.chunk();
    *writer = Writer::NONE;
    if !chunk.is_null() {
        // SAFETY: the writer was the only one to point there.
        unsafe { system::unmap(chunk, CHUNK) };
    }
    thread.sequence.set(0);
    thread.dropped.set(0);
    thread.name.set([0; 16]);
    thread.is_watched.set(false);
}

/// Writes the thread's name if it is a new one.
pub(crate) fn note_name(thread: &Thread, writer: &mut Writer, time: u64) {
    let name = system::thread_name();
    if thread.name.replace(name) != name {
        let name = crate::text::before_zero(&name);
        // SAFETY: the caller has made room.
        unsafe { writer.event(time, &Event::ThreadName { name }) };
    }
}
