//! The malloc family, recorded: each asks the next malloc and writes an event.
//!
//! ```text
//! malloc    next ─► stamp ─► event          an address is free before it is handed out again, in the order of stamps,
//! free      stamp ─► event ─► next          whichever threads do it
//! realloc   stamp ─► from ─► next ─► stamp ─► to
//! ```

use core::ffi::c_int;

use trace_format::{Event, Writer};

use crate::names::{Table, each_name, table};
use crate::next::next;
use crate::system::page_size;
use crate::thread::{Thread, Turn};
use crate::{arena, clock, large, live, session, snapshot, stacks};

// The recording functions.
each_name!(table pub(crate) RECORD:);

/// The recording functions, by the names they are exported under.
pub(crate) mod of {
    pub(crate) use super::*;
    pub(crate) use crate::mapping::{mmap, mmap as mmap64, munmap};
    pub(crate) use crate::operators::recorded::*;
    pub(crate) use crate::process::{
        dlclose, execv, execve, execvp, execvpe, fork, heapwright_mark,
    };
}

/// `malloc` or `calloc` of the writer.
type Write = unsafe fn(&mut Writer, u64, u64, u64);

/// Writes that a request was answered.
#[inline(always)]
fn answered(turn: &mut Turn, block: *mut u8, size: usize, write: Write) {
    turn.writes();
    if block.is_null() {
        return refused(turn.thread, size);
    }
    let thread = turn.thread;
    match turn.ready() {
        // SAFETY: there is room.
        Some(writer) if !session::has_stacks() => unsafe {
            write(writer, clock::now(), block.addr() as u64, size as u64);
        },
        _ => answered_slowly(thread, block, size, write),
    }
    large::allocated(block, size, false);
}

/// The same with a call stack, or where there is no room. Nothing is left to be done behind it, so that who calls it keeps little.
#[inline(never)]
fn answered_slowly(thread: &'static Thread, block: *mut u8, size: usize, write: Write) {
    if live::is_asked_for() {
        return live::born(thread, block, size);
    }
    Turn::of_caller(thread).write(clock::now(), false, |writer, time| {
        stacks::note(thread, writer, time, size);
        // SAFETY: there is room.
        unsafe { write(writer, time, block.addr() as u64, size as u64) };
    });
}

/// The same for other kinds.
#[inline(always)]
fn answered_as(turn: &mut Turn, block: *mut u8, size: usize, event: &Event<'_>) {
    turn.writes();
    if block.is_null() {
        return refused(turn.thread, size);
    }
    let thread = turn.thread;
    if live::is_asked_for() {
        return live::born(thread, block, size);
    }
    turn.write(clock::now(), false, |writer, time| {
        stacks::note(thread, writer, time, size);
        // SAFETY: there is room.
        unsafe { writer.event(time, event) };
    });
    large::allocated(block, size, false);
}

/// No block: that is an answer where nothing was asked for.
#[cold]
fn refused(thread: &'static Thread, size: usize) {
    if size > 0 {
        Turn::of_caller(thread).write(clock::now(), false, |writer, time| {
            // SAFETY: there is room.
            unsafe { writer.event(time, &Event::Refused { size: size as u64 }) };
        });
    }
}

/// Writes that a block is about to be freed.
#[inline(always)]
fn leaves(turn: &mut Turn, block: *mut u8) {
    let (thread, time) = (turn.thread, clock::now());
    match turn.ready() {
        // SAFETY: there is room.
        Some(writer) if !large::may_be(block) => unsafe {
            writer.free(time, block.addr() as u64);
        },
        _ => leaves_slowly(thread, time, block),
    }
    turn.asks();
}

/// The same of a block that may be large, or where there is no room.
#[cold]
#[inline(never)]
fn leaves_slowly(thread: &'static Thread, time: u64, block: *mut u8) {
    Turn::of_caller(thread).write(time, true, |writer, time| {
        if large::may_be(block) {
            large::leaves(writer, block, time);
        }
        // SAFETY: there is room.
        unsafe { writer.free(time, block.addr() as u64) };
    });
}

pub(crate) unsafe extern "C" fn malloc(size: usize) -> *mut u8 {
    let turn = Turn::to_ask();
    // SAFETY: the caller's promise.
    let block = unsafe { next().malloc.get()(size) };
    if let Some(mut turn) = turn {
        answered(&mut turn, block, size, Writer::malloc);
    }
    block
}

pub(crate) unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    let turn = Turn::to_ask();
    // SAFETY: the caller's promise.
    let block = unsafe { next().calloc.get()(count, size) };
    if let Some(mut turn) = turn {
        let size = count.saturating_mul(size);
        answered(&mut turn, block, size, Writer::calloc);
    }
    block
}

/// Whether a block is none of the next malloc's: null, or of the [`arena`].
#[inline(always)]
pub(crate) fn is_no_block(block: *mut u8) -> bool {
    block.is_null() || arena::has(block)
}

/// Records a free, and has it done.
#[inline(always)]
pub(crate) fn freed(block: *mut u8, free: impl FnOnce()) {
    if is_no_block(block) {
        return;
    }
    let turn = turn_to_free(block);
    free();
    drop(turn);
}

/// A turn in which the free of this block was written.
#[inline(always)]
pub(crate) fn turn_to_free(block: *mut u8) -> Option<Turn> {
    let mut turn = Turn::to_write()?;
    leaves(&mut turn, block);
    Some(turn)
}

pub(crate) unsafe extern "C" fn free(block: *mut u8) {
    // SAFETY: the caller's promise.
    freed(block, || unsafe { next().free.get()(block) });
}

pub(crate) unsafe extern "C" fn cfree(block: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { free(block) }
}

pub(crate) unsafe extern "C" fn free_sized(block: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    freed(block, || unsafe { next().free_sized.get()(block, size) });
}

pub(crate) unsafe extern "C" fn free_aligned_sized(block: *mut u8, align: usize, size: usize) {
    // SAFETY: the caller's promise.
    freed(block, || unsafe { next().free_aligned_sized.get()(block, align, size) });
}

pub(crate) unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    resized(block, size, || unsafe { next().realloc.get()(block, size) })
}

pub(crate) unsafe extern "C" fn reallocarray(block: *mut u8, count: usize, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    resized(block, count.saturating_mul(size), || unsafe {
        next().reallocarray.get()(block, count, size)
    })
}

#[inline(always)]
fn resized(block: *mut u8, size: usize, resize: impl FnOnce() -> *mut u8) -> *mut u8 {
    if block.is_null() {
        let turn = Turn::to_ask();
        let new = resize();
        if let Some(mut turn) = turn {
            answered(&mut turn, new, size, Writer::malloc);
        }
        return new;
    }
    if arena::has(block) {
        // SAFETY: a request like any other.
        return arena::grow(block, size, unsafe { malloc(size) });
    }
    if live::is_asked_for() {
        return live::resized(block, size, resize);
    }
    let Some(mut turn) = Turn::to_write() else { return resize() };
    turn.write(clock::now(), false, |writer, time| {
        snapshot::note(writer, block, time);
        // SAFETY: there is room.
        unsafe { writer.event(time, &Event::ReallocFrom { at: block.addr() as u64 }) };
    });
    turn.asks();
    let new = resize();
    turn.writes();
    let thread = turn.thread;
    turn.write(clock::now(), false, |writer, time| {
        if !new.is_null() {
            stacks::note(thread, writer, time, size);
        }
        let event = Event::ReallocTo { at: new.addr() as u64, size: size as u64 };
        // SAFETY: there is room.
        unsafe { writer.event(time, &event) };
    });
    if !new.is_null() {
        large::allocated(new, size, true);
    }
    new
}

/// Asks for an aligned block by `ask`.
#[inline(always)]
fn aligned(align: usize, size: usize, ask: impl FnOnce() -> *mut u8) -> *mut u8 {
    let turn = Turn::to_ask();
    let block = ask();
    if let Some(mut turn) = turn {
        let align = align.checked_next_power_of_two().unwrap_or(1) as u64;
        let event = Event::Aligned { at: block.addr() as u64, size: size as u64, align };
        answered_as(&mut turn, block, size, &event);
    }
    block
}

pub(crate) unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(align, size, || unsafe { next().memalign.get()(align, size) })
}

pub(crate) unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(align, size, || unsafe { next().aligned_alloc.get()(align, size) })
}

pub(crate) unsafe extern "C" fn posix_memalign(
    out: *mut *mut u8,
    align: usize,
    size: usize,
) -> c_int {
    let mut answer = 0;
    aligned(align, size, || {
        // SAFETY: the caller's promise.
        answer = unsafe { next().posix_memalign.get()(out, align, size) };
        if answer != 0 {
            return core::ptr::null_mut();
        }
        // SAFETY: it was written with this answer.
        unsafe { out.read() }
    });
    answer
}

pub(crate) unsafe extern "C" fn valloc(size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(page_size(), size, || unsafe { next().valloc.get()(size) })
}

pub(crate) unsafe extern "C" fn pvalloc(size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(page_size(), size, || unsafe { next().pvalloc.get()(size) })
}

pub(crate) unsafe extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
    if is_no_block(block) {
        return 0;
    }
    let turn = Turn::to_ask();
    // SAFETY: the caller's promise.
    let usable = unsafe { next().malloc_usable_size.get()(block) };
    if let Some(mut turn) = turn {
        turn.writes();
        turn.write(clock::now(), false, |writer, time| {
            let event = Event::UsableSize { at: block.addr() as u64, usable: usable as u64 };
            // SAFETY: there is room.
            unsafe { writer.event(time, &event) };
        });
    }
    usable
}

/// An allocation by `operator new` of the next malloc's own, which has not been written yet.
pub(crate) fn answered_new(block: *mut u8, size: usize, align: Option<usize>) {
    let Some(mut turn) = Turn::to_write() else { return };
    match align {
        None => answered(&mut turn, block, size, Writer::malloc),
        Some(align) => {
            let align = align.checked_next_power_of_two().unwrap_or(1) as u64;
            let event = Event::Aligned { at: block.addr() as u64, size: size as u64, align };
            answered_as(&mut turn, block, size, &event);
        }
    }
}

/// Has blocks of the arena kept from the next malloc, where nothing is recorded.
pub(crate) fn keep_arena_apart(slots: &Table) {
    slots.free.set(passing::free as *const ());
    slots.realloc.set(passing::realloc as *const ());
    slots.malloc_usable_size.set(passing::malloc_usable_size as *const ());
}

/// The next malloc, for blocks that may be of the arena.
mod passing {
    use super::{arena, is_no_block, next};

    pub(super) unsafe extern "C" fn free(block: *mut u8) {
        if !arena::has(block) {
            // SAFETY: the caller's promise.
            unsafe { next().free.get()(block) }
        }
    }

    pub(super) unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
        if arena::has(block) {
            // SAFETY: a request like any other.
            return arena::grow(block, size, unsafe { next().malloc.get()(size) });
        }
        // SAFETY: the caller's promise.
        unsafe { next().realloc.get()(block, size) }
    }

    pub(super) unsafe extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
        if is_no_block(block) {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { next().malloc_usable_size.get()(block) }
    }
}
