//! Blocks of any size out of memory that is given: TLSF, the fits, buddy, mimalloc's design.
//!
//! ```text
//! base   policy   source   page, kernel ─► ► block, object   thread   compose   malloc   heapwright   abi   tools
//! ```
//!
//! One owner, `&mut self`, no locks: [`compose`](https://docs.rs/heapwright-compose) adds those.
//! `no_std`, no `alloc`, no dependency, no atomics; 32 and 64 bit.
#![cfg_attr(not(test), no_std)]

pub mod buddy;
pub mod fit;
#[cfg(test)]
mod shapes;
pub mod sharded;
pub mod tlsf;
