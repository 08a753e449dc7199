//! Standard error, and a second descriptor of it for what is said at the process's end: by then `ls` and its like have
//! closed theirs. Made only when something is to be said at the end.

use base::sync::{AtomicUsize, Ordering};

use super::descriptor::{LOWEST, copy, file_of};

const STDERR: usize = 2;

/// The second descriptor; 0: there is none.
static SECOND: AtomicUsize = AtomicUsize::new(0);
/// The file's inode, and its device in the upper half: the descriptor may be another file's by then.
static FILE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Makes the second descriptor, once. Without one, nothing is lost that was not before.
pub fn keep() {
    if SECOND.load(Ordering::Relaxed) != 0 {
        return;
    }
    let Some(file) = file_of(STDERR) else { return };
    let Some(second) = copy(STDERR, LOWEST) else { return };
    FILE[0].store(file[0], Ordering::Relaxed);
    FILE[1].store(file[1], Ordering::Relaxed);
    SECOND.store(second, Ordering::Relaxed);
}

/// Where to write: 2, or the second descriptor when 2 is closed.
#[must_use]
pub fn descriptor() -> usize {
    let second = SECOND.load(Ordering::Relaxed);
    if second == 0 || file_of(STDERR).is_some() {
        return STDERR;
    }
    let file = [FILE[0].load(Ordering::Relaxed), FILE[1].load(Ordering::Relaxed)];
    if file_of(second) == Some(file) { second } else { STDERR }
}
