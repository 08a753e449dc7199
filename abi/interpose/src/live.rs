//! What is live, and nothing of what was: for a check that looks at the process when it ends, instead of events.
//!
//! ```text
//! malloc ─► note the caller, ask ─► the stack's number and the size into the block's cell         [table]
//! free   ─► the cell says gone, and next's free
//! end    ─► a copy of the process, and with it the table                                          [copy]
//! ```
//!
//! The functions that allocate are those of [`record`], which come here with what they were answered. A child of `fork` has its parent's
//! table, and goes on with it.

use crate::record::is_no_block;
use crate::thread::{Thread, Turn};
use crate::{clock, session, stacks};

mod entry;
mod table;

pub(crate) use entry::LIVE;
pub(crate) use table::{begin, regions};

/// Callers that are looked at for each block: as many functions are told of a leak.
const CALLERS: usize = 12;

/// Whether this is what is asked for.
#[inline(always)]
pub(crate) fn is_asked_for() -> bool {
    session::options().copy
}

/// A block was allocated, by the call that has noted its caller.
pub(crate) fn born(thread: &'static Thread, block: *mut u8, size: usize) {
    if let Some(frame) = frame(thread) {
        table::put(block, size, frame);
    }
}

/// The number of the stack from where the thread has come. `None`: nothing is recorded.
fn frame(thread: &'static Thread) -> Option<u32> {
    let mut turn = Turn::of_caller(thread);
    if turn.ready().is_none() && !thread.has_ended() {
        // Its part in the recording begins.
        turn.writer(clock::now())?;
    }
    Some(stacks::number(thread, CALLERS))
}

/// Notes a free, and has it done.
#[inline(always)]
fn freed(block: *mut u8, free: impl FnOnce()) {
    if is_no_block(block) {
        return;
    }
    let turn = Turn::to_ask();
    table::take(block);
    free();
    drop(turn);
}

/// Has a block resized that may move.
pub(crate) fn resized(block: *mut u8, size: usize, resize: impl FnOnce() -> *mut u8) -> *mut u8 {
    let turn = Turn::to_ask();
    let before = table::hold(block);
    let new = resize();
    if let Some(turn) = turn {
        turn.writes();
        if !new.is_null() {
            born(turn.thread, new, size);
        }
    }
    // Only now: between the two places nobody would know what it points to.
    match before {
        Some((size_before, frame)) if new.is_null() && size > 0 => {
            table::put(block, size_before, frame);
        }
        Some((size_before, _)) if new == block => table::stays(block, size_before, size),
        Some((size_before, _)) => table::let_go(block, size_before),
        None => {}
    }
    new
}
