//! glibc's list of open streams, whose lock is taken around `fork` before ours.
//!
//! `fflush(NULL)` holds the list and waits for a stream; `getline` holds a stream and waits for
//! malloc. glibc's `fork` takes the list after all handlers have run, hence after our locks,
//! where it would wait for ever; the lock may be taken twice by one thread, so we take it first.
//! Other C libraries lack these names, and the order.

use super::weak::{self, address_of};

fn call(address: usize) {
    // SAFETY: one of the three functions below, which take and return nothing.
    if let Some(function) = unsafe { weak::function::<unsafe extern "C" fn()>(address) } {
        // SAFETY: glibc exports it for use around a fork.
        unsafe { function() }
    }
}

pub(super) fn lock() {
    call(address_of!("_IO_list_lock"));
}

pub(super) fn unlock() {
    call(address_of!("_IO_list_unlock"));
}

/// In the child: the list is free, however often it was locked. glibc has done so already if
/// it knew of several threads.
pub(super) fn reset() {
    call(address_of!("_IO_list_resetlock"));
}
