//! A lock of one word, for which a thread sleeps.
//!
//! ```text
//! OPEN ─► TAKEN ─┬─► OPEN
//!                └─► AWAITED: others sleep until the kernel wakes one ─► OPEN
//! ```
//!
//! Who spins, or yields, under a real-time scheduler may keep the processor from the thread that has the lock, for ever. Zeros are an open
//! lock, so a child of `fork` that finds zeros finds it open.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::errno::Kept;

const OPEN: u32 = 0;
const TAKEN: u32 = 1;
const AWAITED: u32 = 2;

/// Tries before the thread sleeps: most locks are open again by then.
const TRIES: usize = 100;

/// A lock that is the calling thread's, until it is dropped.
pub struct Lock(&'static AtomicU32);

/// The lock of this word, if no thread has it.
pub(crate) fn try_lock(word: &'static AtomicU32) -> Option<Lock> {
    let taken = word.compare_exchange(OPEN, TAKEN, Ordering::Acquire, Ordering::Relaxed);
    // Not made where it is none: to drop it opens the lock.
    taken.is_ok().then(|| Lock(word))
}

/// Waits for the lock of this word.
pub(crate) fn lock(word: &'static AtomicU32) -> Lock {
    try_lock(word).unwrap_or_else(|| wait(word))
}

#[cold]
fn wait(word: &'static AtomicU32) -> Lock {
    let _errno = Kept::now();
    for _ in 0..TRIES {
        core::hint::spin_loop();
        if let Some(lock) = try_lock(word) {
            return lock;
        }
    }
    while word.swap(AWAITED, Ordering::Acquire) != OPEN {
        futex(word, libc::FUTEX_WAIT, AWAITED);
    }
    Lock(word)
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.0.swap(OPEN, Ordering::Release) == AWAITED {
            futex(self.0, libc::FUTEX_WAKE, 1);
        }
    }
}

fn futex(word: &AtomicU32, what: i32, value: u32) {
    let (word, what) = (word.as_ptr(), what | libc::FUTEX_PRIVATE_FLAG);
    let for_ever = core::ptr::null::<libc::timespec>();
    // SAFETY: reads the word.
    unsafe { libc::syscall(libc::SYS_futex, word, what, value, for_ever) };
}

#[cfg(test)]
mod tests;
