//! Policy: what is kept, what goes back and what grows, as decisions without state.
//!
//! ```text
//! base ─► ► policy   source   page   block, object   thread   compose   malloc   heapwright   abi   tools
//!
//! page, object, thread: the numbers ─► policy: a number or a yes ─► carried out by who asked
//! ```
//!
//! All that the flagship decides by a figure of ours is here: [`table`] has the figures, each with
//! its reason, and each other module one kind of decision. A function takes numbers and returns
//! one, so a policy can be read, tried and tested without a heap. Which lock guards the numbers
//! is the asker's business.
//!
//! Depends on nothing. `no_std`, O(1), never panics. Amounts of memory are in bytes, unless a function
//! says that any unit does.
#![no_std]

pub mod caches;
pub mod clock;
pub mod growth;
pub mod holes;
pub mod keep;
pub mod table;
