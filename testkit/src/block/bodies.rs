//! The seven test bodies that the component OS's allocators are compared by, written anew.
//!
//! | body | what it does | through |
//! |---|---|---|
//! | `basic` | long vectors, vectors of vectors, a map | Rust's collections |
//! | `align` | sizes 2^0 to 2^16 at alignments 1 to 128 | `alloc` and `dealloc` |
//! | `mi` | every function of C's allocator, then 2 MiB a thousand times | C's functions |
//! | `malloc_large` | ten buffers of 2 to 5 MiB, one replaced at a time | C's functions |
//! | `glibc_bench` | 16, 32, 64 bytes; 25 to 1,600 live; first or last in, first out | C's functions |
//! | `multi_thread` | ten threads that free each other's vectors | Rust's collections |
//! | `multi_thread_c` | the same with blocks | C's functions |
//!
//! Rust's collections take the global allocator: [`Switch`](super::Switch) makes that the one
//! under test. Each body verifies what it wrote.
use base::Malloc;

use super::switch;

mod align;
mod basic;
mod glibc_bench;
mod large;
mod mi;
mod threads;

/// How much of a body's full size is run: one part in `0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(
    /// 1 for the full size.
    pub usize,
);

impl Part {
    /// That part of `full`, at least one.
    #[must_use]
    pub fn of(self, full: usize) -> usize {
        (full / self.0).max(1)
    }
}

type Run = fn(&dyn Malloc, Part) -> Result<(), String>;

/// A test body.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// Its name.
    pub name: &'static str,
    run: Run,
}

/// All seven, in the order of the text.
pub const BODIES: [Body; 7] = [
    Body { name: "basic", run: |_, part| basic::run(part) },
    Body { name: "align", run: |_, part| align::run(part) },
    Body { name: "multi_thread", run: |_, part| threads::rust(part) },
    Body { name: "mi", run: mi::run },
    Body { name: "glibc_bench", run: glibc_bench::run },
    Body { name: "malloc_large", run: large::run },
    Body { name: "multi_thread_c", run: threads::c },
];

/// Bytes of memory that every body fits in, at its full size, in every design.
pub const MEMORY: usize = 512 << 20;

impl Body {
    /// Runs it: C's functions on `malloc`, Rust's collections on what [`switch::with`] made
    /// current.
    ///
    /// # Errors
    ///
    /// What the body found wrong.
    pub fn run(&self, malloc: &dyn Malloc, part: Part) -> Result<(), String> {
        switch::inside(|| (self.run)(malloc, part))
    }
}

/// The block, or that it was refused.
fn not_null(block: *mut u8, size: usize) -> Result<*mut u8, String> {
    if block.is_null() { Err(format!("{size} bytes were refused")) } else { Ok(block) }
}

/// Marks the first and the last byte.
fn mark(block: *mut u8, size: usize, byte: u8) {
    for at in [0, size - 1] {
        // SAFETY: within a live block of `size` bytes.
        unsafe { block.wrapping_add(at).write(byte) };
    }
}

/// Whether both marks are there.
fn marked(block: *mut u8, size: usize, byte: u8) -> Result<(), String> {
    for at in [0, size - 1] {
        // SAFETY: within a live block of `size` bytes, and marked.
        let found = unsafe { block.wrapping_add(at).read() };
        if found != byte {
            return Err(format!("byte {at} of {size} is {found:#04x}, {byte:#04x} was written"));
        }
    }
    Ok(())
}
