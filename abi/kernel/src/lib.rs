//! The kernel's allocators in user space, under the kernel's names: `libheapwright_kernel`.
//!
//! ```text
//! base   source   page   object, handle ─► ► abi/kernel      heapwright/kernel.h
//!
//! kmem_cache_*   kmalloc …   zs_*   xv_*      vmalloc …        one module each, for any thread
//!      │            │          │      │          │
//!      └── pages: one range for all ──┘        frames: a file in memory
//! ```
//!
//! What each function promises stands in `abi/include/heapwright/kernel.h`; here is how. A function answers bad input with
//! the error that its header names; what only a broken program does ends it, with one line by [`misuse`].
#![no_std]

mod error;
mod flags;
mod fork;
mod guarded;
mod kmalloc;
mod kmem;
mod life;
mod misuse;
mod name;
mod owners;
mod pages;
#[cfg(not(test))]
#[path = "../../src/panic.rs"]
mod panic;
mod rows;
mod vmalloc;
mod xv;
mod zs;

#[link(name = "c")]
unsafe extern "C" {}
