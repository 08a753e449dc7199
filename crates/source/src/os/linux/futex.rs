//! Parking on a futex.

use base::lock::Park;
use base::sync::AtomicUsize;

use super::Os;
use super::syscall::{call6, number, thread_pointer};

const FUTEX_WAIT_PRIVATE: usize = 128;
const FUTEX_WAKE_PRIVATE: usize = 129;

/// A futex has 32 bits: the low half of the word, which has the marks and most of the number.
/// A thread that sleeps while the whole word changed, but not this half, sleeps rightly: the
/// half that stayed says that somebody is inside and will wake one.
const HALF: usize = 0xffff_ffff;

#[cfg(target_endian = "big")]
compile_error!("the low half of a word is expected at its address");

fn address(word: &AtomicUsize) -> usize {
    core::ptr::from_ref(word).addr()
}

impl Park for Os {
    /// The thread pointer. Both ABIs align what it points to; the child of a fork keeps it.
    #[inline]
    fn me() -> usize {
        thread_pointer()
    }

    fn wait(word: &AtomicUsize, expected: usize) {
        wait(word, expected, 0);
    }

    fn wake_one(word: &AtomicUsize) {
        let args = [address(word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0];
        // SAFETY: waking touches no memory.
        unsafe { call6(number::FUTEX, args) };
    }

    fn nap(word: &AtomicUsize, expected: usize) {
        let millisecond = [0u64, 1_000_000];
        wait(word, expected, millisecond.as_ptr().addr());
    }
}

/// Sleeps for the time that `limit` is the address of, or until woken when it is 0.
fn wait(word: &AtomicUsize, expected: usize, limit: usize) {
    let args = [address(word), FUTEX_WAIT_PRIVATE, expected & HALF, limit, 0, 0];
    // SAFETY: waiting reads two words and a word, which outlive the call.
    unsafe { call6(number::FUTEX, args) };
}
