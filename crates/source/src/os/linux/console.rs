//! Speaking on standard error without allocating.

use core::fmt::{self, Write};

use super::Os;
use super::stderr;
use super::syscall::{call6, number, result};
use crate::Report;

unsafe extern "C" {
    fn abort() -> !;
}

/// Writes to a file descriptor, gathering up to 512 bytes per system call.
#[derive(Debug)]
pub struct Console {
    fd: usize,
    buffer: [u8; 512],
    len: usize,
    is_whole: bool,
}

impl Console {
    /// Writes to file descriptor `fd`.
    pub const fn new(fd: usize) -> Self {
        Self { fd, buffer: [0; 512], len: 0, is_whole: true }
    }

    /// Writes to standard error.
    pub fn stderr() -> Self {
        Self::new(stderr::descriptor())
    }

    /// Writes what is gathered. `false`: something that was written so far did not arrive.
    pub fn flush(&mut self) -> bool {
        let mut done = 0;
        while done < self.len {
            let rest = &self.buffer[done..self.len];
            let args = [self.fd, rest.as_ptr().addr(), rest.len(), 0, 0, 0];
            // SAFETY: the kernel reads `rest`.
            match result(unsafe { call6(number::WRITE, args) }) {
                Ok(written) if written > 0 => done += written,
                _ => {
                    self.is_whole = false;
                    break;
                }
            }
        }
        self.len = 0;
        self.is_whole
    }
}

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if self.len == self.buffer.len() {
                self.flush();
            }
            self.buffer[self.len] = byte;
            self.len += 1;
        }
        Ok(())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Report for Os {
    fn print(message: fmt::Arguments<'_>) {
        // A console never fails to take text, and there is nobody to report to.
        let _ = Console::stderr().write_fmt(message);
    }

    #[cold]
    fn fatal(message: fmt::Arguments<'_>) -> ! {
        Self::print(format_args!("heapwright: {message}\n"));
        // SAFETY: ends the process; takes no lock of ours.
        unsafe { abort() }
    }
}
