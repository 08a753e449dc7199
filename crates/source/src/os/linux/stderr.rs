//! Standard error, and a second descriptor of it for what is said at the process's end: by then `ls` and its like have
//! closed theirs. Made only when something is to be said at the end.

use base::sync::{AtomicUsize, Ordering};

use super::process::statx;
use super::syscall::{call6, number, result};

const STDERR: usize = 2;
const F_DUPFD_CLOEXEC: usize = 1030;
/// Above what programs and shells (255 at most) give numbers to by hand.
const LOWEST: usize = 300;
const INO: usize = 0x100;
const AT_EMPTY_PATH: usize = 0x1000;

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
    let args = [STDERR, F_DUPFD_CLOEXEC, LOWEST, 0, 0, 0];
    // SAFETY: makes a descriptor, and touches no memory.
    let Ok(second) = result(unsafe { call6(number::FCNTL, args) }) else { return };
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

/// Inode and device of an open file. `None`: it is closed, or the kernel does not say.
fn file_of(descriptor: usize) -> Option<[usize; 2]> {
    let about = statx(descriptor, c"", AT_EMPTY_PATH, INO)?;
    let both = |low: u32, high: u32| low as usize | (high as usize) << 32;
    Some([both(about[8], about[9]), both(about[35], about[34])])
}
