//! Safe mode: a layout that is not the block's ends the process, with the function and the pointer.
//!
//! Each misuse runs in a process of its own: this program again, told by its environment which.
#![cfg(not(miri))]
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that formats")]

use core::alloc::Layout;
use core::hint::black_box;
use std::alloc::{alloc, dealloc, realloc};
use std::env;
use std::process::Command;

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

const MISUSE: &str = "WRONG_LAYOUT_MISUSE";

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a layout")
}

/// Runs the misuse in this process if it is the one for it, else starts that and returns what it said.
fn said(name: &str, misuse: fn()) -> Option<String> {
    if env::var(MISUSE).is_ok_and(|wanted| wanted == name) {
        misuse();
        return None;
    }
    let mut program = Command::new(env::current_exe().expect("this program"));
    program.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    program.env(MISUSE, name).env("HEAPWRIGHT", "safe=1");
    let output = program.output().expect("it starts");
    assert!(!output.status.success(), "nothing was noticed");
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn expect(name: &str, misuse: fn(), function: &str, line: &str) {
    if let Some(said) = said(name, misuse) {
        let start = format!("heapwright: {function}(): 0x");
        assert!(said.lines().any(|l| l.starts_with(&start) && l.contains(line)), "{said}");
    }
}

#[test]
fn dealloc_with_another_size() {
    let misuse = || {
        // SAFETY: a size above 0.
        let block = black_box(unsafe { alloc(layout(100, 8)) });
        // SAFETY: the misuse that is to be found.
        unsafe { dealloc(block, layout(1000, 8)) };
    };
    expect("dealloc_with_another_size", misuse, "dealloc", "is a block of 112 bytes, not of 1000");
}

#[test]
fn dealloc_with_another_size_and_an_alignment() {
    let misuse = || {
        // SAFETY: a size above 0.
        let block = black_box(unsafe { alloc(layout(256, 64)) });
        // SAFETY: the misuse that is to be found.
        unsafe { dealloc(block, layout(192, 64)) };
    };
    let line = "is a block of 256 bytes, not of 192";
    expect("dealloc_with_another_size_and_an_alignment", misuse, "dealloc", line);
}

#[test]
fn realloc_with_another_size() {
    let misuse = || {
        // SAFETY: a size above 0.
        let block = black_box(unsafe { alloc(layout(100, 8)) });
        // SAFETY: the misuse that is to be found.
        let moved = black_box(unsafe { realloc(block, layout(1000, 8), 2000) });
        // SAFETY: never reached.
        unsafe { dealloc(moved, layout(2000, 8)) };
    };
    expect("realloc_with_another_size", misuse, "realloc", "not of 1000");
}

#[test]
fn what_is_right_passes() {
    let right = || {
        let mut words: Vec<String> = (0..5000).map(|n| "x".repeat(n % 300)).collect();
        words.truncate(1000);
        words.shrink_to_fit();
        words.iter_mut().for_each(|word| word.shrink_to(word.len() / 2));
        drop(words);
        // SAFETY: a size above 0.
        let block = black_box(unsafe { alloc(layout(5000, 64)) });
        // Else an optimizer frees the block as it was, with the size that it would have had.
        // SAFETY: a live block of that layout.
        let shrunk = black_box(unsafe { realloc(block, layout(5000, 64), 100) });
        // SAFETY: a live block of that layout.
        unsafe { dealloc(shrunk, layout(100, 64)) };
        println!("passed");
        std::process::exit(1);
    };
    if let Some(said) = said("what_is_right_passes", right) {
        assert!(!said.contains("heapwright: "), "{said}");
    }
}
