//! How deep the calling thread is inside of what it must not come into again: a word of thread-local storage.
//!
//! Counted with plain instructions: a signal handler on this thread sees a number that is right, and leaves it as it was.

core::arch::global_asm!(
    ".pushsection .tbss.heapwright_busy,\"awT\",@nobits",
    ".balign 8",
    ".hidden heapwright_busy",
    ".globl heapwright_busy",
    ".type heapwright_busy, @object",
    ".size heapwright_busy, 8",
    "heapwright_busy:",
    ".zero 8",
    ".popsection",
);

crate::tls_block!("heapwright_busy");
