//! Layers that take an allocator and give one back.
//!
//! ```text
//! base   source   page   block, object   thread ─► ► compose   malloc   heapwright   abi   tools
//! ```
//!
//! `no_std`, no `alloc`.
#![no_std]
