//! Layers that take an allocator and give one back, one idea each.
//!
//! ```text
//! base   policy   source   page, kernel   block, object   thread ─► ► compose   malloc   heapwright   abi   tools
//! ```
//!
//! | layer | idea |
//! |---|---|
//! | [`Locked`] | one owner becomes any thread: a [`Mutex`] around it, and Rust's allocator traits |
//! | [`Pooled`] | it brings its first memory along, inside itself |
//! | [`Growing`] | when it is exhausted, more memory from a [`source::PageSource`]; empty memory goes back |
//! | [`Affix`] | a block's size in front of it, so that a bare pointer can be freed |
//! | [`BlockMalloc`] | a [`base::Malloc`]: C's functions, alignment 16, any thread, fork |
//!
//! A layer has those abilities that what it holds has; it adds its own and takes none away.
//! All can be made in a `const`. A finished allocator reads as a sentence:
//!
//! ```text
//! BlockMalloc< Lock<Os>, Affix< Growing< Buddy, Os > > >
//! ```
//!
//! `no_std`, no `alloc`; nothing from outside unless a feature asks for it: `lock_api`,
//! `critical-section`, `allocator-api2`.
#![cfg_attr(not(test), no_std)]

pub mod affix;
pub mod block_malloc;
pub mod growing;
pub mod locked;
pub mod mutex;
mod pass_on;
pub mod pooled;

#[cfg(test)]
mod peek;

pub use affix::Affix;
pub use block_malloc::BlockMalloc;
pub use growing::Growing;
pub use locked::Locked;
pub use mutex::Mutex;
pub use pooled::Pooled;
