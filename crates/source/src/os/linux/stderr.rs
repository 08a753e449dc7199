//! Standard error: which descriptor what is said goes to.
//!
//! ```text
//! 2 when malloc began   2 now                                  goes to
//! closed                –                                      nowhere: it is a file of the program's own by now
//! a file                the same file                          2
//!                       another: for appending, a pipe, a      2: the program has put its log there
//!                       terminal
//!                       another of any other kind, or closed   the second descriptor of that file, else nowhere
//! ```
//!
//! The second descriptor is made only when something is to be said at the process's end: by then `ls` and its like have closed
//! theirs.
use base::sync::{AtomicUsize, Ordering};

use super::descriptor::{EBADF, LOWEST, copy, file_of, is_for_lines, look_at};

const STDERR: usize = 2;
/// No descriptor: to write there is an error, and changes nothing.
const NOWHERE: usize = usize::MAX;

/// What 2 was when malloc began.
static BEGAN: AtomicUsize = AtomicUsize::new(UNKNOWN);
/// The kernel did not say, or nobody has asked.
const UNKNOWN: usize = 0;
const CLOSED: usize = 1;
const OPEN: usize = 2;

/// The second descriptor; 0: there is none.
static SECOND: AtomicUsize = AtomicUsize::new(0);
/// Inode and device of the file that 2 was.
static FILE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Notes what 2 is, the first time.
pub fn begin() {
    if BEGAN.load(Ordering::Relaxed) != UNKNOWN {
        return;
    }
    match look_at(STDERR) {
        Ok(open) => {
            FILE[0].store(open.file[0], Ordering::Relaxed);
            FILE[1].store(open.file[1], Ordering::Relaxed);
            BEGAN.store(OPEN, Ordering::Release);
        }
        Err(EBADF) => BEGAN.store(CLOSED, Ordering::Relaxed),
        Err(_) => (),
    }
}

/// Makes the second descriptor, once. Without one, nothing is lost that was not before.
pub fn keep() {
    if SECOND.load(Ordering::Relaxed) == 0
        && is_first_file(STDERR)
        && let Some(second) = copy(STDERR, LOWEST)
    {
        SECOND.store(second, Ordering::Relaxed);
    }
}

fn is_first_file(descriptor: usize) -> bool {
    let first = [FILE[0].load(Ordering::Relaxed), FILE[1].load(Ordering::Relaxed)];
    file_of(descriptor) == Some(first)
}

/// Where to write.
pub fn descriptor() -> usize {
    match BEGAN.load(Ordering::Acquire) {
        UNKNOWN => return STDERR,
        CLOSED => return NOWHERE,
        _ => (),
    }
    if is_first_file(STDERR) || look_at(STDERR).is_ok_and(|open| is_for_lines(STDERR, open)) {
        return STDERR;
    }
    let second = SECOND.load(Ordering::Relaxed);
    if second != 0 && is_first_file(second) { second } else { NOWHERE }
}
