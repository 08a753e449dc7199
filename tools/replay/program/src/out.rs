//! Text, written from the stack.

use core::fmt::{self, Write};

/// A file that is written in pieces.
pub(crate) struct Out {
    file: i32,
    bytes: [u8; 4096],
    len: usize,
}

impl Out {
    pub(crate) const fn new(file: i32) -> Self {
        Self { file, bytes: [0; 4096], len: 0 }
    }

    /// Writes what is left. What cannot be written has nobody to be told to.
    pub(crate) fn flush(&mut self) {
        let mut rest = &self.bytes[..self.len];
        while !rest.is_empty() {
            // SAFETY: the bytes are readable.
            let written = unsafe { libc::write(self.file, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(n) => rest = &rest[n..],
                Err(_) => break,
            }
        }
        self.len = 0;
    }
}

impl Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.len == self.bytes.len() {
                self.flush();
            }
            self.bytes[self.len] = byte;
            self.len += 1;
        }
        Ok(())
    }
}

/// Says what is wrong, and ends the process.
pub(crate) fn fail(code: i32, what: fmt::Arguments<'_>) -> ! {
    let mut out = Out::new(2);
    let _ = writeln!(out, "{what}");
    out.flush();
    end(code)
}

/// Ends the process, with all its threads.
pub(crate) fn end(code: i32) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// What the system said last.
pub(crate) fn errno() -> i32 {
    // SAFETY: it takes nothing.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the place is the calling thread's, and always there.
    unsafe { *place }
}
