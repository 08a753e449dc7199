//! Descriptors that a library keeps in a program that may close any: high numbers, and which file one is of.
use super::process::statx;
use super::syscall::{call6, number, result};

const F_DUPFD_CLOEXEC: usize = 1030;
/// Above what programs and shells (255 at most) give numbers to by hand.
pub(super) const LOWEST: usize = 300;
const INO: usize = 0x100;
const AT_EMPTY_PATH: usize = 0x1000;

/// A second descriptor of the same file, `lowest` or above, that `exec` closes. `None`: the limit of descriptors is lower,
/// or all are taken.
pub(super) fn copy(descriptor: usize, lowest: usize) -> Option<usize> {
    let args = [descriptor, F_DUPFD_CLOEXEC, lowest, 0, 0, 0];
    // SAFETY: makes a descriptor, and touches no memory.
    result(unsafe { call6(number::FCNTL, args) }).ok()
}

/// Inode and device of an open file. `None`: it is closed, or the kernel does not say.
pub(super) fn file_of(descriptor: usize) -> Option<[usize; 2]> {
    let about = statx(descriptor, c"", AT_EMPTY_PATH, INO)?;
    let both = |low: u32, high: u32| low as usize | (high as usize) << 32;
    Some([both(about[8], about[9]), both(about[35], about[34])])
}
