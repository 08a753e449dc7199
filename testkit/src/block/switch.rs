//! `Switch`: a global allocator that lends what runs [`inside`] to the allocator under test.
//!
//! `Vec` and `BTreeMap` take the global allocator, and a test binary has one. This one serves
//! from the system, but for threads that are inside: those are served by the current allocator.
//! What is freed goes where it came from, told by its address, inside or not.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ops::Range;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::alloc::System;
use std::sync::{Mutex, PoisonError};

use super::shared::Serve;

/// The global allocator of a binary that runs the test bodies.
#[derive(Debug, Default, Clone, Copy)]
pub struct Switch;

type Current = &'static dyn Serve;

static CURRENT: AtomicPtr<Current> = AtomicPtr::new(null_mut());
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn set<R>(inside: bool, f: impl FnOnce() -> R) -> R {
    let before = INSIDE.replace(inside);
    let result = f();
    INSIDE.set(before);
    result
}

/// Runs `f` with this thread's allocations served by the current allocator.
pub fn inside<R>(f: impl FnOnce() -> R) -> R {
    set(true, f)
}

/// Runs `f` with this thread's allocations served by the system: starting a thread, say, which
/// leaves things behind that outlive a body.
pub fn outside<R>(f: impl FnOnce() -> R) -> R {
    set(false, f)
}

/// Makes `serve` the current allocator while `f` runs; what is inside in the meantime must be
/// gone at its end. `None`: the system serves. One at a time; others wait.
pub fn with<R>(serve: Option<&'static dyn Serve>, f: impl FnOnce() -> R) -> R {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Range { start, end } = serve.map_or(0..0, Serve::range);
    START.store(start, Ordering::Relaxed);
    END.store(end, Ordering::Relaxed);
    let old = CURRENT
        .swap(serve.map_or(null_mut(), |serve| Box::into_raw(Box::new(serve))), Ordering::AcqRel);
    if !old.is_null() {
        // SAFETY: made by a box here, and nobody is inside now.
        drop(unsafe { Box::from_raw(old) });
    }
    f()
}

fn current() -> Option<Current> {
    let current = CURRENT.load(Ordering::Acquire);
    // SAFETY: it is null, or a box's that lives until the next `with`.
    unsafe { current.as_ref() }.copied()
}

/// Who serves this thread, if not the system.
fn serving() -> Option<Current> {
    if INSIDE.get() { current() } else { None }
}

/// Whose block this is, if not the system's.
fn owner(block: *mut u8) -> Option<Current> {
    let range = START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed);
    if range.contains(&block.addr()) { current() } else { None }
}

// SAFETY: each block comes from one of two allocators, and goes back to the same.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match serving() {
            Some(serve) => serve.allocate(layout),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match serving() {
            Some(serve) => serve.allocate_zeroed(layout),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match owner(block) {
            // SAFETY: the caller's promise.
            Some(serve) => unsafe { serve.deallocate(block, layout) },
            // SAFETY: as above.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match owner(block) {
            // SAFETY: the caller's promise.
            Some(serve) => unsafe { serve.reallocate(block, layout, size) },
            // SAFETY: as above.
            None => unsafe { System.realloc(block, layout, size) },
        }
    }
}
