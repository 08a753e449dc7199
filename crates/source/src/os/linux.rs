//! Linux: raw system calls, no libc in any path that allocates.
//!
//! A raw call neither touches `errno` (so `free` keeps it) nor can come back to `malloc`
//! through an interposed function, as `open` or `mmap` of a library could.

mod busy;
mod cgroup;
mod charge;
pub mod console;
mod descriptor;
pub mod fork;
mod frames;
pub mod futex;
mod huge_pages;
pub mod memory;
pub mod peek;
mod probe;
pub mod process;
pub mod record;
pub mod residency;
mod signals;
pub mod stay;
pub mod stderr;
mod stdio;
mod syscall;
pub mod thread_end;
pub mod thread_start;
mod tls_block;
mod vdso;
mod weak;

/// The Linux kernel as a source of pages, a parking place and a console.
#[derive(Debug, Default, Clone, Copy)]
pub struct Os;
