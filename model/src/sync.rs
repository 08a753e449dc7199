//! What `lock` takes from its crate's `sync`: loom's atomics, and a spin loop that does not yield.
//!
//! A loom thread that yields runs again only when no other can, so a locker that yields would
//! always find the lock free, and none would ever sleep.
pub(crate) use base::sync::{AtomicUsize, Ordering};

pub(crate) fn spin_hint() {}
