//! What a thread keeps: a magazine of free objects per size class, in thread-local storage.
//!
//! ```text
//! base   policy   source   page   object ─► ► thread   malloc   heapwright   abi   tools
//!
//! TLS   [ – │ top 1 │ top 2 │ … │ top 76 │ cache ]        one word per class
//!                └─► cell [ … │ 0 │ object │ object │ top ]   1 KiB, aligned to it
//! ```
//!
//! [`magazine`] is the fast path of the whole allocator; [`cache`] its slow one.
//! `no_std`, never allocates.
#![cfg_attr(not(test), no_std)]

pub mod account;
pub mod cache;
mod cells;
mod depot;
mod inspect;
pub mod kept;
pub mod links;
pub mod magazine;
pub mod members;
pub mod registry;
pub mod runs;
pub mod tls;
mod words;

pub use account::Outside;
pub use cache::ThreadCache;
pub use members::{Member, Members, Record, ThreadEnds};
pub use registry::Registry;
pub use tls::Tls;
