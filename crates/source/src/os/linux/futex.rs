//! Parking on a futex.

use base::lock::Park;
use base::sync::{AtomicU32, Ordering};

use super::Os;
use super::fork::forking_thread;
use super::syscall::{call6, number, thread_pointer};

const FUTEX_WAIT_PRIVATE: usize = 128;
const FUTEX_WAKE_PRIVATE: usize = 129;

fn address(word: &AtomicU32) -> usize {
    core::ptr::from_ref(word).addr()
}

impl Park for Os {
    fn wait(word: &AtomicU32, expected: u32) {
        let args = [address(word), FUTEX_WAIT_PRIVATE, expected as usize, 0, 0, 0];
        // SAFETY: waiting reads one word that outlives the call.
        unsafe { call6(number::FUTEX, args) };
    }

    fn wake_one(word: &AtomicU32) {
        let args = [address(word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0];
        // SAFETY: waking touches no memory.
        unsafe { call6(number::FUTEX, args) };
    }

    fn holds_all() -> bool {
        forking_thread().load(Ordering::Relaxed) == thread_pointer()
    }
}
