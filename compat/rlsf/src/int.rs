//! The integers that may be named as bitmaps; the first level's chooses the geometry.
//!
//! A pool of rlsf is at most `GRANULARITY << FLLEN` bytes, and `FLLEN` at most the bitmap's bits. Each geometry here
//! covers what its integer can promise.

use core::fmt::Debug;

use base::{AddMemory, BlockAllocator, Free, UsableSize, Walk};
use block::tlsf::{Fixed, GRAIN, Geometry, Heap};

/// An integer with as many bits as a level has lists.
pub trait BinInteger: Copy + Ord + Debug + Send + Sync + Unpin + 'static + sealed::Chooses {
    /// Its bits.
    const BITS: u32;
}

pub(crate) mod sealed {
    use super::Core;

    /// The geometry that goes with an integer.
    pub trait Chooses {
        /// The allocator of that geometry.
        type Heap: Core;
    }
}

/// What the facade asks of an allocator, in one name.
pub trait Core: AddMemory + BlockAllocator + Free + UsableSize + Walk + Debug + Send {
    /// An allocator without memory.
    const NEW: Self;
    /// The largest piece of memory that may be added at once.
    const LARGEST: usize;

    /// See [`Heap::append_memory`].
    /// # Safety
    /// As there.
    unsafe fn append(&mut self, start: *mut u8, len: usize) -> bool;

    /// See [`Heap::reallocate_bytes`].
    /// # Safety
    /// As there.
    unsafe fn reallocate_block(
        &mut self,
        block: core::ptr::NonNull<u8>,
        align: usize,
        size: usize,
    ) -> Option<core::ptr::NonNull<u8>>;
}

impl<const W: usize, const STEPS: usize> Core for Heap<Fixed<W, STEPS, GRAIN>> {
    const NEW: Self = Heap::new();
    const LARGEST: usize = <Fixed<W, STEPS, GRAIN> as Geometry>::LARGEST;

    unsafe fn append(&mut self, start: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.append_memory(start, len) }.is_ok()
    }

    unsafe fn reallocate_block(
        &mut self,
        block: core::ptr::NonNull<u8>,
        align: usize,
        size: usize,
    ) -> Option<core::ptr::NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { self.reallocate_bytes(block, align, size) }
    }
}

macro_rules! integers {
    ($($integer:ty: $wide:expr, $narrow:expr;)*) => {
        $(
            impl sealed::Chooses for $integer {
                #[cfg(target_pointer_width = "64")]
                type Heap = Heap<Fixed<{ $wide.0 }, { $wide.1 }, GRAIN>>;
                #[cfg(not(target_pointer_width = "64"))]
                type Heap = Heap<Fixed<{ $narrow.0 }, { $narrow.1 }, GRAIN>>;
            }

            impl BinInteger for $integer {
                const BITS: u32 = <$integer>::BITS;
            }
        )*
    };
}

// Words of the bitmap and bins to a doubling, on 64 and on 32 bits.
integers! {
    u8: (1, 4), (1, 4);
    u16: (2, 8), (4, 8);
    u32: (4, 8), (7, 8);
    u64: (4, 8), (7, 8);
    u128: (4, 8), (7, 8);
    usize: (4, 8), (7, 8);
}
