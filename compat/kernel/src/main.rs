//! embedded-alloc and esp-alloc as published on crates.io, with our TLSF under them by `[patch.crates-io]`: a kernel
//! that boots in QEMU, uses both and ends with status 0. `cargo xtask compat` builds and boots it.
//!
//! embedded-alloc's heap is the kernel's global allocator, so Rust's own collections run on it; esp-alloc's is asked
//! directly. Neither crate is changed, and neither is told.
#![no_std]
#![no_main]

extern crate alloc;

#[cfg(feature = "esp")]
mod esp;

use alloc::collections::{BTreeMap, LinkedList};
use alloc::string::ToString;
use alloc::vec::Vec;
use embedded_alloc::TlsfHeap;
use machine::say;

#[global_allocator]
static HEAP: TlsfHeap = TlsfHeap::empty();

/// One hart and no interrupts: nothing can come in between.
struct Alone;
critical_section::set_impl!(Alone);

// SAFETY: as above.
unsafe impl critical_section::Impl for Alone {
    unsafe fn acquire() {}

    unsafe fn release(_: ()) {}
}

machine::kernel!(main);

fn main() -> u8 {
    let memory = machine::memory();
    let len = memory.len().min(1 << 20);
    // SAFETY: called once, with memory that nobody else uses.
    unsafe { HEAP.init(memory.cast::<u8>().as_ptr().expose_provenance(), len) };
    let bits = usize::BITS as usize;
    let theirs = size_of::<usize>() * (1 + bits + bits * bits);
    let ours = size_of::<TlsfHeap>();
    say!("embedded-alloc: {len} bytes of memory, {ours} bytes of control block, {theirs} on rlsf");
    assert!(ours < theirs / 2, "this is not our TLSF");
    // `free` only: in embedded-alloc 0.7.0 `used` borrows its cell twice and panics, whatever is below it.
    let before = HEAP.free();
    list();
    tree();
    exhaustion(len);
    assert_eq!(HEAP.free(), before, "all came back");
    say!("embedded-alloc: passed");
    #[cfg(feature = "esp")]
    esp::heap(memory, len);
    0
}

/// What embedded-alloc's own integration test does.
fn list() {
    let free = HEAP.free();
    let mut list = LinkedList::new();
    for i in 0..1000 {
        list.push_back(i);
    }
    assert!(HEAP.free() < free - 1000 * 2 * size_of::<usize>(), "{} bytes free", HEAP.free());
    for i in 0..1000 {
        assert_eq!(list.pop_front(), Some(i));
    }
}

fn tree() {
    let mut tree = BTreeMap::new();
    for i in 0..500_u32 {
        tree.insert(i.wrapping_mul(2_654_435_761), i.to_string());
    }
    tree.retain(|_, text| text.len() != 2);
    let agrees = |(key, text): (&u32, &alloc::string::String)| {
        text.parse::<u32>().is_ok_and(|i| i.wrapping_mul(2_654_435_761) == *key)
    };
    assert!(tree.iter().all(agrees));
    assert_eq!(tree.len(), 410);
}

/// Takes everything, a kilobyte at a time, and then all of it at once.
fn exhaustion(len: usize) {
    let mut live: Vec<Vec<u8>> = Vec::new();
    if live.try_reserve(len >> 10).is_err() {
        return;
    }
    loop {
        let mut one: Vec<u8> = Vec::new();
        if one.try_reserve_exact(1016).is_err() {
            break;
        }
        one.resize(1016, live.len() as u8);
        live.push(one);
    }
    say!("embedded-alloc: {} KiB of {} in blocks of 1,016 bytes", live.len(), len >> 10);
    assert!(live.len() > (len >> 10) * 9 / 10);
    assert!(live.iter().enumerate().all(|(i, one)| one.iter().all(|&byte| byte == i as u8)));
    drop(live);
    let mut most: Vec<u8> = Vec::new();
    assert!(most.try_reserve_exact(len / 10 * 9).is_ok(), "holes have become one");
}
