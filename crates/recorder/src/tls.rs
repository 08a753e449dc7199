//! Where the calling thread's block is: in the ELF TLS segment, in initial-exec form, so that an access never calls the loader,
//! which may allocate.

use crate::thread::Thread;

core::arch::global_asm!(
    ".pushsection .tbss.heapwright_recorder,\"awT\",@nobits",
    ".balign 64",
    ".hidden heapwright_recorder",
    ".globl heapwright_recorder",
    ".type heapwright_recorder, @object",
    ".size heapwright_recorder, {size}",
    "heapwright_recorder:",
    ".zero {size}",
    ".popsection",
    size = const size_of::<Thread>(),
);

/// The calling thread's block; zeros when the thread begins.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn block() -> *const Thread {
    let block;
    // SAFETY: reads the thread's own address and a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + heapwright_recorder@GOTTPOFF]",
            out(reg) block,
            options(pure, readonly, nostack),
        );
    }
    block
}

/// The calling thread's block; zeros when the thread begins.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn block() -> *const Thread {
    let block;
    // SAFETY: reads the thread register and a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:heapwright_recorder",
            "ldr {1}, [{1}, :gottprel_lo12:heapwright_recorder]",
            "add {0}, {0}, {1}",
            out(reg) block,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    block
}
