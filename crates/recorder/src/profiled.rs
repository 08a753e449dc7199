//! `Profiled`: a sample of what a Rust program asks of its global allocator, taken in front of it.
//!
//! ```text
//! alloc     A answers ─► no profile: one test     else count down by the size ─► a point is reached: note the caller, write
//! dealloc   no profile: one test                  else is one of this page's blocks in the sample? ─► A frees
//! ```

use core::alloc::{GlobalAlloc, Layout};

use trace_format::Event;

use crate::note_caller;
use crate::thread::{BUSY, RBP, SP, Thread, Turn};
use crate::{blocks, sampling, session, stacks};

/// Any global allocator, of which [`profile`](crate::profile) can take a sample. All values of an `A` without state are the same.
///
/// ```
/// use std::alloc::System;
/// use recorder::Profiled;
///
/// #[global_allocator]
/// static A: Profiled<System> = Profiled(System);
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profiled<A>(pub A);

// SAFETY: all is the allocator's; what is written of it changes no block.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Profiled<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let block = unsafe { self.0.alloc(layout) };
        made(block, layout.size());
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let block = unsafe { self.0.alloc_zeroed(layout) };
        made(block, layout.size());
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if may_be_sampled(block) {
            sampling::gone(block);
        }
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let was_sampled = may_be_sampled(block) && changes(block);
        // SAFETY: the caller's promise.
        let new = unsafe { self.0.realloc(block, layout, size) };
        if session::is_on() && (stacks::counts(Thread::this(), size) || was_sampled) {
            noted_change(new, size, block, was_sampled);
        }
        new
    }
}

/// Counts a block that was made.
#[inline(always)]
fn made(block: *mut u8, size: usize) {
    if session::is_on() && !block.is_null() && stacks::counts(Thread::this(), size) {
        noted(block, size);
    }
}

#[inline(always)]
fn may_be_sampled(block: *mut u8) -> bool {
    session::is_on() && blocks::may_have(block)
}

#[cold]
#[unsafe(naked)]
extern "C" fn noted(block: *mut u8, size: usize) {
    note_caller!(BUSY, SP, RBP, counted)
}

/// A block was made that may have reached a point.
extern "C" fn counted(block: *mut u8, size: usize) {
    let Some(mut turn) = Turn::to_write() else { return };
    if sampling::is_due(turn.thread, size) {
        let event = Event::Malloc { at: block.addr() as u64, size: size as u64 };
        sampling::made(&mut turn, block, size, &event);
    }
}

/// A block is about to change its size. Whether it was in the sample.
#[cold]
fn changes(block: *mut u8) -> bool {
    Turn::to_write().is_some_and(|mut turn| sampling::changes(&mut turn, block))
}

#[cold]
#[unsafe(naked)]
extern "C" fn noted_change(new: *mut u8, size: usize, block: *mut u8, was_sampled: bool) {
    note_caller!(BUSY, SP, RBP, changed)
}

/// It was in the sample, or a point may have been reached.
extern "C" fn changed(new: *mut u8, size: usize, block: *mut u8, was_sampled: bool) {
    if let Some(mut turn) = Turn::to_write() {
        sampling::changed(&mut turn, block, was_sampled, new, size);
    }
}
