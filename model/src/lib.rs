//! Loom models of the lock-free protocols: every interleaving, within written bounds.
//!
//! ```text
//! lock       the real file of crates/base, compiled against loom's atomics
//! shelf      what crates/object does around its `protocol`, which is the real one
//! page       what sharded does with frees by other threads, and superslab with its queues
//! spans      what thread-caching does around its central lists, in vectors
//! futex      how threads sleep, for the lock
//! ```
//!
//! Empty unless compiled with `--cfg loom`; `model/README.md` has the command, the bounds and the
//! run times.

#[cfg(all(loom, test))]
mod futex;
#[cfg(all(loom, test))]
#[path = "../../crates/base/src/lock.rs"]
#[rustfmt::skip]
#[expect(unreachable_pub, reason = "the file is another crate's")]
mod lock;
#[cfg(all(loom, test))]
mod page;
#[cfg(all(loom, test))]
mod shelf;
#[cfg(all(loom, test))]
mod spans;
#[cfg(all(loom, test))]
mod sync;

#[cfg(all(loom, test))]
mod tests;
