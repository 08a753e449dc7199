//! Reading memory that may be gone: the kernel copies it, and says so where there is none.
//!
//! Layer *source*. One system call a copy, `process_vm_readv` on the process itself.

use super::process::process_id;
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

const EFAULT: i32 = 14;
const ESRCH: i32 = 3;

/// Copies the words at `from` to `to`. The words may be another thread's, which writes to them
/// meanwhile; each is read whole.
pub fn peek(from: usize, to: &mut [usize]) -> Peek {
    match copy(from, to) {
        Ok(copied) if copied == size_of_val(to) => Peek::Copied,
        Ok(_) | Err(EFAULT) => Peek::Gone,
        Err(_) => Peek::Refused,
    }
}

/// Whether the process's first thread has ended while others live: it has no memory then.
pub(super) fn first_thread_has_ended() -> bool {
    let here = [0];
    copy(here.as_ptr().expose_provenance(), &mut [0]) == Err(ESRCH)
}

/// Bytes that the kernel copied out of the memory of the process's first thread, which is all threads'.
fn copy(from: usize, to: &mut [usize]) -> Result<usize, i32> {
    let bytes = size_of_val(to);
    let local = [to.as_mut_ptr().expose_provenance(), bytes];
    let remote = [from, bytes];
    let args = [process_id(), local.as_ptr().addr(), 1, remote.as_ptr().addr(), 1, 0];
    // SAFETY: the kernel writes `bytes` bytes into `to`, and checks the other address itself.
    result(unsafe { call6(number::PROCESS_VM_READV, args) })
}

#[cfg(test)]
mod tests;
