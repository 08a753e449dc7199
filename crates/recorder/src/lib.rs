//! What writes a recording from inside a process: its file, its threads' parts of that, call stacks, and the sample of a profile.
//!
//! ```text
//! libheapwright-record.so   every call of any malloc, or a sample  ─┐ front          ┌─► chunk, file: NAME-PID.chunks
//!                                                                   ├──────► session ┼─► stacks: walk, frames
//! Profiled<A>, profile      a sample of a Rust program's blocks    ─┘                └─► sampling: blocks that live
//! ```
//!
//! A program takes [`Profiled`] and [`profile`]. All else is for the library of `abi/interpose`.
//!
//! - **recorder-R1** nothing here asks a malloc for memory: all is in the program's data, on the stack or mapped.
//! - **recorder-R2** a thread writes to its own chunk only, and only while its word `busy` is set; who comes in meanwhile, a
//!   signal handler or the malloc itself, is not recorded.
//! - **recorder-R3** errno is as it was.
//!
//! Layer *recorder*, beside page: Linux on a 64-bit machine. Call stacks, and so profiles, are recorded on x86-64.
#![no_std]
#![expect(clippy::cast_possible_truncation, reason = "64 bit only: what the kernel answers fits")]
#![expect(
    missing_debug_implementations,
    reason = "nothing here is shown, and no formatting is linked"
)]

pub mod blocks;
pub mod chunk;
pub mod clock;
pub mod environment;
pub mod errno;
pub mod file;
pub mod front;
pub mod head;
mod huge;
pub mod lifetime;
mod noting;
pub mod options;
mod porter;
mod probes;
pub mod profile;
mod profiled;
mod replace;
pub mod samples;
pub mod sampling;
pub mod session;
pub mod shared;
mod short;
pub mod stacks;
pub mod system;
pub mod text;
pub mod thread;
pub mod tls;

pub use profiled::Profiled;

#[link(name = "c")]
unsafe extern "C" {}
