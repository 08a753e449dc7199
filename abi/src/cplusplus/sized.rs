//! Sized delete in safe mode: the size reaches the plain form, which is the one that may look at it.
//!
//! ```text
//! delete(p, size) ─► word ─► delete(p)                                      as a rule
//!                        └─► pass: adds alignment and mark ─► delete(p)     in safe mode
//! ```
//!
//! A program may have replaced the plain form, and then its blocks are not what their sizes say
//! of ours. So nothing can be checked before the plain form is reached, and that takes a pointer
//! only. In safe mode the sized forms pass size and alignment in the registers behind it, and a
//! mark that says so; a replaced form never looks at them.
//!
//! - **sized-D1** registers are believed only if the mark is [`MARK`] exclusive-or all others: what a
//!   caller of the plain form has left in them says nothing.
//!
//! The words are part of what the loader makes read-only, and hold what it found for the plain
//! forms, as the global offset table does: a sized delete costs what it did, one jump.
use core::ffi::{c_int, c_void};

use base::sync::{AtomicUsize, Ordering};
use source::PageSource;
use source::os::Os;

use super::imp;
use crate::heap::HEAP;

/// Says with the arguments that they are there (sized-D1).
pub(super) const MARK: usize = 0x5a7e;

// Aligned so that they lie in one page.
core::arch::global_asm!(
    ".pushsection .data.rel.ro.heapwright_sized,\"aw\",@progbits",
    ".balign 64",
    ".hidden heapwright_sized",
    ".globl heapwright_sized",
    "heapwright_sized:",
    ".quad _ZdlPv",
    ".quad _ZdaPv",
    ".quad _ZdlPvSt11align_val_t",
    ".quad _ZdaPvSt11align_val_t",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "heapwright_sized"]
    static WORDS: [AtomicUsize; 4];

    fn mprotect(from: *mut c_void, len: usize, kind: c_int) -> c_int;
}

const READ_WRITE: c_int = 3;

/// In safe mode: sized forms pass their sizes on from now on. Where the words cannot be written they
/// do not, and sizes go unchecked. Called when the library has been loaded.
pub(crate) fn pass_sizes() {
    if !HEAP.is_safe() {
        return;
    }
    // SAFETY: the words above, which are never unmapped.
    let words = unsafe { &WORDS };
    let page = Os.page_size();
    let at = words.as_ptr().cast_mut().cast::<c_void>();
    let start = at.wrapping_byte_sub(at.addr() % page);
    // SAFETY: a page of this library's data, which only becomes writable.
    if unsafe { mprotect(start, page, READ_WRITE) } != 0 {
        return;
    }
    let forms = [imp::pass, imp::pass_array, imp::pass_aligned, imp::pass_aligned_array];
    for (word, form) in words.iter().zip(forms) {
        word.store((form as extern "C" fn() as *const ()).expose_provenance(), Ordering::Relaxed);
    }
}

/// What a delete does that is no hit: in safe mode it checks the size that it was passed (sized-D1).
/// The caller promises: `ptr` is null or a live block, and dead afterwards.
#[cold]
#[inline(never)]
pub(super) unsafe extern "C" fn delete_slow(
    ptr: *mut u8,
    size: usize,
    alignment: usize,
    mark: usize,
) {
    const CALLER: &str = "operator delete()";
    if HEAP.is_safe() && mark == MARK ^ ptr.addr() ^ size ^ alignment {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free_sized_slow(ptr, alignment, size, CALLER) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free_slow(ptr, CALLER) }
    }
}
