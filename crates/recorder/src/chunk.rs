//! The chunk a thread writes into: taken, given a pause every few kilobytes, sealed and unmapped.
//!
//! ```text
//! file      [ head │ the thread's │ another's │ copy: its first │ copy: its second │ … ]
//! mapped             ▲ third: full? copied to the file's end, and begun anew here
//! ```
//!
//! So a thread's pages are mapped and faulted in once, and a full chunk costs one write. Whatever is killed in between, the copy or
//! what it is of is whole.

use trace_format::{CHUNK, ChunkHead, Event, THREAD_ENDED, Writer};

use crate::session::Now;
use crate::thread::Thread;
use crate::{file, session, short, stacks, system};

/// Bytes between two pauses. A thread's first come sooner, as it may name itself.
const STEP: usize = 4 << 10;
const FIRST_STEP: usize = 256;

/// Lets the writer go on to the next pause. `false`: the chunk is full, or there is none.
pub fn pause(writer: &mut Writer) -> bool {
    let written = writer.written();
    writer.pause_after(if written < STEP { written.max(FIRST_STEP) } else { STEP })
}

/// Whether it is one of a chunk's first pauses.
pub fn is_young(writer: &Writer) -> bool {
    writer.written() < STEP
}

/// A new chunk of a recording, and its place in the file; or why there is none. `whose`: the thread, the kernel's number of it, and
/// which of its chunks.
pub fn begin(
    session: u32,
    whose: (u32, u32, u32),
    now: &Now,
) -> Result<(Writer, u32), &'static [u8]> {
    let (place, chunk) = short::take(session).map_or_else(|| file::take_chunk(session), Ok)?;
    // SAFETY: a chunk of its own.
    Ok((unsafe { Writer::begin(chunk, &head(whose, now)) }, place))
}

fn head((thread, tid, sequence): (u32, u32, u32), now: &Now) -> ChunkHead {
    ChunkHead {
        magic: ChunkHead::MAGIC,
        thread,
        tid,
        sequence,
        committed: 0,
        flags: 0,
        time: now.time,
        monotonic: now.monotonic,
        last_time: 0,
        last_monotonic: 0,
        reserved: 0,
    }
}

/// Nothing more comes into the chunk at this place, if there is one. A ring keeps one that `stays`.
pub fn seal(session: u32, writer: &mut Writer, place: u32, stays: bool) {
    if writer.chunk().is_null() {
        return;
    }
    let now = Now::read();
    writer.seal(0, now.time, now.monotonic);
    leave_sealed(session, writer, place, stays);
}

fn leave_sealed(session: u32, writer: &mut Writer, place: u32, stays: bool) {
    file::sealed(session, place, writer.bytes(), stays);
    let_go(writer);
}

/// Nothing more is written here: the chunk, if there is one, is unmapped.
pub fn let_go(writer: &mut Writer) {
    let chunk = core::mem::replace(writer, Writer::NONE).chunk();
    if !chunk.is_null() {
        // SAFETY: the writer was the only one to point there.
        unsafe { system::unmap(chunk, CHUNK) };
    }
}

/// A chunk for this thread, which has none or a full one. `false`: there is none to be had.
pub fn renew(thread: &Thread, writer: &mut Writer, now: &Now) -> bool {
    let (session, sequence) = (thread.session.get(), thread.sequence.get());
    let whose = (thread.number.get(), thread.tid.get(), sequence);
    let chunk = writer.chunk();
    let begun = if chunk.is_null() {
        begin(session, whose, now)
    } else {
        writer.seal(0, now.time, now.monotonic);
        let kept = file::keep(session, writer.bytes());
        kept.map(|_| {
            writer.empty();
            // SAFETY: the thread's own, as before.
            (unsafe { Writer::begin(chunk, &head(whose, now)) }, thread.place.get())
        })
    };
    match begun {
        Ok((next, place)) => (*writer, _) = (next, thread.place.set(place)),
        Err(why) => {
            session::stop(thread, writer, now.time, why);
            return false;
        }
    }
    thread.sequence.set(sequence + 1);
    pause(writer)
}

/// The thread ends: its last chunk.
pub fn end(thread: &Thread, writer: &mut Writer) {
    let (session, place, now) = (thread.session.get(), thread.place.get(), Now::read());
    writer.seal(THREAD_ENDED, now.time, now.monotonic);
    if !short::put(session, place, writer) {
        leave_sealed(session, writer, place, false);
    }
    stacks::end_thread(thread);
}

/// The recording is over, and the thread's chunk with it.
pub fn leave(thread: &Thread, writer: &mut Writer) {
    seal(thread.session.get(), writer, thread.place.get(), false);
}

/// What the thread has is another process's: a child of `fork` lets go of it.
pub fn forget(thread: &Thread, writer: &mut Writer) {
    let_go(writer);
    thread.sequence.set(0);
    thread.dropped.set(0);
    thread.name.set([0; 16]);
}

/// Writes the thread's name if it is a new one.
pub fn note_name(thread: &Thread, writer: &mut Writer, time: u64) {
    let name = system::thread_name();
    if thread.name.replace(name) != name {
        let name = crate::text::before_zero(&name);
        // SAFETY: the caller has made room.
        unsafe { writer.event(time, &Event::ThreadName { name }) };
    }
}
