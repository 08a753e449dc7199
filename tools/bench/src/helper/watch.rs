//! The helper's wait: until the program ends, with looks at the memory of everything below the helper in between.
//!
//! The program's processes that lost their parent are the helper's children too (it is their subreaper). They are
//! collected on the way, and ended when the program has: the next run shall have the machine to itself.

use core::ffi::{c_int, c_long};
use core::mem;
use core::time::Duration;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::process;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::now;
use crate::tree;

/// The most samples that are kept; one more, and every second one is dropped.
const MOST: usize = 4000;

/// Looking takes at most one part in 20 of the time.
const SHARE: u64 = 20;

/// How the program ended.
pub(super) struct Ended {
    /// When.
    pub(super) clock: u64,
    pub(super) status: c_int,
    /// Its own, and that of the children it waited for.
    pub(super) usage: libc::rusage,
    pub(super) memory: Option<Memory>,
}

/// What the looks have seen.
pub(super) struct Memory {
    /// Bytes; of every look, dropped or not.
    pub(super) peak: u64,
    /// Nanoseconds since exec, and bytes.
    pub(super) samples: Vec<(u64, u64)>,
    /// Nanoseconds between two of them.
    interval: u64,
}

impl Memory {
    fn new(interval: Duration) -> Self {
        let interval = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        Self { peak: 0, samples: Vec::with_capacity(MOST), interval }
    }

    /// Keeps one look.
    fn add(&mut self, ns: u64, bytes: u64) {
        self.peak = self.peak.max(bytes);
        self.samples.push((ns, bytes));
        if self.samples.len() >= MOST {
            let mut nth = 0_usize;
            // The latest one stays.
            self.samples.retain(|_| {
                nth += 1;
                nth.is_multiple_of(2)
            });
            self.interval = self.interval.saturating_mul(2);
        }
    }
}

/// Waits for `program`, which was started at `clock`. `None`: it cannot be waited for.
pub(super) fn until_the_end(program: i32, clock: u64, sample: Option<Duration>) -> Option<Ended> {
    let Some(interval) = sample else {
        return match collect(program, 0) {
            Collected::Ended(ended) => Some(ended),
            Collected::NotYet | Collected::Nothing => None,
        };
    };
    let mut memory = Memory::new(interval);
    let watched = watched(program);
    let page = page_size();
    let mut due = 0;
    loop {
        let begin = now();
        if begin >= due {
            // Nothing resident: it has ended, or is about to start another program.
            if let Some(bytes) = tree::resident(own_number(), page).filter(|&b| b > 0) {
                memory.add(begin.saturating_sub(clock), bytes);
            }
            due = begin + memory.interval.max((now() - begin) * SHARE);
        }
        wait(watched.as_ref(), due.saturating_sub(now()));
        match collect(program, libc::WNOHANG) {
            Collected::Ended(ended) => return Some(Ended { memory: Some(memory), ..ended }),
            Collected::NotYet => {}
            Collected::Nothing => return None,
        }
    }
}

/// Ends every process that is left below the helper. Nearly always there is none, which costs one system call.
pub(super) fn end_what_is_left() {
    for _ in 0..200 {
        match collect(0, libc::WNOHANG) {
            Collected::Nothing => return,
            Collected::Ended(_) | Collected::NotYet => {}
        }
        for process in tree::descendants(own_number()) {
            // SAFETY: sending a signal touches no memory; the process is one that the run started.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
        thread::sleep(Duration::from_millis(1));
    }
}

enum Collected {
    Ended(Ended),
    /// There are children, and this one is still one of them.
    NotYet,
    /// There is no child.
    Nothing,
}

/// Collects whoever has ended; `options` is 0 to wait for `program`, or `WNOHANG`.
fn collect(program: i32, options: c_int) -> Collected {
    loop {
        let mut status: c_int = 0;
        // SAFETY: all-zero bytes are a valid `rusage`.
        let mut usage: libc::rusage = unsafe { mem::zeroed() };
        // SAFETY: both out-pointers are to live locals of the right type.
        let who = unsafe { libc::wait4(-1, &raw mut status, options, &raw mut usage) };
        let clock = now();
        match who {
            0 => return Collected::NotYet,
            _ if who == program => {
                return Collected::Ended(Ended { clock, status, usage, memory: None });
            }
            1.. => {}
            _ if super::errno() == libc::EINTR => {}
            _ => return Collected::Nothing,
        }
    }
}

/// A descriptor that becomes readable when `program` ends, on kernels since 5.3.
fn watched(program: i32) -> Option<OwnedFd> {
    // SAFETY: the call takes two numbers and touches no memory.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, c_long::from(program), 0_i64) };
    let fd = c_int::try_from(fd).ok().filter(|&fd| fd >= 0)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sleeps `nanoseconds`, or until the program ends if that can be watched.
fn wait(watched: Option<&OwnedFd>, nanoseconds: u64) {
    let time = Duration::from_nanos(nanoseconds);
    let Some(fd) = watched else { return thread::sleep(time) };
    let timeout = Timespec::try_from(time).ok();
    // Whatever comes of it, the caller looks.
    let _ = poll(&mut [PollFd::new(fd, PollFlags::IN)], timeout.as_ref());
}

fn own_number() -> i32 {
    i32::try_from(process::id()).unwrap_or(0)
}

fn page_size() -> u64 {
    // SAFETY: it takes a number and returns one.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_its_peak_its_latest_sample_and_a_bounded_number() {
        let mut memory = Memory::new(Duration::from_millis(5));
        for ns in 0..10_000 {
            memory.add(ns, if ns == 1000 { 77 } else { 10 });
            assert!(memory.samples.len() < MOST);
            assert_eq!(memory.samples.last(), Some(&(ns, if ns == 1000 { 77 } else { 10 })));
        }
        assert_eq!(memory.peak, 77);
        assert!(memory.interval > 5_000_000 && memory.samples.is_sorted());
    }
}
