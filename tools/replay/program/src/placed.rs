//! Where the allocator puts each block: a file as long as the plan, in which a call's address stands where the call stands there.
//!
//! ```text
//! plan     … │ malloc into slot 3 │ free of slot 1 │ …
//! places   … │ 0x7f5a_1c00_0040   │                │ …
//! ```

use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use plan::Call;

use crate::heap::{Heap, Place, Plain};
use crate::map;

static PLACES: AtomicPtr<AtomicUsize> = AtomicPtr::new(core::ptr::null_mut());

/// Makes the file, with a place for each word of the plan.
pub(crate) fn prepare(path: &CStr, words: usize) {
    PLACES.store(map::new_file(path, words), Ordering::Relaxed);
}

/// The process's malloc; what it returns is written down.
#[derive(Debug)]
pub(crate) struct Placed;

fn write(at: Place, block: *mut u8) {
    // SAFETY: there is a place for each word of the plan.
    let place = unsafe { &*PLACES.load(Ordering::Relaxed).wrapping_add(at.word) };
    place.store(block.addr(), Ordering::Relaxed);
}

impl Heap for Placed {
    fn new(_: u32) -> Self {
        Self
    }

    fn allocate(&mut self, at: Place, call: Call, size: usize, align: usize) -> *mut u8 {
        let block = Plain.allocate(at, call, size, align);
        write(at, block);
        block
    }

    unsafe fn free(&mut self, at: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { Plain.free(at, block) };
    }

    unsafe fn reallocate(&mut self, at: Place, old: usize, block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let new = unsafe { Plain.reallocate(at, old, block, size) };
        // Refused, it stays where it is.
        write(at, if new.is_null() { block } else { new });
        new
    }

    unsafe fn usable(&mut self, at: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { Plain.usable(at, block) };
    }
}
