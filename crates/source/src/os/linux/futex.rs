//! Parking on a futex.

use base::lock::Park;
use base::sync::{AtomicUsize, spin_hint};

use super::syscall::{call6, number, result, thread_pointer};
use super::{Os, busy};

pub(super) const FUTEX_WAIT_PRIVATE: usize = 128;
const FUTEX_WAKE_PRIVATE: usize = 129;
/// Threads that are woken at a time. By one, a thousand that sleep, because the thread inside lost the processor, come in one after
/// the other, each as late as a busy machine runs it: seconds. By two, those awake double each time.
const WOKEN: usize = 2;
const EINTR: i32 = 4;
const EAGAIN: i32 = 11;
const ETIMEDOUT: i32 = 110;
/// Looks at nothing where the system lets us not even sleep: some 100 microseconds.
const SPINS: u32 = 5_000;

/// A futex has 32 bits: the low half of the word, which has the marks and most of the number.
/// A thread that sleeps while the whole word changed, but not this half, sleeps rightly: the
/// half that stayed says that somebody is inside and will wake one.
const HALF: usize = 0xffff_ffff;

#[cfg(target_endian = "big")]
compile_error!("the low half of a word is expected at its address");

fn address(word: &AtomicUsize) -> usize {
    core::ptr::from_ref(word).addr()
}

/// Wakes some that sleep on a word: how many there were.
fn wake(word: &AtomicUsize) -> Result<usize, i32> {
    let args = [address(word), FUTEX_WAKE_PRIVATE, WOKEN, 0, 0, 0];
    // SAFETY: waking touches no memory.
    result(unsafe { call6(number::FUTEX, args) })
}

// SAFETY: living threads have a thread control block each.
unsafe impl Park for Os {
    /// The thread pointer. Both ABIs align what it points to; the child of a fork keeps it.
    #[inline]
    fn me() -> usize {
        thread_pointer()
    }

    fn wait(word: &AtomicUsize, expected: usize) {
        wait(word, expected, 0);
    }

    fn wake_one(word: &AtomicUsize) {
        let _ = wake(word);
    }

    fn nap(word: &AtomicUsize, expected: usize) {
        let millisecond = [0u64, 1_000_000];
        wait(word, expected, millisecond.as_ptr().addr());
    }

    #[inline(always)]
    fn begin() {
        busy::store(0, busy::load(0) + 1);
    }

    #[inline(always)]
    fn end() {
        busy::store(0, busy::load(0).wrapping_sub(1));
    }

    #[inline(always)]
    fn is_busy() -> bool {
        busy::load(0) != 0
    }
}

/// Sleeps, by the call that a program's locks need, so that a filter of system calls lets it.
pub fn sleep(seconds: u64) {
    let never_changed = AtomicUsize::new(0);
    let time = [seconds, 0];
    wait(&never_changed, 0, time.as_ptr().addr());
}

/// Sleeps for the time that `limit` is the address of, or until woken when it is 0.
fn wait(word: &AtomicUsize, expected: usize, limit: usize) {
    let args = [address(word), FUTEX_WAIT_PRIVATE, expected & HALF, limit, 0, 0];
    // SAFETY: waiting reads two words and a word, which outlive the call.
    let slept = result(unsafe { call6(number::FUTEX, args) });
    if !matches!(slept, Ok(_) | Err(EAGAIN | EINTR | ETIMEDOUT)) {
        pause(limit);
    }
}

/// Where the system has no futex for us: sleeps for as long as `limit` says, or for a moment,
/// so that a waiter leaves the processor to whom it waits for.
#[cold]
fn pause(limit: usize) {
    let moment = [0u64, 50_000];
    let time = if limit == 0 { moment.as_ptr().addr() } else { limit };
    // SAFETY: the kernel reads two words, which outlive the call.
    let slept = result(unsafe { call6(number::NANOSLEEP, [time, 0, 0, 0, 0, 0]) });
    if !matches!(slept, Ok(_) | Err(EINTR)) {
        for _ in 0..SPINS {
            spin_hint();
        }
    }
}

#[cfg(test)]
mod tests;
