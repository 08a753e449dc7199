//! The component OS's memory test, as an application of ArceOS: what its allocator has to do in a kernel.
//!
//! Five bodies, each checked as it goes and counted in instructions, so that two allocators can be compared exactly:
//!
//! | body | what it does |
//! |---|---|
//! | numbers | one vector of 3,000,000 numbers, grown a push at a time, sorted |
//! | vectors | 30,000 vectors of 64 bytes and 7,500 of 520, freed in another order |
//! | map | a tree of 50,000 strings, half of it removed and put back |
//! | boxes | 10,000 live blocks of 32 to 64 bytes, each replaced ten times |
//! | align | 50,000 operations of 1 byte to 64 KiB, aligned to 1 to 128 bytes |
//!
//! A line for each body says `memtest NAME COUNT instructions`; when all have passed, the firmware is told so, and QEMU
//! ends with status 0. A kernel that panics shuts down without that, and the status is 1.
#![no_std]
#![no_main]

extern crate alloc;
extern crate axstd;

mod bodies;
mod machine;

use axstd::println;

/// A body, by its name.
type Body = (&'static str, fn());

const BODIES: [Body; 5] = [
    ("numbers", bodies::numbers),
    ("vectors", bodies::vectors),
    ("map", bodies::map),
    ("boxes", bodies::boxes),
    ("align", bodies::align),
];

#[unsafe(no_mangle)]
fn main() {
    let mut all = 0;
    for (name, body) in BODIES {
        let start = machine::instructions();
        body();
        let count = machine::instructions() - start;
        println!("memtest {name} {count} instructions");
        all += count;
    }
    println!("memtest all {all} instructions");
    machine::passed();
}
