//! The block allocators for C: `libheapwright_block.a`, for firmware and kernels.
//!
//! ```text
//! base   block ─► ► abi/block        tlsf.h   fit.h   buddy.h   over   block.h
//! ```
//!
//! No C library, no operating system, no atomics: what it needs is memory that the caller gives. What each function promises stands in
//! `abi/include/heapwright`; here is how. A function answers bad input with the null, the 0 or the
//! error its header names; the functions that only pass on to [`block`] do so in one line.
//!
//! Features: `compact` for less code; `neighbours` and `canaries` for checks at each free of
//! TLSF; `first-fit` to `worst-fit` leave policies out.
#![no_std]

mod buddy;
mod call;
mod common;
mod error;
#[cfg(any(
    feature = "first-fit",
    feature = "next-fit",
    feature = "best-fit",
    feature = "worst-fit"
))]
mod fit;
#[cfg(not(test))]
mod misuse;
mod records;
mod tlsf;
