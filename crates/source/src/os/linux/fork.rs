//! What runs around `fork`: every lock is held while the process is copied.
//!
//! Handlers of other libraries may run between ours, on the same thread, and may allocate:
//! [`Park::holds_all`](base::lock::Park::holds_all) lets that thread through.

use core::ffi::c_int;

use base::sync::{AtomicUsize, Ordering};

use super::syscall::thread_pointer;

static FORKING: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn pthread_atfork(
        prepare: extern "C" fn(),
        parent: extern "C" fn(),
        child: extern "C" fn(),
    ) -> c_int;
}

pub(super) fn forking_thread() -> &'static AtomicUsize {
    &FORKING
}

/// From here to [`leave`] the calling thread passes every lock.
pub fn enter() {
    FORKING.store(thread_pointer(), Ordering::Relaxed);
}

/// Ends what [`enter`] began.
pub fn leave() {
    FORKING.store(0, Ordering::Relaxed);
}

/// Has `prepare` run before each fork, and `parent` and `child` after it. `false`: refused.
pub fn on_fork(prepare: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) -> bool {
    // SAFETY: three functions that live as long as the library, which is never unloaded.
    unsafe { pthread_atfork(prepare, parent, child) == 0 }
}
