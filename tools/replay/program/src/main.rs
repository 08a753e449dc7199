//! Does a recorded program's calls of malloc again, as a plan says, and tells what they took.
//!
//! ```text
//! heapwright-replay PLAN [touch=pages|recorded|none] [timed=1] [limit=NS] [tail=1 | verify=1 | allocator=null | places=FILE]
//!
//! main thread ─► the plan's thread 0 ─┐            epochs: who is last in one opens the next,
//! a thread for each other, where it ──┼─► calls    looks at the memory, and starts and joins threads
//! was born                            ┘
//! ```
//!
//! Nothing here calls malloc but for the plan: slots, bins and points have mappings of their own, made and touched before the
//! first call, and text is written from the stack. What it prints is what `heapwright-workloads` prints (see its `results`).
//!
//! Exit codes: 0 done; 1 a block was not what it has to be, named on standard error; 2 wrong usage; 3 the system refused
//! something that is needed.

// Rust's own start would allocate.
#![no_main]

mod clock;
mod curve;
mod epochs;
mod futex;
mod heap;
mod map;
mod memory;
mod options;
mod out;
mod placed;
mod run;
mod shared;
mod tail;
mod touch;
mod verify;

use core::ffi::{c_char, c_int};

use options::Options;

/// C's main.
///
/// # Safety
///
/// `argv` has `argc` strings that live as long as the process.
#[unsafe(no_mangle)]
unsafe extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let words = unsafe { options::words(argc, argv) };
    let options = Options::parse(words).unwrap_or_else(|what| {
        out::fail(2, format_args!("{what}; usage: heapwright-replay PLAN [KEY=VALUE…]"))
    });
    let malloc_has = memory::of_malloc(options::preloaded());
    shared::prepare(options);
    epochs::start(malloc_has)
}
