//! `heapwright_walk`: the blocks of malloc, shown to a recorder that is switched on in the middle of a program.
use core::ffi::{c_int, c_void};
use core::ptr;

use malloc::heapwright::Block;

use crate::heap::HEAP;

/// What [`heapwright_walk`] calls for each block: where it is, its size, whether it is live, and what the caller passed.
type Visit = unsafe extern "C" fn(*mut c_void, usize, c_int, *mut c_void);

/// Shows the blocks of malloc; -1 where they cannot be seen.
/// The caller promises: `visit` may be called with `user`, and does not allocate.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_walk(visit: Visit, user: *mut c_void) -> c_int {
    let is_done = HEAP.walk(|at, size, block| {
        let at = ptr::with_exposed_provenance_mut(at);
        // SAFETY: the caller's promise.
        unsafe { visit(at, size, (block == Block::Live).into(), user) };
    });
    if is_done { 0 } else { -1 }
}
