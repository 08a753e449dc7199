//! Keeping signal handlers of the program away for a moment.

use super::syscall::{call6, number};

const SIG_BLOCK: usize = 0;
const SIG_SETMASK: usize = 2;
/// Bytes of a signal mask, as the kernel counts them.
const MASK_BYTES: usize = 8;

/// `SIGILL`, `SIGTRAP`, `SIGBUS`, `SIGFPE`, `SIGSEGV`, `SIGSYS`: what a thread causes itself, as by a call that a seccomp filter
/// traps. A process that has such a signal blocked then is ended by the kernel, so they are never blocked here.
const CAUSED: u64 = set(&[4, 5, 7, 8, 11, 31]);
/// What glibc and musl call their own threads with, as for `setuid`.
const OF_THE_C_LIBRARY: u64 = set(&[32, 33, 34]);

const fn set(mut signals: &[u32]) -> u64 {
    let mut set = 0;
    while let [signal, rest @ ..] = signals {
        set |= 1 << (*signal - 1);
        signals = rest;
    }
    set
}

/// Signals that come to this thread wait until it is dropped, but for those that it causes itself.
#[derive(Debug)]
#[must_use = "signals come again when it is dropped"]
pub(super) struct Blocked {
    before: u64,
}

impl Blocked {
    pub(super) fn new() -> Self {
        Self::of(!CAUSED)
    }

    /// What a thread of ours, which inherits it, has blocked.
    pub(super) fn inherited() -> Self {
        Self::of(!(CAUSED | OF_THE_C_LIBRARY))
    }

    /// These too: what the program has blocked stays so.
    fn of(signals: u64) -> Self {
        let mut before = 0;
        set_mask(SIG_BLOCK, &raw const signals, &raw mut before);
        Self { before }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        set_mask(SIG_SETMASK, &raw const self.before, core::ptr::null_mut());
    }
}

/// From now on every signal comes to this thread.
pub(super) fn take_all() {
    let none = 0;
    set_mask(SIG_SETMASK, &raw const none, core::ptr::null_mut());
}

fn set_mask(how: usize, new: *const u64, old: *mut u64) {
    let args = [how, new.addr(), old.addr(), MASK_BYTES, 0, 0];
    // SAFETY: the kernel reads one mask and writes another, both valid or null.
    unsafe { call6(number::RT_SIGPROCMASK, args) };
}
