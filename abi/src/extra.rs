//! heapwright's own functions; heapwright.h says what each does.
use core::ffi::{CStr, c_char, c_int};

use base::lock::Park;
use malloc::HEAP;
use malloc::heapwright::global;
use malloc::interrupted::NOT_CHECKED;
use source::Report;
use source::os::Os;
use source::os::imp::process::resident;

use crate::errno::{EINVAL, set_errno};

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => c"unknown",
    };

/// `struct heapwright_stats` of heapwright.h.
#[derive(Debug)]
#[repr(C)]
struct Figures {
    live: usize,
    resident: usize,
    peak_resident: usize,
    cached: usize,
    committed: usize,
    purged: usize,
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Gives free memory back now and returns how many bytes that was.
#[unsafe(no_mangle)]
extern "C" fn heapwright_purge() -> usize {
    HEAP.purge()
}

/// Writes the table of statistics to a file descriptor.
#[unsafe(no_mangle)]
extern "C" fn heapwright_stats_print(fd: c_int) {
    HEAP.print_stats(usize::try_from(fd).unwrap_or(2));
}

/// Walks every structure; 0 when every invariant holds, else -1 and a line on standard error.
#[unsafe(no_mangle)]
extern "C" fn heapwright_check() -> c_int {
    if Os::is_busy() {
        Os::print(format_args!("{NOT_CHECKED}"));
        return -1;
    }
    match global::check() {
        Ok(()) => 0,
        Err(broken) => {
            Os::print(format_args!("heapwright: {broken}\n"));
            -1
        }
    }
}

/// Fills in the figures; -1 with EINVAL for null.
/// The caller promises: `out` is null or valid for writing.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_stats(out: *mut Figures) -> c_int {
    if out.is_null() {
        set_errno(EINVAL);
        return -1;
    }
    let stats = HEAP.stats();
    let memory = resident();
    let figures = Figures {
        live: stats.live_bytes,
        resident: memory.now,
        peak_resident: memory.peak,
        cached: stats.cached_bytes,
        committed: stats.committed_bytes,
        purged: base::bits::index(stats.purged_bytes),
    };
    // SAFETY: the caller's promise.
    unsafe { out.write(figures) };
    0
}
