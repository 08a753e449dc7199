//! The component OS's memory test, as an application of ArceOS: what its allocator has to do in a kernel.
//!
//! The bodies are those of [`bodies`] but for `mi`, in which memory is refused: there this kernel panics. Each is checked as
//! it goes and counted in instructions, so that two allocators can be compared exactly. The last, `c`, is in C ([`c`]).
//!
//! A line for each body says `memtest NAME COUNT instructions`; when all have passed, the firmware is told so, and QEMU
//! ends with status 0. A kernel that panics shuts down without that, and the status is 1.
#![no_std]
#![no_main]

extern crate axstd;

mod c;
mod machine;

use axstd::println;
use bodies::{BODIES, Global, Scale};

/// What the OS leaves its heap of the machine's 128 MiB, at the least.
const MEMORY: usize = 64 << 20;

#[unsafe(no_mangle)]
fn main() {
    let mut all = 0;
    for (name, body) in BODIES.into_iter().filter(|(name, _)| *name != "mi") {
        let start = machine::instructions();
        let outcome = body(&Global, Scale::machine(MEMORY));
        let count = machine::instructions() - start;
        assert_eq!(outcome, Ok(()), "{name}");
        println!("memtest {name} {count} instructions");
        all += count;
    }
    let start = machine::instructions();
    let wrong = c::run();
    let count = machine::instructions() - start;
    assert_eq!(wrong, 0, "the test in C");
    println!("memtest c {count} instructions");
    all += count;
    println!("memtest all {all} instructions");
    machine::passed();
}
