//! Why a store refuses.

use core::fmt;

use base::HandleError;

/// Why a store refused. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreError {
    /// No page has this key.
    Missing,
    /// The page would go beyond the store's limit, and none was let go for it.
    Full,
    /// There is no memory for it, and no page was let go for it.
    NoMemory,
    /// What was kept is no page: the compressor has another state, or memory was overwritten.
    Damaged,
    /// The heap refused a handle that it returned.
    Heap(HandleError),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Missing => f.write_str("no page has this key"),
            StoreError::Full => f.write_str("the store is full, and no page was let go"),
            StoreError::NoMemory => f.write_str("out of memory, and no page was let go"),
            StoreError::Damaged => f.write_str("what was kept cannot be decompressed"),
            StoreError::Heap(error) => write!(f, "the heap refused: {error}"),
        }
    }
}

impl core::error::Error for StoreError {}

impl From<HandleError> for StoreError {
    fn from(error: HandleError) -> Self {
        match error {
            HandleError::NoMemory => StoreError::NoMemory,
            error => StoreError::Heap(error),
        }
    }
}
