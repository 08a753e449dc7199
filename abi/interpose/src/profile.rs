//! Sampling only: of blocks that are in the sample their birth and their end are written, of all others nothing.
//!
//! ```text
//! malloc   count down by the size ─► not there yet: next's malloc, one jump                     [entry]
//!                                 └► a point is reached: note the caller, ask, remember the block, write From and Malloc
//! free     is one of this page's blocks in the sample? ─► no: next's free, one jump             [blocks]
//!                                                      └► yes, maybe this one: look, write Free
//! ```
//!
//! So the file is small, and is a trace like any other whose blocks are the sample: its head says `events=sampled`, as readers that
//! need every block must know. Points are those of `recorder::stacks`.

use core::ffi::c_int;

use recorder::blocks;
use recorder::sampling::{self, is_due};
use trace_format::Event;

use crate::next::PASS;
use crate::thread::{Thread, Turn};
use crate::{arena, stacks};

mod api;
mod entry;

pub(crate) use entry::PROFILE;

/// Blocks of the arena are asked about as well when they are freed: they are not the next malloc's.
pub(crate) fn watch_arena() {
    arena::pages(1 << blocks::PAGE).for_each(blocks::watch);
}

/// Asks for a block by `ask`; `event` says which call it was.
#[inline(always)]
fn asked<'a>(
    size: usize,
    ask: impl FnOnce() -> *mut u8,
    event: impl FnOnce(u64) -> Event<'a>,
) -> *mut u8 {
    let turn = Turn::to_ask();
    let block = ask();
    if let Some(mut turn) = turn {
        turn.writes();
        if block.is_null() {
            stacks::refused(turn.thread, size);
        } else if is_due(turn.thread, size) {
            sampling::made(&mut turn, block, size, &event(block.addr() as u64));
        }
    }
    block
}

unsafe extern "C" fn malloc(size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let ask = || unsafe { PASS.malloc.get()(size) };
    asked(size, ask, |at| Event::Malloc { at, size: size as u64 })
}

unsafe extern "C" fn calloc(count: usize, each: usize) -> *mut u8 {
    let size = count.saturating_mul(each);
    // SAFETY: the caller's promise.
    let ask = || unsafe { PASS.calloc.get()(count, each) };
    asked(size, ask, |at| Event::Calloc { at, size: size as u64 })
}

#[inline(always)]
fn aligned(align: usize, size: usize, ask: impl FnOnce() -> *mut u8) -> *mut u8 {
    let align = align.checked_next_power_of_two().unwrap_or(1) as u64;
    asked(size, ask, |at| Event::Aligned { at, size: size as u64, align })
}

unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(align, size, || unsafe { PASS.memalign.get()(align, size) })
}

unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(align, size, || unsafe { PASS.aligned_alloc.get()(align, size) })
}

unsafe extern "C" fn posix_memalign(out: *mut *mut u8, align: usize, size: usize) -> c_int {
    let mut answer = 0;
    aligned(align, size, || {
        // SAFETY: the caller's promise.
        answer = unsafe { PASS.posix_memalign.get()(out, align, size) };
        if answer != 0 {
            return core::ptr::null_mut();
        }
        // SAFETY: it was written with this answer.
        unsafe { out.read() }
    });
    answer
}

unsafe extern "C" fn valloc(size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(crate::system::page_size(), size, || unsafe { PASS.valloc.get()(size) })
}

unsafe extern "C" fn pvalloc(size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    aligned(crate::system::page_size(), size, || unsafe { PASS.pvalloc.get()(size) })
}

unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    resized(block, size, || unsafe { PASS.realloc.get()(block, size) })
}

unsafe extern "C" fn reallocarray(block: *mut u8, count: usize, each: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    resized(block, count.saturating_mul(each), || unsafe {
        PASS.reallocarray.get()(block, count, each)
    })
}

#[inline(always)]
fn resized(block: *mut u8, size: usize, resize: impl FnOnce() -> *mut u8) -> *mut u8 {
    let Some(mut turn) = Turn::to_write() else { return resize() };
    let was_sampled = sampling::changes(&mut turn, block);
    turn.asks();
    let new = resize();
    turn.writes();
    sampling::changed(&mut turn, block, was_sampled, new, size);
    new
}

/// What was counted, before an `operator new` of the next malloc's own, which may itself call the exported `malloc`.
extern "C" fn before_new() -> u64 {
    stacks::counted(Thread::this())
}

/// Behind it: counts the block, unless that was done.
extern "C" fn after_new(block: *mut u8, size: usize, _: usize, before: u64) -> *mut u8 {
    new_was_asked(block, size, before, |at| Event::Malloc { at, size: size as u64 })
}

extern "C" fn after_aligned_new(block: *mut u8, size: usize, align: usize, before: u64) -> *mut u8 {
    let align = align.checked_next_power_of_two().unwrap_or(1) as u64;
    new_was_asked(block, size, before, |at| Event::Aligned { at, size: size as u64, align })
}

#[inline(always)]
fn new_was_asked<'a>(
    block: *mut u8,
    size: usize,
    before: u64,
    event: impl FnOnce(u64) -> Event<'a>,
) -> *mut u8 {
    let thread = Thread::this();
    if stacks::counted(thread) == before && stacks::counts(thread, size) {
        asked(size, || block, event);
    }
    block
}
