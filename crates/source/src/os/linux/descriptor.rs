//! Descriptors that a library keeps in a program that may close any: high numbers, and which file one is of.
use super::process::close;
use super::syscall::{STAT_MODE, call6, number, result};

const F_GETFL: usize = 3;
const F_DUPFD_CLOEXEC: usize = 1030;
const O_APPEND: usize = 0o2000;
/// Above what programs and shells (255 at most) give numbers to by hand.
pub(super) const LOWEST: usize = 300;
/// Standard input, output and error.
pub(super) const STREAMS: usize = 3;
pub(super) const EBADF: i32 = 9;

const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const PIPE: u32 = 0o010_000;
const TERMINAL: u32 = 0o020_000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) file: [usize; 2],
    /// Its kind and permissions.
    mode: u32,
}

/// A second descriptor of the same file, `lowest` or above, that `exec` closes. `None`: the limit of descriptors is lower,
/// or all are taken.
pub(super) fn copy(descriptor: usize, lowest: usize) -> Option<usize> {
    control(descriptor, F_DUPFD_CLOEXEC, lowest)
}

/// The same file by a high number in place of the one it has: 300 or above where the limit allows, never that of a standard stream.
/// `None`: there is none, and it is closed.
pub(super) fn move_up(low: usize) -> Option<usize> {
    let Some(high) = copy(low, LOWEST).or_else(|| copy(low, STREAMS)) else {
        if low >= STREAMS {
            return Some(low);
        }
        close(low);
        return None;
    };
    close(low);
    Some(high)
}

fn control(descriptor: usize, command: usize, argument: usize) -> Option<usize> {
    // SAFETY: makes a descriptor or asks for flags, and touches no memory.
    result(unsafe { call6(number::FCNTL, [descriptor, command, argument, 0, 0, 0]) }).ok()
}

/// What a descriptor is of: `fstat(2)`, which filters of system calls allow that know no `statx`.
pub(super) fn look_at(descriptor: usize) -> Result<Open, i32> {
    // `struct stat` has 144 bytes at most; it begins with device and inode.
    let mut about = [0u32; 36];
    let at = about.as_mut_ptr().expose_provenance();
    // SAFETY: the kernel writes `about`.
    result(unsafe { call6(number::FSTAT, [descriptor, at, 0, 0, 0, 0]) })?;
    let both = |word: usize| about[word] as usize | (about[word + 1] as usize) << 32;
    Ok(Open { file: [both(2), both(0)], mode: about[STAT_MODE] })
}

/// Inode and device of an open file. `None`: it is closed, or the kernel does not say.
pub(super) fn file_of(descriptor: usize) -> Option<[usize; 2]> {
    look_at(descriptor).ok().map(|open| open.file)
}

/// Whether lines may be written to a file, because others are not written over by them nor a protocol broken: a pipe, a
/// terminal, or a regular file opened for appending.
pub(super) fn is_for_lines(descriptor: usize, open: Open) -> bool {
    match open.mode & KIND {
        PIPE | TERMINAL => true,
        REGULAR => control(descriptor, F_GETFL, 0).is_some_and(|flags| flags & O_APPEND != 0),
        _ => false,
    }
}
