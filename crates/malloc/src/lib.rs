//! The finished mallocs. So far one: [`heapwright`], the flagship.
//!
//! ```text
//! base   source   page   object   thread ─► ► malloc   heapwright   abi   tools
//! ```
//!
//! `no_std`, and never allocates, being what allocates.
#![no_std]

pub mod heapwright;

pub use heapwright::{Flagship, HEAP};
pub use object::size_class::MAX_LINEAR;
