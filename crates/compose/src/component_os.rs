//! The interfaces that component operating systems have had for their allocators, under their names.
//!
//! | generation | what is special | here |
//! |---|---|---|
//! | 2023 | addresses are numbers; one size and one alignment a call | [`v1`] |
//! | 2024 | bytes by `Layout` and `NonNull`; pages at an address of one's choice | [`v2`] |
//! | 2026 | one object for all of a kernel; null when there is none; pages say what they are for | [`v3`] |
//!
//! [`Bytes`] makes a byte allocator of any [`base::BlockAllocator`], [`Pages`] a page allocator of
//! any [`base::PageAllocator`]; [`Ids`] hands out numbers. Each has the traits of [`v1`] and of
//! [`v2`]. What takes addresses on trust is `unsafe` here, which it is not there: that is the
//! only difference in the signatures, besides that `init` says whether it worked.
use core::fmt;

use base::AddError;

mod bytes;
mod ids;
mod pages;
pub mod v1;
pub mod v2;
pub mod v3;

pub use bytes::Bytes;
pub use ids::Ids;
pub use pages::Pages;

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocError {
    /// A size, an alignment, an address or a number that means nothing here.
    InvalidParam,
    /// Memory that the allocator has already.
    MemoryOverlap,
    /// None is left that would do.
    NoMemory,
    /// What is to be given back was not handed out.
    NotAllocated,
}

/// A result of the interfaces.
pub type AllocResult<T = ()> = Result<T, AllocError>;

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AllocError::InvalidParam => "a size, alignment, address or number that means nothing",
            AllocError::MemoryOverlap => "the allocator has part of this memory already",
            AllocError::NoMemory => "nothing is left that would do",
            AllocError::NotAllocated => "what is to be given back was not handed out",
        })
    }
}

impl core::error::Error for AllocError {}

impl From<AddError> for AllocError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Overlaps => AllocError::MemoryOverlap,
            AddError::Full => AllocError::NoMemory,
            AddError::Null | AddError::Wraps | AddError::TooSmall | AddError::TooLarge => {
                AllocError::InvalidParam
            }
        }
    }
}
