//! Real programs on the drop-in library, and what the tests in `tests/` share to run them.
//!
//! A test starts a [`Program`] under [`Malloc::Ours`], sees that the library was really loaded, and compares what the
//! program says with what it says under [`Malloc::Plain`]. [`need`] decides what happens when a program is not
//! installed: the test is skipped with a message, or fails where `CI` is set.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod find;
mod libraries;
mod program;
mod proof;
mod scratch;
mod server;

pub use find::{find, is_whole, missing, need, need_module, top};
pub use libraries::{classic, drop_in, libraries};
pub use program::{Finished, Malloc, Program, same_on_all, same_on_both};
pub use scratch::Scratch;
pub use server::Server;
