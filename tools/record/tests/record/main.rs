//! The recorder, and what it says of call stacks.

#[path = "../common/mod.rs"]
mod common;

mod recorder;
mod stacks;
