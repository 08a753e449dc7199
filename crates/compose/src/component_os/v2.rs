//! The generation of 2024: bytes by `Layout` and `NonNull`, pages at an address of one's choice.
use core::alloc::Layout;
use core::ptr::NonNull;

use block::{buddy, fit, tlsf};
use kernel::bitmap::BitmapPages;
use kernel::size_slabs::SizeSlabs;

use super::{AllocResult, Bytes, Pages};

pub use super::v1::{BaseAllocator, IdAllocator};
pub use super::{AllocError, AllocResult as Result};

/// Bytes.
pub trait ByteAllocator: BaseAllocator {
    /// A block of this layout.
    /// Errors: `NoMemory`.
    fn alloc(&mut self, layout: Layout) -> AllocResult<NonNull<u8>>;

    /// Gives a block back.
    /// # Safety
    /// `pos` was allocated here with this layout and is given up.
    unsafe fn dealloc(&mut self, pos: NonNull<u8>, layout: Layout);

    /// Bytes there are.
    fn total_bytes(&self) -> usize;

    /// Bytes in use, with what the allocator puts around them.
    fn used_bytes(&self) -> usize;

    /// Bytes not in use; not all of them need be in one piece.
    fn available_bytes(&self) -> usize;
}

/// Pages: as [`v1`](super::v1::PageAllocator) has them, and at an address.
pub trait PageAllocator: super::v1::PageAllocator {
    /// The `num_pages` pages at `base`, a multiple of `align_pow2` bytes; the address again.
    /// Errors: `InvalidParam` when `base` is not aligned so, or as
    /// [`alloc_pages`](super::v1::PageAllocator::alloc_pages); `NoMemory` when one of them is in use or not the
    /// allocator's.
    fn alloc_pages_at(
        &mut self,
        base: usize,
        num_pages: usize,
        align_pow2: usize,
    ) -> AllocResult<usize>;
}

/// TLSF.
pub type TlsfByteAllocator = Bytes<tlsf::Tlsf>;

/// The basic allocator with a strategy: [`fit::First`], [`fit::Next`], [`fit::Best`], [`fit::Worst`].
pub type BasicAllocator<S> = Bytes<fit::Fit<S>>;

/// Buddy.
pub type BuddyByteAllocator = Bytes<buddy::Buddy>;

/// Slabs of size classes, larger blocks from a buddy system of pages.
pub type SlabByteAllocator = Bytes<SizeSlabs>;

/// Pages by a bitmap.
pub type BitmapPageAllocator<const PAGE_SIZE: usize = 4096> =
    Pages<BitmapPages<PAGE_SIZE>, PAGE_SIZE>;

macro_rules! without_memory {
    ($($name:ty $([$($generic:tt)*])?: $inner:expr;)*) => {$(
        impl $(<$($generic)*>)? $name {
            /// Without memory yet.
            #[must_use]
            pub const fn new() -> Self {
                Self::over($inner)
            }
        }
    )*};
}

without_memory! {
    BitmapPageAllocator<PAGE_SIZE> [const PAGE_SIZE: usize]: BitmapPages::new();
    BuddyByteAllocator: buddy::Buddy::new();
    SlabByteAllocator: SizeSlabs::new();
    TlsfByteAllocator: tlsf::Tlsf::new();
    BasicAllocator<S> [S: fit::Policy]: fit::Fit::new();
}
