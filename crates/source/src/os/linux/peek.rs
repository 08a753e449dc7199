//! Reading memory that may be gone: the kernel copies it, and says so where there is none.
//!
//! Layer *source*. One system call a copy, `process_vm_readv` on the process itself; where one thread is alone, one `futex` a
//! page.

use super::futex::FUTEX_WAIT_PRIVATE;
use super::process::{page_size, process_id, thread_id};
use super::syscall::{call6, number, result};

/// What became of a look at memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peek {
    /// It was copied whole.
    Copied,
    /// Not all of it is mapped any more.
    Gone,
    /// The system does not let us look (a seccomp filter, an old kernel).
    Refused,
}

const EINTR: i32 = 4;
const EAGAIN: i32 = 11;
const EFAULT: i32 = 14;
const ETIMEDOUT: i32 = 110;
const ESRCH: i32 = 3;

/// Copies the words at `from` to `to`. The words may be another thread's, which writes to them
/// meanwhile; each is read whole.
pub fn peek(from: usize, to: &mut [usize]) -> Peek {
    // By the calling thread: the process's first may have ended, and has no memory then.
    match copy(thread_id(), from, to) {
        Ok(copied) if copied == size_of_val(to) => Peek::Copied,
        Ok(_) | Err(EFAULT) => Peek::Gone,
        Err(_) => Peek::Refused,
    }
}

/// As [`peek`], by the only thread of a process. What it finds there stays, so it reads it itself; the system is asked only
/// whether it can, by a call that every filter of system calls allows.
pub fn peek_alone(from: usize, to: &mut [usize]) -> Peek {
    let page = page_size();
    let pages = (from & !(page - 1)..from + size_of_val(to)).step_by(page);
    let missing = pages.map(|at| readable(at.max(from))).find(|&answer| answer != Peek::Copied);
    if let Some(answer) = missing {
        return answer;
    }
    for (index, word) in to.iter_mut().enumerate() {
        let at = core::ptr::with_exposed_provenance::<usize>(from + index * size_of::<usize>());
        // SAFETY: it was found readable, and there is no other thread that could unmap it.
        *word = unsafe { at.read_volatile() };
    }
    Peek::Copied
}

/// Whether the half word at `at` can be read: the kernel compares it before it would wait, and it waits for no time.
fn readable(at: usize) -> Peek {
    let no_time = [0u64; 2];
    let args = [at, FUTEX_WAIT_PRIVATE, 0, no_time.as_ptr().addr(), 0, 0];
    // SAFETY: the kernel reads the time, and checks the other address itself.
    match result(unsafe { call6(number::FUTEX, args) }) {
        Ok(_) | Err(EAGAIN | ETIMEDOUT | EINTR) => Peek::Copied,
        Err(EFAULT) => Peek::Gone,
        Err(_) => Peek::Refused,
    }
}

/// Whether the process's first thread has ended while others live: it has no memory then.
pub(super) fn first_thread_has_ended() -> bool {
    let here = [0];
    copy(process_id(), here.as_ptr().expose_provenance(), &mut [0]) == Err(ESRCH)
}

/// Bytes that the kernel copied out of the memory of a thread, which is all threads'.
fn copy(thread: usize, from: usize, to: &mut [usize]) -> Result<usize, i32> {
    let bytes = size_of_val(to);
    let local = [to.as_mut_ptr().expose_provenance(), bytes];
    let remote = [from, bytes];
    let args = [thread, local.as_ptr().addr(), 1, remote.as_ptr().addr(), 1, 0];
    // SAFETY: the kernel writes `bytes` bytes into `to`, and checks the other address itself.
    result(unsafe { call6(number::PROCESS_VM_READV, args) })
}

#[cfg(test)]
mod tests;
