//! Sleeping until a word changes.

use core::sync::atomic::AtomicU32;

/// Sleeps while `word` is `value`, or for no reason less long.
pub(crate) fn wait(word: &AtomicU32, value: u32) {
    let no_timeout = core::ptr::null::<libc::timespec>();
    // SAFETY: the word lives as long as the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            no_timeout,
        )
    };
}

/// Wakes the one that sleeps on `word`.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the word is only compared by its address.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            1,
        )
    };
}
