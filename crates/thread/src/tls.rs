//! Thread-local storage in initial-exec form, on stable Rust, without `__tls_get_addr`.
//!
//! ```text
//! slots  [ 0: – │ 1 … 76: magazine tops │ 77: thread cache │ 78: state ]    632 bytes
//! ```
//!
//! The block is a `.tdata` object made by `global_asm!`, so its initial image can hold
//! addresses: every top starts at the empty cell. 632 bytes, 640 with the
//! word that says whether the thread is busy, fit the room that glibc keeps for libraries loaded by `dlopen`: 1,664 bytes in 2.36.
use object::size_class::CLASSES;
use source::os::imp::peek::Peek;

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as imp;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
use aarch64 as imp;

pub mod solo;

// The image of the block, and the cell that is both empty and full: a word of 0 below an
// address that is a multiple of 1024. Hidden, so that no other library's names matter.
core::arch::global_asm!(
    ".pushsection .rodata.heapwright_empty,\"a\",@progbits",
    ".balign 1024",
    ".zero 1024",
    ".hidden heapwright_empty_end",
    ".globl heapwright_empty_end",
    "heapwright_empty_end:",
    ".zero 8",
    ".popsection",
    ".pushsection .tdata.heapwright,\"awT\",@progbits",
    ".balign {align}",
    ".hidden heapwright_tls",
    ".globl heapwright_tls",
    ".type heapwright_tls, @object",
    ".size heapwright_tls, 632",
    "heapwright_tls:",
    ".rept 77",
    ".quad heapwright_empty_end",
    ".endr",
    ".zero 16",
    ".popsection",
    align = const imp::ALIGN,
);

pub use imp::empty;

/// The slot that holds the address of the thread's cache; 0 before there is one.
pub const CACHE: usize = CLASSES;
/// The slot that counts how often the thread's end was announced, and in multiples of [`A_FREE`] what it freed without a cache.
pub const ENDS: usize = CLASSES + 1;
/// One block freed without a cache, in the slot [`ENDS`].
pub const A_FREE: usize = 1 << 8;
/// How many slots there are.
pub const SLOTS: usize = CLASSES + 2;

const _: () = assert!(SLOTS == 79, "the assembly of the block counts on it");

/// The calling thread's slots, and being told when it ends.
/// # Safety
/// `load` and `store` reach words that belong to the calling thread alone; the slots of
/// classes start as [`empty`], the others as 0.
pub unsafe trait Tls: Sync {
    /// The value of a slot below [`SLOTS`].
    fn load(&self, slot: usize) -> usize;

    /// Sets a slot below [`SLOTS`].
    fn store(&self, slot: usize, value: usize);

    /// The address of the slots, for other threads' [`peek`](Self::peek).
    fn address(&self) -> usize;

    /// Copies the slots at an address that [`address`](Self::address) was for some thread. Only
    /// so are another thread's slots read: it may be gone, and its memory unmapped.
    fn peek(&self, at: usize, slots: &mut [usize; SLOTS]) -> Peek;

    /// As [`peek`](Self::peek), where the calling thread is the process's only one.
    fn peek_alone(&self, at: usize, slots: &mut [usize; SLOTS]) -> Peek {
        self.peek(at, slots)
    }

    /// Has the thread's end announced with `cache`. `false`: it cannot be. It may allocate.
    fn watch(&self, cache: usize) -> bool;
}

/// The real thing: one block per thread in the ELF TLS segment.
#[derive(Debug)]
pub struct ElfTls {
    /// Called when a thread has its cache; it does its work once.
    pub begun: fn(),
    /// Called at a thread's end with the address of its cache.
    pub ended: extern "C" fn(*mut core::ffi::c_void),
}

// SAFETY: the segment gives every thread its own block, with the image that `imp` defines.
unsafe impl Tls for ElfTls {
    #[inline(always)]
    fn load(&self, slot: usize) -> usize {
        imp::load(slot)
    }

    #[inline(always)]
    fn store(&self, slot: usize, value: usize) {
        imp::store(slot, value);
    }

    fn address(&self) -> usize {
        imp::address()
    }

    fn peek(&self, at: usize, slots: &mut [usize; SLOTS]) -> Peek {
        source::os::imp::peek::peek(at, slots)
    }

    fn peek_alone(&self, at: usize, slots: &mut [usize; SLOTS]) -> Peek {
        source::os::imp::peek::peek_alone(at, slots)
    }

    fn watch(&self, cache: usize) -> bool {
        (self.begun)();
        source::os::imp::thread_end::watch(self.ended, cache)
    }
}

#[cfg(test)]
mod tests;
