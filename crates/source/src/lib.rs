//! Where memory comes from: the operating system, or a source that fails on demand.
//!
//! ```text
//! base ─► ► source   page   object   thread   malloc   heapwright   abi   tools
//! ```
//!
//! [`PageSource`] says in states what each call needs and leaves. Only [`os`] names an
//! operating system. `no_std`, never allocates.
#![no_std]

pub mod failing;
pub mod os;
pub mod page_source;
pub mod report;

pub use failing::Failing;
pub use page_source::PageSource;
pub use report::Report;
