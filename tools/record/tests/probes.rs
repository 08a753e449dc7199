//! The probes of the recorder's library: tracers find them by their notes, and where those say stands a nop.
#![cfg(target_arch = "x86_64")]

mod common;

use std::fs;
use std::process::Command;

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
    // gdb finds no probe of a file that lacks it.
    assert_ne!(word(at - 16), 0, "the base");
    assert_eq!(semaphore, 0, "none is needed: a nop costs less than to look at one");
    let half = |at: usize| u16::from_le_bytes(file[at..at + 2].try_into().unwrap());
    let (headers, each) = (usize::try_from(word(32)).unwrap(), usize::from(half(54)));
    let segments = (0..usize::from(half(56))).map(|number| headers + number * each);
    // Type, flags, offset, address: of those that are loaded, the one that the nop is in.
    let loaded = segments.filter(|&at| half(at) == 1 && half(at + 2) == 0);
    let number = |at: usize| usize::try_from(word(at)).unwrap();
    let mut places = loaded.filter_map(|at| {
        let inside = nop.checked_sub(number(at + 16)).filter(|inside| *inside < number(at + 32));
        inside.map(|inside| number(at + 8) + inside)
    });
    assert_eq!(places.next().map(|at| file[at]), Some(0x90), "{nop:#x}");
}

/// Where there is a debugger, it finds them too.
#[test]
fn a_debugger_lists_them() {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "info probes stap otel_memory"]).arg(recorder());
    let Ok(output) = gdb.output() else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    let rows = said.lines().filter(|line| line.starts_with("stap otel_memory "));
    assert_eq!(rows.count(), 2, "{said}{}", String::from_utf8_lossy(&output.stderr));
}
