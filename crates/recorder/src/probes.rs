//! Probes for tracers that are attached from outside: `otel_memory:alloc` and `otel_memory:free`, of blocks of the sample.
//!
//! ```text
//! nop          what the program runs; a tracer that is attached puts a trap in its place
//! ELF note     "stapsdt": where the nop is, what the probe is called, in which registers its arguments are
//! ```
//!
//! The arguments are those that OpenTelemetry's eBPF profiler asks for: of `alloc` the block, its size, and the bytes that it stands
//! for, whose sum is in the mean what the program allocated; of `free` the block. Of blocks that are not in the sample nothing is told.

/// On other processors than x86-64 there is nothing to attach to, as there is no profile.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! probe {
    ($name:literal, $arguments:literal, $($register:tt: $value:expr),*) => {
        let _ = ($($value,)*);
    };
}

/// Puts a nop, and the note that names it, where it stands.
#[cfg(target_arch = "x86_64")]
macro_rules! probe {
    ($name:literal, $arguments:literal, $($register:tt: $value:expr),*) => {
        // SAFETY: does nothing.
        unsafe {
            core::arch::asm!(
                "990: nop",
                ".pushsection .note.stapsdt,\"\",@note",
                ".balign 4",
                ".long 992f - 991f, 994f - 993f, 3",
                "991: .asciz \"stapsdt\"",
                "992: .balign 4",
                "993: .quad 990b",
                ".quad heapwright_stapsdt_base",
                ".quad 0",
                ".asciz \"otel_memory\"",
                concat!(".asciz \"", $name, "\""),
                concat!(".asciz \"", $arguments, "\""),
                "994: .balign 4",
                ".popsection",
                $(in($register) $value,)*
                options(nostack, preserves_flags, readonly),
            );
        }
    };
}

// Tools compare where this is with where the note says that it was: a prelinked file has moved. R: nothing but notes names it.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".pushsection .stapsdt.base,\"aR\",@progbits",
    ".hidden heapwright_stapsdt_base",
    ".globl heapwright_stapsdt_base",
    "heapwright_stapsdt_base:",
    ".zero 1",
    ".size heapwright_stapsdt_base, 1",
    ".popsection",
);

/// A block of the sample is about to be the program's; it stands for `weight` bytes.
#[inline(never)]
pub(crate) fn alloc(block: *mut u8, size: usize, weight: u64) {
    probe!("alloc", "8@%rdi 8@%rsi 8@%rdx", "rdi": block, "rsi": size, "rdx": weight);
}

/// A block of the sample is about to be freed.
#[inline(never)]
pub(crate) fn free(block: *mut u8) {
    probe!("free", "8@%rdi", "rdi": block);
}
