//! Warming the machine's memory before a run.
//!
//! A virtual machine may give free memory back to its host; the first touch of such a page then costs several times
//! a usual one, and a huge page 2 MiB of it at once. Whichever run comes next would pay for what the one before gave
//! back, and allocators that use huge pages most. So before each run a process of our own touches about as much
//! memory as a run needs and ends, which leaves warm pages to whoever comes next. It is not part of the run's time.

use core::ptr;
use std::ffi::OsString;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

/// The hidden subcommand under which the command calls [`main`].
pub const SUBCOMMAND: &str = "__warm";

/// Less than this is not worth a process.
const LEAST: u64 = 32 << 20;

/// How much to touch before a run, given the largest peak seen so far and what the machine has free: a quarter more
/// than the peak, at most half of what is free. `None`: too little to matter.
pub fn amount(peak: u64, available: u64) -> Option<u64> {
    let wanted = (peak + peak / 4).min(available / 2);
    (wanted >= LEAST).then_some(wanted)
}

/// Plays the process that touches memory: `args` is what follows [`SUBCOMMAND`]. Failing to is no error of the run.
pub fn main(args: &[OsString]) {
    let bytes = args.first().and_then(|arg| arg.to_str()?.parse::<usize>().ok()).unwrap_or(0);
    let read_write = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new private mapping touches nothing that is there.
    let made = unsafe { mmap_anonymous(ptr::null_mut(), bytes, read_write, MapFlags::PRIVATE) };
    let Ok(start) = made else { return };
    // SAFETY: the mapping made above.
    let _ = unsafe { madvise(start, bytes, Advice::LinuxHugepage) };
    for at in (0..bytes).step_by(4096) {
        // SAFETY: `at` is inside the mapping.
        let page = unsafe { start.cast::<u8>().add(at) };
        // SAFETY: as above, and writable.
        unsafe { page.write_volatile(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_more_but_not_all_there_is() {
        assert_eq!(amount(1 << 20, 1 << 34), None);
        assert_eq!(amount(400 << 20, 1 << 34), Some(500 << 20));
        assert_eq!(amount(400 << 20, 600 << 20), Some(300 << 20));
        assert_eq!(amount(400 << 20, 0), None);
    }
}
