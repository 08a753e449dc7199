//! Keeping signal handlers of the program away for a moment.

use super::syscall::{call6, number};

const SIG_SETMASK: usize = 2;
/// Bytes of a signal mask, as the kernel counts them.
const MASK_BYTES: usize = 8;

/// Signals that come to this thread wait until it is dropped.
#[derive(Debug)]
#[must_use = "signals come again when it is dropped"]
pub(super) struct Blocked {
    before: u64,
}

impl Blocked {
    pub(super) fn new() -> Self {
        let (all, mut before) = (u64::MAX, 0u64);
        set_mask(&raw const all, &raw mut before);
        Self { before }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        set_mask(&raw const self.before, core::ptr::null_mut());
    }
}

fn set_mask(new: *const u64, old: *mut u64) {
    let args = [SIG_SETMASK, new.addr(), old.addr(), MASK_BYTES, 0, 0];
    // SAFETY: the kernel reads one mask and writes another, both valid or null.
    unsafe { call6(number::RT_SIGPROCMASK, args) };
}
