//! The finished mallocs: [`heapwright`], the flagship, [`sharded`], [`superslab`], [`thread_caching`], and those of [`single_lock`].
//!
//! One that is neither is a module of its own, named like its row's `id`: it has `Malloc`, the type, which has [`DropIn`], and
//! `new`, which is `const`.
//!
//! ```text
//! base   policy   source   page   object   thread   compose ─► ► malloc   heapwright   abi   tools
//! ```
//!
//! `no_std`, and never allocates, being what allocates.
#![cfg_attr(not(test), no_std)]

mod chunks;
mod drop_in;
mod fallback;
mod few;
mod fork;
pub mod heapwright;
pub mod interrupted;
mod links;
mod misuse;
pub mod record;
mod regret;
#[cfg(test)]
mod shapes;
pub mod sharded;
pub mod single_lock;
pub mod superslab;
pub mod thread_caching;

pub use drop_in::{DropIn, Figures};
pub use heapwright::{Flagship, HEAP};
pub use object::size_class::MAX_LINEAR;
