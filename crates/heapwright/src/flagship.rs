//! The process's malloc for Rust programs.
use base::{Broken, Check};
use malloc::HEAP;

mod global;
mod heap;

pub use global::Heapwright;
pub use heap::Heap;
pub use malloc::heapwright::Stats;

/// Figures of the process's heap. Walks all slabs; exact while no other thread allocates.
#[must_use]
pub fn stats() -> Stats {
    HEAP.stats()
}

/// Gives free memory back to the system now; returns the bytes given back. O(size of the heap).
pub fn purge() -> usize {
    HEAP.purge()
}

/// Walks every structure. O(size of the heap), takes its locks.
/// Errors: the first broken invariant, by number and words.
pub fn check() -> Result<(), Broken> {
    HEAP.check()
}

/// What the variable `HEAPWRIGHT` asks for when the process ends: `stats=1`, `check=1`.
///
/// The drop-in library has a function of its own for it. As a program's global allocator there is
/// none of ours that would be called, so this one is put where the C library looks. It does
/// nothing where the program has another global allocator: the options are read with the first
/// request.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// In a plugin the end of a thread that allocated there is announced to us, also after the plugin has been closed.
#[cfg(not(miri))]
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

#[cfg(not(miri))]
extern "C" fn start() {
    source::os::imp::stay::stay_loaded();
}

extern "C" fn end() {
    malloc::heapwright::global::at_exit();
}
