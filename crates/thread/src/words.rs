//! Two words of thread-local storage for a malloc whose caches are found by their address.
//!
//! ```text
//! words  [ 0: the thread's record │ 1: how often its end was announced ]      16 bytes, zero at first
//! ```
//!
//! In initial-exec form as [`tls`](crate::tls) is: an access is two instructions and never allocates. A library that has
//! this block and not the other loads 16 bytes of static TLS.
//!
//! Layer *thread*.

core::arch::global_asm!(
    ".pushsection .tbss.heapwright_words,\"awT\",@nobits",
    ".balign 16",
    ".hidden heapwright_words",
    ".globl heapwright_words",
    ".type heapwright_words, @object",
    ".size heapwright_words, 16",
    "heapwright_words:",
    ".zero 16",
    ".popsection",
);

/// The word with the address of the thread's record; 0 before there is one.
pub(crate) const RECORD: usize = 0;
/// The word that counts how often the thread's end was announced.
pub(crate) const ENDS: usize = 1;

/// The block's offset from the thread pointer.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn offset() -> usize {
    let offset;
    // SAFETY: reads a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mov {}, qword ptr [rip + heapwright_words@GOTTPOFF]",
            out(reg) offset,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    offset
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn load(word: usize) -> usize {
    let value;
    // SAFETY: one of the two words of the thread's block.
    unsafe {
        core::arch::asm!(
            "mov {value}, qword ptr fs:[{offset} + 8*{word}]",
            value = lateout(reg) value,
            offset = in(reg) offset(),
            word = in(reg) word,
            options(readonly, nostack, preserves_flags),
        );
    }
    value
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn store(word: usize, value: usize) {
    // SAFETY: one of the two words of the thread's block, which are only reached here.
    unsafe {
        core::arch::asm!(
            "mov qword ptr fs:[{offset} + 8*{word}], {value}",
            value = in(reg) value,
            offset = in(reg) offset(),
            word = in(reg) word,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn word_at(word: usize) -> *mut usize {
    let address: usize;
    // SAFETY: reads the thread register and a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:heapwright_words",
            "ldr {1}, [{1}, :gottprel_lo12:heapwright_words]",
            "add {0}, {0}, {1}",
            out(reg) address,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    core::ptr::with_exposed_provenance_mut(address + word * size_of::<usize>())
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(crate) fn load(word: usize) -> usize {
    // SAFETY: one of the two words of the thread's block.
    unsafe { word_at(word).read_volatile() }
}

#[cfg(target_arch = "aarch64")]
pub(crate) fn store(word: usize, value: usize) {
    // SAFETY: as for `load`.
    unsafe { word_at(word).write_volatile(value) }
}
