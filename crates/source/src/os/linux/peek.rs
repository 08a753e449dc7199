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

/// Copies the words at `from` to `to`. The words may be another thread's, which writes to them
/// meanwhile; each is read whole.
pub fn peek(from: usize, to: &mut [usize]) -> Peek {
    let bytes = size_of_val(to);
    let local = [to.as_mut_ptr().expose_provenance(), bytes];
    let remote = [from, bytes];
    let args = [process_id(), local.as_ptr().addr(), 1, remote.as_ptr().addr(), 1, 0];
    // SAFETY: the kernel writes `bytes` bytes into `to`, and checks the other address itself.
    match result(unsafe { call6(number::PROCESS_VM_READV, args) }) {
        Ok(copied) if copied == bytes => Peek::Copied,
        Ok(_) | Err(EFAULT) => Peek::Gone,
        Err(_) => Peek::Refused,
    }
}

#[cfg(test)]
mod tests;
