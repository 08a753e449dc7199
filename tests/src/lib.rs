//! Real programs on the drop-in library, and what the tests in `tests/` share to run them.
//!
//! A test starts a [`Program`] under [`Malloc::Ours`], sees that the library was really loaded, and compares what the
//! program says with what it says under [`Malloc::Plain`]. [`need`] decides what happens when a program is not
//! installed: the test is skipped with a message, or fails where `CI` is set.

mod drop_in;
mod find;
mod group;
mod program;
mod proof;
mod scratch;
mod server;

pub use drop_in::{classic, drop_in};
pub use find::{find, missing, need, need_module, top};
pub use program::{Finished, Malloc, Program, same_on_both};
pub use scratch::Scratch;
pub use server::Server;
