//! The seven test bodies that the component OS's allocators are compared by: five of the crate `bodies`, and two of threads.
//!
//! | body | what it does | through |
//! |---|---|---|
//! | `basic` | long vectors, vectors of vectors, a map | Rust's collections |
//! | `align` | sizes 2^0 to 2^16 at alignments 1 to 128 | Rust's allocator |
//! | `mi` | each function of C's allocator, then 2 MiB a thousand times | C's functions |
//! | `malloc_large` | ten buffers of 2 to 5 MiB, one replaced at a time | C's functions |
//! | `glibc_bench` | 16, 32, 64 bytes; 25 to 1,600 live; first or last in, first out | C's functions |
//! | `multi_thread` | ten threads that free each other's vectors | Rust's collections |
//! | `multi_thread_c` | the same with blocks | C's functions |
//!
//! Rust's collections take the global allocator: [`Switch`](super::Switch) makes that the one
//! under test. Each body verifies what it wrote.
use core::alloc::Layout;

use base::Malloc;
use bodies::{BODIES as COMMON, Global, Memory, Scale};

use super::switch;

mod functions;
mod threads;

/// How much of a body's full size is run: one part in `0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(
    /// 1 for the full size.
    pub usize,
);

impl Part {
    /// That part of `full`, at least one.
    pub fn of(self, full: usize) -> usize {
        (full / self.0).max(1)
    }
}

type Run = fn(&dyn Malloc, Part) -> Result<(), String>;

#[derive(Debug, Clone, Copy)]
pub struct Body {
    pub name: &'static str,
    run: Run,
}

pub const BODIES: [Body; 7] = [
    Body { name: "basic", run: |_, part| common("basic", &Global, part) },
    Body { name: "align", run: |_, part| common("align", &Global, part) },
    Body { name: "multi_thread", run: |_, part| threads::rust(part) },
    Body { name: "mi", run: mi },
    Body { name: "glibc_bench", run: |malloc, part| common("glibc_bench", &C(malloc), part) },
    Body { name: "malloc_large", run: |malloc, part| common("malloc_large", &C(malloc), part) },
    Body { name: "multi_thread_c", run: threads::c },
];

/// Bytes of memory that every body fits in, at its full size, in every design.
pub const MEMORY: usize = bodies::FULL;

fn common(name: &str, memory: &dyn Memory, part: Part) -> Result<(), String> {
    let found = COMMON.iter().find(|(of, _)| *of == name);
    let (_, run) = found.ok_or_else(|| format!("there is no body {name}"))?;
    run(memory, Scale::part(part.0)).map_err(str::to_owned)
}

fn mi(malloc: &dyn Malloc, part: Part) -> Result<(), String> {
    functions::run(malloc)?;
    common("mi", &C(malloc), part)
}

struct C<'a>(&'a dyn Malloc);

const ALIGN: usize = 16;

// SAFETY: what a malloc promises.
unsafe impl Memory for C<'_> {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        match layout.align() {
            ..=ALIGN => self.0.malloc(layout.size()),
            align => self.0.aligned_alloc(align, layout.size()),
        }
    }

    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        self.0.calloc(1, layout.size())
    }

    unsafe fn resize(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGN {
            // SAFETY: the caller's promise.
            return unsafe { self.0.realloc(block, size) };
        }
        let new = self.0.aligned_alloc(layout.align(), size);
        if !new.is_null() {
            // SAFETY: both are live, of at least the lesser size, and apart.
            unsafe { new.copy_from_nonoverlapping(block, layout.size().min(size)) };
            // SAFETY: the caller's promise.
            unsafe { self.0.free(block) };
        }
        new
    }

    unsafe fn free(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free(block) };
    }
}

impl Body {
    /// Runs it: C's functions on `malloc`, Rust's collections on what [`switch::with`] made
    /// current.
    pub fn run(&self, malloc: &dyn Malloc, part: Part) -> Result<(), String> {
        switch::inside(|| (self.run)(malloc, part))
    }
}

fn not_null(block: *mut u8, size: usize) -> Result<*mut u8, String> {
    if block.is_null() { Err(format!("{size} bytes were refused")) } else { Ok(block) }
}

fn mark(block: *mut u8, size: usize, byte: u8) {
    for at in [0, size - 1] {
        // SAFETY: within a live block of `size` bytes.
        unsafe { block.wrapping_add(at).write(byte) };
    }
}

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
