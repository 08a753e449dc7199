//! The recorder: a library that stands in front of any malloc and writes down what the program asks of it.
//!
//! ```text
//! program ─► malloc ─► slot ─┬─ next's malloc               forward: one jump
//!                            ├─ record::malloc ─► next's    and an event into the thread's chunk of the file
//!                            └─ init, then the slot again   the first call of all
//! ```
//!
//! `LD_PRELOAD=libheapwright-record.so[:chosen.so]`, and `HEAPWRIGHT_RECORD` in the environment says where to (`recorder::options`).
//! What is exported is a jump through a slot ([`names`]); which functions the slots have is the recorder's whole state.
//!
//! What writes the file is `crates/recorder`, which [`begin`] is the front of.
//!
//! - **interpose-I1** nothing here asks the malloc that is recorded for memory: all is in the library's own data, on the stack
//!   or mapped.
//! - **interpose-I2** who comes in while the thread's word `busy` is set, a signal handler or the malloc itself, goes straight to the
//!   next malloc.
//! - **interpose-I3** errno is as the next malloc left it.
//!
//! Layer *abi*.
#![no_std]
#![expect(clippy::cast_possible_truncation, reason = "64 bit only: what the kernel answers fits")]

mod arena;
mod armed;
mod begin;
mod copy;
mod first;
mod imp;
mod large;
mod lifetime;
mod live;
mod mapping;
mod names;
mod next;
mod noting;
mod operators;
#[cfg(not(test))]
#[path = "../../src/panic.rs"]
mod panic;
mod process;
#[cfg(target_arch = "x86_64")]
mod profile;
mod record;
mod snapshot;

use recorder::{chunk, clock, errno, file, samples, session, stacks, system, text, thread};

#[link(name = "c")]
unsafe extern "C" {}
