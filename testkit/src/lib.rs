//! What every allocator of the project is tested with.
//!
//! ```text
//! program      what to do: operations on numbered slots, as values and as text
//! generate     where programs come from: seeded, in several distributions
//! kept         programs that once failed
//! subject      what is tested: a `Malloc`, and what else it can do
//! shadow       what must be true: every live block, its extent and its contents
//! run          a program on a subject under the shadow model
//! together     several programs at once, handing blocks over
//! shrink       the smallest program that still fails
//! fault        a program once for every failing call of the source
//! conformance  what any `Malloc` must do, rule by rule
//! block        the same for allocators of blocks with one owner
//! ```
//!
//! A failure is a value, never a panic: it names the operation, the address and what was found
//! there, so the program can be shrunk and printed in a form that
//! [`Program::from_str`](core::str::FromStr::from_str) reads back.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

pub mod block;
pub mod c;
pub mod conformance;
pub mod fault;
pub mod generate;
pub mod kept;
pub mod pattern;
pub mod program;
pub mod report;
pub mod rng;
pub mod run;
pub mod shadow;
pub mod shelter;
pub mod shrink;
pub mod subject;
pub mod together;
#[cfg(test)]
mod toys;
pub mod wrong;

pub use conformance::{conformance, conformance_some};
pub use generate::{Distribution, Generator};
pub use program::{Op, Program};
pub use run::{Nulls, Options, Ran, run};
pub use shadow::Shadow;
pub use shrink::shrink;
pub use subject::{FaultInjector, Subject};
pub use wrong::{Failure, Wrong};
