//! glibc's own questions to its malloc: `mallinfo`, `malloc_info`, `mallopt`, `malloc_trim`.
use core::ffi::{c_char, c_int, c_void};
use core::fmt::{self, Write};

use crate::errno::EINVAL;
use crate::heap::{HEAP, Info, info};

unsafe extern "C" {
    fn fwrite(from: *const c_char, size: usize, count: usize, file: *mut c_void) -> usize;
}

/// `struct mallinfo2` of <malloc.h>; `N` is its number type.
#[derive(Debug)]
#[repr(C)]
struct MallInfo<N> {
    arena: N,
    ordblks: N,
    smblks: N,
    hblks: N,
    hblkhd: N,
    usmblks: N,
    fsmblks: N,
    uordblks: N,
    fordblks: N,
    keepcost: N,
}

fn info_of<N: Copy>(info: &Info, number: impl Fn(usize) -> N) -> MallInfo<N> {
    let (huge, huge_count) = info.huge;
    let small = info.live - huge;
    let arena = info.held - huge;
    MallInfo {
        arena: number(arena),
        ordblks: number(1),
        smblks: number(0),
        hblks: number(huge_count),
        hblkhd: number(huge),
        usmblks: number(0),
        fsmblks: number(info.cached),
        uordblks: number(small),
        fordblks: number(arena.saturating_sub(small)),
        keepcost: number(info.dirty),
    }
}

/// Figures of the heap, in bytes.
#[unsafe(no_mangle)]
extern "C" fn mallinfo2() -> MallInfo<usize> {
    info_of(&info(), |bytes| bytes)
}

/// As [`mallinfo2`], with figures above 2 GiB shown as 2 GiB − 1.
#[unsafe(no_mangle)]
extern "C" fn mallinfo() -> MallInfo<c_int> {
    info_of(&info(), |bytes| c_int::try_from(bytes).unwrap_or(c_int::MAX))
}

/// [`mallinfo`] under the name by which glibc also exports it.
#[unsafe(no_mangle)]
extern "C" fn __libc_mallinfo() -> MallInfo<c_int> {
    mallinfo()
}

/// [`mallopt`] under the name by which glibc also exports it.
#[unsafe(no_mangle)]
extern "C" fn __libc_mallopt(parameter: c_int, value: c_int) -> c_int {
    mallopt(parameter, value)
}

/// Gives free memory back. 1: some was; 0: there was none.
#[unsafe(no_mangle)]
extern "C" fn malloc_trim(_pad: usize) -> c_int {
    c_int::from(HEAP.purge() > 0)
}

/// Accepts glibc's parameters (1), which tune what does not exist here; 0 for others.
#[unsafe(no_mangle)]
extern "C" fn mallopt(parameter: c_int, _value: c_int) -> c_int {
    c_int::from(matches!(parameter, -8..=-1 | 1))
}

/// Prints the table of `HEAPWRIGHT=stats=1` on standard error.
#[unsafe(no_mangle)]
extern "C" fn malloc_stats() {
    HEAP.print_stats(2);
}

/// Writes the figures as XML to a stdio stream. `options` is 0, else EINVAL.
/// The caller promises: `file` is an open stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn malloc_info(options: c_int, file: *mut c_void) -> c_int {
    if options != 0 {
        return EINVAL;
    }
    let written = write_xml(&info(), &mut Stream(file));
    if written.is_ok() { 0 } else { -1 }
}

/// A stdio stream as a formatter's target.
struct Stream(*mut c_void);

impl Write for Stream {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: an open stream, by `malloc_info`'s contract.
        let done = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), self.0) };
        if done == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

fn write_xml(info: &Info, out: &mut impl Write) -> fmt::Result {
    writeln!(out, "<malloc version=\"1\">\n<heap nr=\"0\">\n<sizes>")?;
    info.write_sizes(out)?;
    writeln!(out, "</sizes>\n</heap>")?;
    let (huge, huge_count) = info.huge;
    writeln!(out, "<total type=\"fast\" count=\"0\" size=\"{}\"/>", info.cached)?;
    writeln!(out, "<total type=\"rest\" count=\"1\" size=\"{}\"/>", info.dirty)?;
    writeln!(out, "<total type=\"mmap\" count=\"{huge_count}\" size=\"{huge}\"/>")?;
    writeln!(out, "<system type=\"current\" size=\"{}\"/>", info.held)?;
    writeln!(out, "<aspace type=\"total\" size=\"{}\"/>\n</malloc>", info.held)
}
