//! The finished mallocs: [`heapwright`], the flagship, and those of [`single_lock`].
//!
//! ```text
//! base   source   page   object   thread   compose ─► ► malloc   heapwright   abi   tools
//! ```
//!
//! `no_std`, and never allocates, being what allocates.
#![no_std]

pub mod heapwright;
pub mod single_lock;

pub use heapwright::{Flagship, HEAP};
pub use object::size_class::MAX_LINEAR;
