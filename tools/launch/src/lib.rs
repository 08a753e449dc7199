//! Starts programs on an allocator: all that `run`, `bench`, the tests and the chores need for that, once.
//!
//! Which program: [`resolve`], [`inspect`]. Which allocator: [`allocator`], [`discover`], [`probe`]; [`artefact`] lists what the
//! command carries inside itself, and [`unpack`] puts it where a program can load it. To start, wait, signal and kill:
//! [`Launch`], [`Running`], and [`foreground`] for a program in our place. What runs below a process: [`tree`], [`follow`].
//!
//! The library never prints; the command does.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

pub mod allocator;
pub mod artefact;
pub mod discover;
pub mod environment;
mod exit;
pub mod follow;
pub mod foreground;
pub mod inspect;
pub mod pipe;
pub mod probe;
pub mod resolve;
mod running;
#[doc(hidden)]
pub mod testing;
pub mod tree;
pub mod unpack;

pub use exit::Exit;
pub use running::{Launch, Running, watched};
