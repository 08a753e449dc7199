//! Blocks of the sample: their birth and their end are written, and of all others nothing.
//!
//! ```text
//! a block is made ─► counted: was a point reached? ─► made: remembered, From and Malloc written
//! a block goes    ─► may it be in the sample? ─► gone: forgotten, Free written
//! ```
//!
//! - **profile-F1** a block is remembered before its thread is given it, and forgotten before the malloc is given it back: while it
//!   is neither, nobody frees it.

use trace_format::{Event, Writer};

use crate::thread::{Thread, Turn};
use crate::{blocks, clock, probes, session, stacks};

/// Has an event of a call written. What is due now and then is done with each of them, as they are rare.
fn write(turn: &mut Turn, frees: bool, mut writes: impl FnMut(&mut Writer, u64)) {
    session::write_slowly(turn, clock::now(), frees, &mut writes);
}

/// Whether a point was reached by a block of this size, which was counted already. The next point is drawn then.
pub fn is_due(thread: &Thread, size: usize) -> bool {
    stacks::reached(thread, session::number(), size)
}

/// Remembers a block of the sample and writes where it comes from.
pub fn made(turn: &mut Turn, block: *mut u8, size: usize, event: &Event<'_>) {
    let thread = turn.thread;
    if blocks::insert(block) {
        probes::alloc(block, size, stacks::weight(size));
        write(turn, false, |writer, time| {
            stacks::note_due(thread, writer, time);
            // SAFETY: there is room.
            unsafe { writer.event(time, event) };
        });
    } else {
        // As if it was not in the sample, which is said.
        write(turn, false, |writer, time| {
            // SAFETY: there is room.
            unsafe { writer.event(time, &Event::Dropped { events: 1 }) };
        });
    }
}

/// A block is about to be freed that may be in the sample.
pub extern "C" fn gone(block: *mut u8) {
    if !blocks::has(block) {
        return;
    }
    let Some(mut turn) = Turn::to_write() else { return };
    if blocks::remove(block) {
        probes::free(block);
        write(&mut turn, true, |writer, time| {
            // SAFETY: there is room.
            unsafe { writer.free(time, block.addr() as u64) };
        });
    }
}

/// A block is about to change its size, and maybe its address. Whether it was in the sample.
pub fn changes(turn: &mut Turn, block: *mut u8) -> bool {
    let at = block.addr() as u64;
    let was_sampled = blocks::remove(block);
    if was_sampled {
        // Before another thread gets its address.
        probes::free(block);
        write(turn, false, |writer, time| {
            // SAFETY: there is room.
            unsafe { writer.event(time, &Event::ReallocFrom { at }) };
        });
    }
    was_sampled
}

/// What became of `block`, which was in the sample or not: `new`, of a size that was counted already, which is a new block and in the sample
/// or not, whatever the old one was.
pub fn changed(turn: &mut Turn, block: *mut u8, was_sampled: bool, new: *mut u8, size: usize) {
    let is_refused = new.is_null() && size > 0;
    if is_refused {
        stacks::refused(turn.thread, size);
    }
    let is_due = !new.is_null() && is_due(turn.thread, size);
    let to = Event::ReallocTo { at: new.addr() as u64, size: size as u64 };
    match (was_sampled, is_due) {
        (false, false) => {}
        (false, true) => {
            let event = Event::Malloc { at: new.addr() as u64, size: size as u64 };
            made(turn, new, size, &event);
        }
        (true, true) if blocks::insert(new) => {
            probes::alloc(new, size, stacks::weight(size));
            let thread = turn.thread;
            write(turn, false, |writer, time| {
                stacks::note_due(thread, writer, time);
                // SAFETY: there is room.
                unsafe { writer.event(time, &to) };
            });
        }
        (true, _) => {
            // It lives on, or it was freed as far as the sample goes.
            let is_kept = is_refused && blocks::insert(block);
            let size = if is_kept { size as u64 } else { 0 };
            write(turn, false, |writer, time| {
                // SAFETY: there is room.
                unsafe { writer.event(time, &Event::ReallocTo { at: 0, size }) };
            });
        }
    }
}
