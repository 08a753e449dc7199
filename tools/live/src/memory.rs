//! Another process's memory, read while it runs.
//!
//! `process_vm_readv` copies from one to the other without stopping it. Where a filter of system calls forbids that one,
//! /proc/PID/mem is read, for which the kernel asks the same.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use launch::tree::with_memory;

use crate::Trouble;
use crate::trouble::refused;

/// Stretches that are read by one system call: the kernel's own most.
const MOST: usize = 1024;

pub(crate) type Stretch = (u64, usize);

#[derive(Debug)]
pub(crate) struct Memory {
    /// A thread of the process.
    pub(crate) one: i32,
    /// Where the system call is forbidden.
    file: Option<File>,
}

impl Memory {
    /// Tries `at`, an address that can be read.
    /// Errors: the kernel does not let us, or the process has gone.
    pub(crate) fn open(pid: i32, at: u64) -> Result<Self, Trouble> {
        let one = with_memory(pid).ok_or(Trouble::Gone(pid))?;
        let mut memory = Self { one, file: None };
        let Err(error) = memory.read(at, &mut [0; 4]) else { return Ok(memory) };
        match error.raw_os_error() {
            Some(libc::ESRCH) => return Err(Trouble::Gone(pid)),
            Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => {}
            _ => return Err(Trouble::Unreadable(pid, error.to_string())),
        }
        let open = File::open(format!("/proc/{one}/mem"));
        memory.file = Some(open.map_err(|_| refused(pid))?);
        memory.read(at, &mut [0; 4]).map_err(|_| refused(pid))?;
        Ok(memory)
    }

    /// Reads all of it.
    /// Errors: some of it is not mapped, or the process has gone.
    pub(crate) fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let len = bytes.len();
        self.read_each(&[(at, len)], bytes)
    }

    /// Reads stretches, one behind the other into `bytes`, which they fill.
    /// Errors: as [`read`](Self::read).
    pub(crate) fn read_each(&self, stretches: &[Stretch], bytes: &mut [u8]) -> io::Result<()> {
        let mut rest = bytes;
        for some in stretches.chunks(MOST) {
            let len = some.iter().map(|(_, len)| len).sum();
            let Some((now, later)) = rest.split_at_mut_checked(len) else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            self.read_some(some, now)?;
            rest = later;
        }
        Ok(())
    }

    fn read_some(&self, stretches: &[Stretch], bytes: &mut [u8]) -> io::Result<()> {
        if let Some(file) = &self.file {
            let mut rest = bytes;
            for &(at, len) in stretches {
                let (now, later) = rest.split_at_mut(len);
                file.read_exact_at(now, at)?;
                rest = later;
            }
            return Ok(());
        }
        let remote: Vec<libc::iovec> = stretches
            .iter()
            .map(|&(at, len)| libc::iovec {
                iov_base: core::ptr::without_provenance_mut(at as usize),
                iov_len: len,
            })
            .collect();
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: the kernel writes at most the length of `bytes`, and reads another process's memory.
        let got = unsafe {
            libc::process_vm_readv(
                self.one,
                &raw const local,
                1,
                remote.as_ptr(),
                remote.len() as u64,
                0,
            )
        };
        match usize::try_from(got) {
            Ok(got) if got == bytes.len() => Ok(()),
            // What is behind is not mapped any more.
            Ok(_) => Err(io::Error::from_raw_os_error(libc::EFAULT)),
            Err(_) => Err(io::Error::last_os_error()),
        }
    }

    pub(crate) fn word(&self, at: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

/// Numbers in bytes that were read; 0 beyond their end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn u8(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub(crate) fn u16(self, at: usize) -> u16 {
        self.array(at).map_or(0, u16::from_ne_bytes)
    }

    pub(crate) fn u32(self, at: usize) -> u32 {
        self.array(at).map_or(0, u32::from_ne_bytes)
    }

    pub(crate) fn u64(self, at: usize) -> u64 {
        self.array(at).map_or(0, u64::from_ne_bytes)
    }

    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    /// A text that ends at a zero.
    pub(crate) fn text(self, at: usize, len: usize) -> String {
        let bytes = self.0.get(at..at + len).unwrap_or(&[]);
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_the_same() {
        let text = *b"what is read from outside";
        let (at, pid) = (text.as_ptr().addr() as u64, std::process::id() as i32);
        let fast = Memory::open(pid, at).unwrap();
        let slow = Memory { one: pid, file: File::open("/proc/self/mem").ok() };
        for memory in [&fast, &slow] {
            let mut two = [0; 8];
            memory.read_each(&[(at, 4), (at + 8, 4)], &mut two).unwrap();
            assert_eq!(&two, b"whatread");
            assert!(memory.read(8, &mut two).is_err(), "nothing is mapped there");
            assert!(memory.read_each(&[(at, 40)], &mut two).is_err(), "no room");
        }
        assert_eq!(Memory::open(i32::MAX, at).unwrap_err(), Trouble::Gone(i32::MAX));
    }

    #[test]
    fn numbers_end_with_their_bytes() {
        let bytes = Bytes(&[1, 0, 0, 0, 2, 0, 0, 0, 3]);
        assert_eq!(
            (bytes.u32(0), bytes.u32(4), bytes.u32(8), bytes.u64(1)),
            (1, 2, 0, 0x300_0000_0200_0000)
        );
        assert_eq!((bytes.u8(8), bytes.u8(9), bytes.u32(usize::MAX)), (3, 0, 0));
        assert_eq!((bytes.text(0, 4), bytes.text(9, 9)), ("\u{1}".to_owned(), String::new()));
    }
}
