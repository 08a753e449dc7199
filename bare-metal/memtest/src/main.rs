//! A kernel.
#![no_std]
#![no_main]

use machine::say;

machine::kernel!(main);

fn main() -> u8 {
    extern "C" fn add(a: usize, b: usize) -> usize { a + b }
    let m = machine::memory();
    say!("hello {:p} {} {} {:?}", m, m.len(), machine::instructions(), machine::call(add, 3, 4));
    0
}
