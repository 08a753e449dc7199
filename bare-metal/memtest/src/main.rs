//! A kernel.
#![no_std]
#![no_main]

use machine::say;

machine::kernel!(main);

fn main() -> u8 {
    say!("hello");
    0
}
