//! The command `heapwright`, run as users run it: one program, so that its tests run beside each other.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod allocators;
mod bench;
mod check;
mod compare;
mod counted;
mod explain;
mod full_disk;
mod interrupts;
mod kernel;
mod list;
mod pictures;
#[cfg(target_arch = "x86_64")]
mod profile;
mod record;
mod replay;
mod run;
mod sites;
mod stats;
mod streams;
mod usage;
mod workloads;
