#![no_std]
#![no_main]
extern crate axstd;
#[unsafe(no_mangle)]
fn main() { axstd::println!("hi"); }
