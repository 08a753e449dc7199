//! Two words of thread-local storage for a malloc whose caches are found by their address.
//!
//! ```text
//! words  [ 0: the thread's record │ 1: how often its end was announced, and what it freed without one ]    16 bytes, zero at first
//! ```
//!
//! As [`tls`](crate::tls) is. A library that has this block and not the other loads 32 bytes of static TLS at
//! most, as they are aligned: with it comes the word that says whether the thread is busy.
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
/// The word that counts how often the thread's end was announced, and in multiples of [`A_FREE`] what it freed without a record.
pub(crate) const ENDS: usize = 1;
pub(crate) use crate::tls::A_FREE;

source::tls_block!("heapwright_words", fixed);
