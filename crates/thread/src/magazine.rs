//! Magazines: a stack of free objects per class, whose state is one word.
//!
//! ```text
//! cell, 1 KiB aligned   [ unused │ 0 │ object │ object │ object │ free │ free ]
//!                                  ▲   ▲ bottom                   ▲ top        ▲ end
//!                                  └ sentinel                       end % 1024 = 0
//! ```
//!
//! - **magazine-A1** the word below `bottom` is 0, so popping an empty magazine yields 0.
//! - **magazine-A2** `end` is a multiple of 1024 and no other address in the cell's stack is, so a
//!   magazine is full exactly when `top % 1024` is 0. Its capacity is in no fast path.
//! - **magazine-A3** a thread without a cell points at [`empty`](crate::tls::empty), which is both
//!   empty and full: nothing has to be initialised before the first use.
//! - **magazine-A4** an entry of 0 (a sized free of null) reads as empty; the slow path drops it.
//!
//! Layer *thread*, called by `malloc` and `free` themselves. [`pop`]: two loads and a store;
//! [`push`]: a load and two stores. No atomics: a magazine belongs to its thread.
use crate::tls::Tls;

/// Bytes of a cell.
pub const CELL: usize = 1024;
/// The most objects a magazine holds: all words of a cell but the sentinel and one.
pub const MAX_CAPACITY: usize = 126;

const WORD: usize = size_of::<usize>();

/// Takes the newest object of a class; 0 when there is none.
/// # Safety
/// `class` is below the number of classes, and `tls` the calling thread's.
#[inline(always)]
pub unsafe fn pop<T: Tls>(tls: &T, class: usize) -> usize {
    let top = tls.load(class);
    // SAFETY: by magazine-A1 and magazine-A3 there is always a word below `top`.
    let object = unsafe { word(top - WORD).read() };
    if object != 0 {
        tls.store(class, top - WORD);
    }
    object
}

/// Keeps an object of a class. `false`: the magazine is full.
/// # Safety
/// As [`pop`]; `object` belongs to the caller and is of the class.
#[inline(always)]
pub unsafe fn push<T: Tls>(tls: &T, class: usize, object: usize) -> bool {
    let top = tls.load(class);
    if top.is_multiple_of(CELL) {
        return false;
    }
    // SAFETY: by magazine-A2 `top` is below `end`, so the word is the cell's.
    unsafe { word(top).write(object) };
    tls.store(class, top + WORD);
    true
}

/// The word at an address inside a cell.
#[inline(always)]
pub(crate) fn word(at: usize) -> *mut usize {
    core::ptr::with_exposed_provenance_mut(at)
}

/// The end of the cell that `top` points into (magazine-A2).
pub(crate) fn end_of(top: usize) -> usize {
    ((top - 1) | (CELL - 1)) + 1
}
