//! `HandleAllocator`: objects that are reached by a handle, so that they may lie anywhere, and move.
//!
//! What more one can do is a trait of its own: [`Map`], [`Pin`], [`Compact`].

use core::fmt;
use core::ptr::NonNull;

/// Why a handle or a request was refused. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandleError {
    /// An object of no bytes.
    Empty,
    /// An object of more than `most` bytes.
    TooLarge {
        /// The most that one object can have.
        most: usize,
    },
    /// There is no memory for it.
    NoMemory,
    /// No object ever had this handle here.
    Unknown,
    /// The object was freed.
    Stale,
    /// Somebody reads the object just now.
    Pinned,
    /// So much is pinned just now that one more pin could not be counted; the object need not be.
    TooManyPins,
    /// The bytes go beyond the object's end.
    OutOfBounds,
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandleError::Empty => f.write_str("an object of no bytes"),
            HandleError::TooLarge { most } => write!(f, "an object of more than {most} bytes"),
            HandleError::NoMemory => f.write_str("out of memory"),
            HandleError::Unknown => f.write_str("no object ever had this handle here"),
            HandleError::Stale => f.write_str("the object of this handle was freed"),
            HandleError::Pinned => f.write_str("the object is being read"),
            HandleError::TooManyPins => f.write_str("no more pins can be counted"),
            HandleError::OutOfBounds => f.write_str("beyond the object's end"),
        }
    }
}

impl core::error::Error for HandleError {}

/// Objects behind handles, from `&mut self`: one owner, no lock.
pub trait HandleAllocator {
    /// Names an object while it is live, and is refused afterwards, until generations come round: each heap says after how many.
    type Handle: Copy + Eq + fmt::Debug;

    /// The most bytes that one object can have.
    fn max_len(&self) -> usize;

    /// An object of `len` bytes, all of them 0.
    /// Errors: [`Empty`](HandleError::Empty), [`TooLarge`](HandleError::TooLarge), [`NoMemory`](HandleError::NoMemory).
    fn allocate(&mut self, len: usize) -> Result<Self::Handle, HandleError>;

    /// An object of `len` bytes that are not set to anything, for who writes them all at once.
    /// Errors: as [`allocate`](Self::allocate).
    /// # Safety
    /// Every byte is written before any is read.
    unsafe fn allocate_unwritten(&mut self, len: usize) -> Result<Self::Handle, HandleError> {
        self.allocate(len)
    }

    /// An object with a copy of `bytes`.
    /// Errors: as [`allocate`](Self::allocate).
    fn store(&mut self, bytes: &[u8]) -> Result<Self::Handle, HandleError>;

    /// Gives an object back.
    /// Errors: [`Unknown`](HandleError::Unknown), [`Stale`](HandleError::Stale), [`Pinned`](HandleError::Pinned).
    fn free(&mut self, handle: Self::Handle) -> Result<(), HandleError>;

    /// Exactly how many bytes the object was made with.
    /// Errors: [`Unknown`](HandleError::Unknown), [`Stale`](HandleError::Stale).
    fn len_of(&self, handle: Self::Handle) -> Result<usize, HandleError>;

    /// The object's bytes where they lie. O(1).
    /// Errors: as [`len_of`](Self::len_of).
    fn bytes(&self, handle: Self::Handle) -> Result<&[u8], HandleError>;

    /// The fewest bytes of pages that an object of `len` bytes needs where there is no other: as long as they are not
    /// there, no other object's end makes room for it.
    fn pages_for(&self, len: usize) -> usize {
        len
    }

    /// What there is in it now.
    fn usage(&self) -> HandleUsage;
}

/// Objects and the memory under them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HandleUsage {
    /// Live objects.
    pub objects: usize,
    /// The bytes they were made with.
    pub payload: usize,
    /// Bytes of the pages they lie in.
    pub pages: usize,
    /// Bytes of the tables that know of them.
    pub tables: usize,
}

/// Can lend an object's bytes where they lie.
pub trait Map: HandleAllocator {
    /// The object's bytes, to be changed.
    /// Errors: as [`HandleAllocator::len_of`], and [`Pinned`](HandleError::Pinned).
    fn bytes_mut(&mut self, handle: Self::Handle) -> Result<&mut [u8], HandleError>;

    /// Copies `bytes` into the object, `offset` bytes from its start.
    /// Errors: as [`bytes_mut`](Self::bytes_mut), and [`OutOfBounds`](HandleError::OutOfBounds).
    fn write(
        &mut self,
        handle: Self::Handle,
        offset: usize,
        bytes: &[u8],
    ) -> Result<(), HandleError> {
        let object = self.bytes_mut(handle)?;
        let end = offset.checked_add(bytes.len()).ok_or(HandleError::OutOfBounds)?;
        object.get_mut(offset..end).ok_or(HandleError::OutOfBounds)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Can promise that an object stays where it is and as it is.
/// # Safety
/// An implementer neither moves, writes nor frees an object with a pin, and keeps its memory where it is.
pub unsafe trait Pin: Map {
    /// Adds a pin; the bytes stay valid until it is taken off.
    /// Errors: as [`HandleAllocator::len_of`], and [`TooManyPins`](HandleError::TooManyPins) when so many read just now
    /// that one more could not be counted.
    fn pin(&mut self, handle: Self::Handle) -> Result<NonNull<[u8]>, HandleError>;

    /// Takes a pin off.
    /// # Safety
    /// [`pin`](Self::pin) was called with this handle once more than this was.
    unsafe fn unpin(&mut self, handle: Self::Handle);
}

/// Can bring its objects closer together, and give back the pages that become empty.
pub trait Compact: HandleAllocator {
    /// Bytes of pages that [`compact`](Self::compact) would give back if nothing were pinned.
    fn freeable(&self) -> usize;

    /// Moves objects; the bytes of pages that went back. Needs no memory. O(objects moved).
    fn compact(&mut self) -> usize;
}
