//! Why not, in the component OS's words.

use core::fmt;

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocError {
    /// A size, an alignment or an address that means nothing here.
    InvalidParam,
    /// Memory that the allocator has already.
    MemoryOverlap,
    /// None is left that would do.
    NoMemory,
    /// What is to be given back was not handed out.
    NotAllocated,
}

/// A result of this crate.
pub type AllocResult<T = ()> = Result<T, AllocError>;

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AllocError::InvalidParam => "a size, alignment or address that means nothing",
            AllocError::MemoryOverlap => "the allocator has part of this memory already",
            AllocError::NoMemory => "nothing is left that would do",
            AllocError::NotAllocated => "what is to be given back was not handed out",
        })
    }
}

impl core::error::Error for AllocError {}

impl From<base::AddError> for AllocError {
    fn from(error: base::AddError) -> Self {
        match error {
            base::AddError::Overlaps => AllocError::MemoryOverlap,
            base::AddError::Full => AllocError::NoMemory,
            _ => AllocError::InvalidParam,
        }
    }
}

#[cfg(feature = "axerrno")]
impl From<AllocError> for axerrno::AxError {
    fn from(error: AllocError) -> Self {
        match error {
            AllocError::NoMemory => axerrno::AxError::NoMemory,
            _ => axerrno::AxError::InvalidInput,
        }
    }
}
