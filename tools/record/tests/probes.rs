//! The probes of the recorder's library: tracers find them by their notes, and where those say stands a nop.
#![cfg(target_arch = "x86_64")]

mod common;

use std::fs;

use common::recorder;

#[test]
fn tracers_find_a_nop_and_its_arguments() {
    let file = fs::read(recorder()).unwrap();
    for (text, name) in [
        (&b"stapsdt\0"[..], "the owner"),
        (b"otel_memory\0alloc\x008@%rdi 8@%rsi 8@%rdx\0", "alloc"),
        (b"otel_memory\0free\x008@%rdi\0", "free"),
    ] {
        assert!(file.windows(text.len()).any(|bytes| bytes == text), "{name} is missing");
    }
    // A note: three numbers, its owner, the address of the nop, those of the base and of no semaphore, then the names.
    let name = b"otel_memory\0alloc\0";
    let at = file.windows(name.len()).position(|bytes| bytes == name).unwrap();
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let (nop, semaphore) = (usize::try_from(word(at - 24)).unwrap(), word(at - 8));
    assert_eq!(semaphore, 0, "none is needed: a nop costs less than to look at one");
    // Code is in one segment: its place in the file and in memory differ by whole pages.
    let candidates = (0..64).map(|pages| nop.wrapping_sub(pages * 4096));
    let is_nop = |at: usize| file.get(at) == Some(&0x90);
    assert!(candidates.into_iter().any(is_nop), "{nop:#x}");
}
