//! A file that is whole at any time, however the process ends: written beside its place, then moved there.
//!
//! ```text
//! /path/123.123.tmp   { "process": 12        ── rename ─►  /path/123   { "process": 123, … }
//! ```
//!
//! What is written beside it has the process's number in any case: several may have one path.
//!
//! - **record-R1** only a regular file, or nothing, is ever replaced: not /dev/null, not a link.
//!
//! Six system calls and one for each half KiB, and nothing is kept open: a program may close any descriptor.
use core::ffi::CStr;
use core::fmt::{self, Write};

use base::sync::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use super::console::Console;
use super::descriptor::{STREAMS, move_up};
use super::process::{AT_FDCWD, close, file_may_have, open_as, process_id, statx};
use super::syscall::{call6, number, result};

const O_WRONLY_NEW_CLOEXEC: usize = 0x8_0000 | 0o301;
const AT_SYMLINK_NOFOLLOW: usize = 0x100;
const TYPE: usize = 1;
const S_IFMT: u32 = 0o17_0000;
const S_IFREG: u32 = 0o10_0000;
const EINVAL: i32 = 22;
const EMFILE: i32 = 24;
const EFBIG: i32 = 27;
const ENOSPC: i32 = 28;

/// No file has more bytes.
const LARGEST: usize = 64 << 10;

/// Bytes of the longest path that can be given, and of what it can become.
const GIVEN: usize = 256;
const LONGEST: usize = 2 * GIVEN;

/// What stands for the process's number in a path.
const NUMBER: &str = "%p";

/// The path, which is a copy: programs write their titles over their environment.
static PATH: [AtomicU8; GIVEN] = [const { AtomicU8::new(0) }; GIVEN];
static LEN: AtomicUsize = AtomicUsize::new(0);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Names the file from now on. `false`: the path is not absolute, or too long.
pub fn name(path: &str) -> bool {
    if !path.starts_with('/') || path.len() > GIVEN {
        return false;
    }
    for (cell, byte) in PATH.iter().zip(path.bytes()) {
        cell.store(byte, Ordering::Relaxed);
    }
    LEN.store(path.len(), Ordering::Release);
    true
}

/// Whether the file is named, and may be written.
pub fn is_asked() -> bool {
    LEN.load(Ordering::Acquire) != 0 && !STOPPED.load(Ordering::Relaxed)
}

/// No file is written from now on: a filter of system calls comes, which may end the process for it.
pub fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Replaces the file by what `write` writes; `%p` in its path is this process's number.
/// Errors: the kernel's error number; the file is then as it was.
pub fn replace(write: impl FnOnce(&mut Console)) -> Result<(), i32> {
    let mut given = [0; GIVEN];
    let len = LEN.load(Ordering::Acquire);
    for (byte, cell) in given.iter_mut().zip(&PATH) {
        *byte = cell.load(Ordering::Relaxed);
    }
    let (mut path, mut beside) = ([0; LONGEST], [0; LONGEST]);
    let given = str::from_utf8(&given[..len]).map_err(|_| EINVAL)?;
    let path = expanded(given, "", &mut path).ok_or(EINVAL)?;
    let beside = expanded(given, ".%p.tmp", &mut beside).ok_or(EINVAL)?;
    if statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, TYPE).is_some_and(|f| f[7] & S_IFMT != S_IFREG) {
        return Err(EINVAL);
    }
    if !file_may_have(LARGEST) {
        return Err(EFBIG);
    }
    // What a process of this number left behind that was ended while it wrote.
    remove(beside);
    let mut fd = open_as(beside, O_WRONLY_NEW_CLOEXEC, 0o644)?;
    if fd < STREAMS {
        // What another thread prints meanwhile must not get into it.
        fd = move_up(fd).ok_or(EMFILE)?;
    }
    let mut out = Console::new(fd);
    write(&mut out);
    let is_whole = out.flush();
    close(fd);
    if !is_whole {
        remove(beside);
        return Err(ENOSPC);
    }
    let args = [AT_FDCWD, beside.as_ptr().addr(), AT_FDCWD, path.as_ptr().addr(), 0, 0];
    // SAFETY: the kernel reads two paths, which end in a zero.
    result(unsafe { call6(number::RENAMEAT, args) }).map(|_| ())
}

fn remove(path: &CStr) {
    // SAFETY: the kernel reads the path, which ends in a zero.
    unsafe { call6(number::UNLINKAT, [AT_FDCWD, path.as_ptr().addr(), 0, 0, 0, 0]) };
}

/// `given` and `end` behind it with the process's number in them, as a C string in `buffer`; `None`: they are too long.
fn expanded<'a>(given: &str, end: &str, buffer: &'a mut [u8; LONGEST]) -> Option<&'a CStr> {
    buffer.fill(0);
    // The last byte stays zero.
    let mut path = Text { rest: &mut buffer[..LONGEST - 1] };
    for text in [given, end] {
        let mut parts = text.split(NUMBER);
        path.write_str(parts.next()?).ok()?;
        for part in parts {
            write!(path, "{}{part}", process_id()).ok()?;
        }
    }
    CStr::from_bytes_until_nul(buffer).ok()
}

/// Text that is written to bytes, as long as there are some.
struct Text<'a> {
    rest: &'a mut [u8],
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let rest = core::mem::take(&mut self.rest);
        let (now, later) = rest.split_at_mut_checked(text.len()).ok_or(fmt::Error)?;
        now.copy_from_slice(text.as_bytes());
        self.rest = later;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
