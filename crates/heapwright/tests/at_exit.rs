//! What the variable `HEAPWRIGHT` asks for at the end of a program whose global allocator this is.
//!
//! The program that ends is this one again.
#![cfg(not(miri))]

use std::env;
use std::process::{Command, Output};

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

/// This program, which then runs no test but `nothing`.
fn ended(options: &str) -> Output {
    let mut program = Command::new(env::current_exe().expect("this program"));
    // A library that is preloaded would print a table of its own.
    program.args(["--exact", "nothing"]).env("HEAPWRIGHT", options).env_remove("LD_PRELOAD");
    program.output().expect("it starts")
}

#[test]
fn nothing() {}

#[test]
fn the_table_is_printed() {
    let output = ended("stats=1");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("heapwright statistics of process").count(), 1, "{said}");
    // All that is longer is for the command, which reads the file.
    assert!(said.lines().count() < 24, "{said}");
    assert!(said.contains("all of the heap") && said.ends_with("as JSON\n"), "{said}");
    assert!(ended("").stderr.is_empty(), "nothing is printed unasked");
}

#[test]
fn the_heap_is_checked() {
    let output = ended("check=1");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
