//! The structures of `heapwright/block.h`, and filling them.

use core::ffi::{c_char, c_int, c_void};
use core::ops::ControlFlow;
use core::ptr;

use base::{BlockStats, Broken, Check, Piece, Stats, Walk};

use crate::error;

/// `heapwright_block_stats`.
#[repr(C)]
pub(crate) struct CStats {
    total: usize,
    used: usize,
    peak: usize,
    largest_free: usize,
    failures: usize,
}

/// `heapwright_block_broken`.
#[repr(C)]
pub(crate) struct CBroken {
    invariant: *const c_char,
    invariant_len: usize,
    at: usize,
}

/// `heapwright_block_visit`.
pub(crate) type Visit = unsafe extern "C" fn(*mut c_void, usize, c_int, *mut c_void) -> c_int;

/// Fills `*out`.
/// The caller promises: `out` is null or may be written.
pub(crate) unsafe fn stats(heap: &impl Stats, out: *mut CStats) -> c_int {
    if out.is_null() {
        return error::NULL;
    }
    let BlockStats { total, used, peak, largest_free, failures } = heap.stats();
    // SAFETY: the caller's promise.
    unsafe { out.write(CStats { total, used, peak, largest_free, failures }) };
    error::OK
}

/// Checks; what is broken goes to `*out`.
/// The caller promises: `out` is null or may be written.
pub(crate) unsafe fn check(heap: &impl Check, out: *mut CBroken) -> c_int {
    let Err(Broken { invariant, at }) = heap.check() else { return error::OK };
    if !out.is_null() {
        let (text, len) = (invariant.as_ptr().cast(), invariant.len());
        // SAFETY: the caller's promise.
        unsafe { out.write(CBroken { invariant: text, invariant_len: len, at }) };
    }
    error::BROKEN
}

/// The range of all addresses, for [`walk`].
pub(crate) const ALL: (usize, usize) = (0, usize::MAX);

/// Shows the blocks that begin in `range`, a start and a length, without their headers of `header`
/// bytes. The visitor's answer, if not 0, ends it.
/// The caller promises: the visitor may be called with any block and `user`.
pub(crate) unsafe fn walk(
    heap: &impl Walk,
    range: (usize, usize),
    header: usize,
    visit: Option<Visit>,
    user: *mut c_void,
) -> c_int {
    let Some(visit) = visit else { return error::NULL };
    let mut answer = 0;
    heap.walk(&mut |Piece { at, len, used }| {
        if at.wrapping_sub(range.0) >= range.1 {
            return ControlFlow::Continue(());
        }
        let payload = ptr::with_exposed_provenance_mut(at + header);
        // SAFETY: the caller's promise.
        answer = unsafe { visit(payload, len - header, c_int::from(used), user) };
        if answer == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    answer
}
