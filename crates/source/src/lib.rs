//! Where memory comes from: the operating system, or a source that fails on demand.
//!
//! ```text
//! base   policy ─► ► source   page   object   thread   malloc   heapwright   abi   tools
//! ```
//!
//! [`PageSource`] says in states what each call needs and leaves, [`FrameSource`] the same of memory apart from
//! addresses. Only [`os`] names an
//! operating system, and is there where one is known. `no_std`, never allocates.
#![cfg_attr(not(test), no_std)]

#[cfg(target_has_atomic = "64")]
pub mod failing;
pub mod frame_source;
#[cfg(all(target_os = "linux", target_pointer_width = "64", target_has_atomic = "64"))]
pub mod os;
pub mod page_source;
#[cfg(target_has_atomic = "64")]
pub mod paged;
mod pass_on;
pub mod report;

#[cfg(target_has_atomic = "64")]
pub use failing::Failing;
pub use frame_source::{FrameFile, FrameSource, Mapped};
pub use page_source::{Claim, HugePages, Move, PageSource, Stretch};
#[cfg(target_has_atomic = "64")]
pub use paged::Paged;
pub use report::Report;
