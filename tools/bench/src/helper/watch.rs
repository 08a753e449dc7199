//! The helper's wait: until the program ends, with looks at everything below the helper in between.
//!
//! In a pass for memory a look is at memory too, and comes every few milliseconds; else only at what [`Seen`] keeps, every tenth
//! of a second, so that what is measured does not notice.
//!
//! The program's processes that lost their parent are the helper's children too (it is their subreaper). They are
//! collected on the way, and ended when the program has: the next run shall have the machine to itself.

use core::ffi::c_int;
use core::time::Duration;
use std::os::fd::OwnedFd;
use std::process;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use launch::follow::Seen;
use launch::{tree, watched};

use super::now;
use crate::measured::Sample;

/// The most samples that are kept; one more, and every second one is dropped.
const MOST: usize = 4000;

/// Looking at memory takes at most one part in 20 of the time.
const SHARE: u64 = 20;

/// The time between two looks where memory is not looked at, and the part of it that they take at most.
const BETWEEN: u64 = 100_000_000;
const SHARE_UNSEEN: u64 = 500;

pub(super) struct Ended {
    pub(super) clock: u64,
    pub(super) status: c_int,
    pub(super) seen: Seen,
    pub(super) memory: Option<Memory>,
}

pub(super) struct Memory {
    /// Bytes; of every look, dropped or not.
    pub(super) peak: u64,
    /// The same of what is anonymous, in the process that had most.
    pub(super) anonymous: u64,
    pub(super) samples: Vec<Sample>,
    /// Nanoseconds between two of them.
    interval: u64,
}

impl Memory {
    fn new(interval: Duration) -> Self {
        let interval = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        Self { peak: 0, anonymous: 0, samples: Vec::with_capacity(MOST), interval }
    }

    fn add(&mut self, ns: u64, bytes: u64) {
        self.peak = self.peak.max(bytes);
        self.samples.push(Sample { ns, rss_bytes: bytes });
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
pub(super) fn until_the_end(
    program: i32,
    clock: u64,
    sample: Option<Duration>,
    mut seen: Seen,
) -> Option<Ended> {
    let mut memory = sample.map(Memory::new);
    let watched = watched(program);
    if watched.is_none() && memory.is_none() {
        // Only asking again and again would tell when it ends, and so would be a part of its time.
        return match collect(program, 0) {
            Collected::Ended(status) => Some(Ended { clock: now(), status, seen, memory }),
            Collected::NotYet | Collected::Nothing => None,
        };
    }
    let page = rustix::param::page_size() as u64;
    let mut due = if memory.is_some() { 0 } else { clock + BETWEEN };
    loop {
        let begin = now();
        if begin >= due {
            seen.look(own_number());
            let (interval, share) = match &mut memory {
                Some(memory) => {
                    // Nothing resident: it has ended, or is about to start another program.
                    if let Some(bytes) = tree::resident(own_number(), page).filter(|&b| b > 0) {
                        memory.add(begin.saturating_sub(clock), bytes);
                    }
                    let anonymous = tree::anonymous(own_number()).unwrap_or(0);
                    memory.anonymous = memory.anonymous.max(anonymous);
                    (memory.interval, SHARE)
                }
                None => (BETWEEN, SHARE_UNSEEN),
            };
            due = begin + interval.max((now() - begin) * share);
        }
        let may_have_ended = wait(watched.as_ref(), due.saturating_sub(now()));
        let clock = now();
        if may_have_ended {
            seen.look_at(program);
        }
        match collect(program, libc::WNOHANG) {
            Collected::Ended(status) => return Some(Ended { clock, status, seen, memory }),
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
        tree::signal(&tree::descendants(own_number()), Signal::KILL);
        thread::sleep(Duration::from_millis(1));
    }
}

enum Collected {
    Ended(c_int),
    /// There are children, and this one is still one of them.
    NotYet,
    Nothing,
}

/// Collects whoever has ended; `options` is 0 to wait for `program`, or `WNOHANG`.
fn collect(program: i32, options: c_int) -> Collected {
    loop {
        let mut status: c_int = 0;
        // SAFETY: the out-pointer is to a live local of the right type.
        match unsafe { libc::waitpid(-1, &raw mut status, options) } {
            0 => return Collected::NotYet,
            who if who == program => return Collected::Ended(status),
            1.. => {}
            _ if super::errno() == libc::EINTR => {}
            _ => return Collected::Nothing,
        }
    }
}

/// Sleeps `nanoseconds`, or until the program ends if that can be watched; whether it may have ended.
fn wait(watched: Option<&OwnedFd>, nanoseconds: u64) -> bool {
    let time = Duration::from_nanos(nanoseconds);
    let Some(fd) = watched else {
        thread::sleep(time);
        return true;
    };
    let timeout = Timespec::try_from(time).ok();
    poll(&mut [PollFd::new(fd, PollFlags::IN)], timeout.as_ref()) != Ok(0)
}

fn own_number() -> i32 {
    i32::try_from(process::id()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_its_peak_its_latest_sample_and_a_bounded_number() {
        let mut memory = Memory::new(Duration::from_millis(5));
        for ns in 0..10_000 {
            let rss_bytes = if ns == 1000 { 77 } else { 10 };
            memory.add(ns, rss_bytes);
            assert!(memory.samples.len() < MOST);
            assert_eq!(memory.samples.last(), Some(&Sample { ns, rss_bytes }));
        }
        assert_eq!(memory.peak, 77);
        assert!(memory.interval > 5_000_000 && memory.samples.is_sorted_by_key(|sample| sample.ns));
    }
}
