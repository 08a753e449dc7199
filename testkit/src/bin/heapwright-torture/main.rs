//! Tortures the C malloc of this process, glibc's or whatever is preloaded.
//!
//! ```text
//! supervisor ──starts──► worker   rounds of op programs on the C malloc, a line per round
//!     │                    └ says wrong, crashes or hangs
//!     └──starts──► replays of that round, smaller and smaller ──► the program to keep
//! ```
//!
//! The supervisor survives whatever the malloc does to the worker. Both keep their own data in a
//! `Shelter`, apart from the malloc under test.
mod args;
mod child;
mod plan;
mod supervise;
mod worker;

use std::process::ExitCode;

use args::Args;
use clap::Parser as _;
use heapwright_testkit::c::C;
use heapwright_testkit::c::heaps::Heaps;
use heapwright_testkit::shelter::Shelter;

#[global_allocator]
static SHELTER: Shelter = Shelter::new();

fn main() -> ExitCode {
    let args = Args::parse();
    if args.heaps && Heaps::new(C::new()).is_none() {
        eprintln!("heapwright-torture: --heaps: this malloc has none; preload libheapwright.so");
        return ExitCode::from(2);
    }
    match &args.replay {
        Some(path) => worker::replay(&args, path),
        None if args.work => worker::rounds(&args),
        None => supervise::run(&args),
    }
}
