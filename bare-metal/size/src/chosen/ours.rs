//! Ours, each for pools of 64 KiB at least.

use super::{Subject, address};
use base::AddMemory;
#[cfg(not(feature = "malloc-compact"))]
use base::BlockAllocator;
use core::alloc::Layout;
use core::ptr::NonNull;

/// 1 MiB in one bitmap of two words, bins a quarter of a doubling apart.
#[cfg(feature = "tlsf")]
pub(crate) type Chosen = block::tlsf::Tlsf<2, 4>;
/// One word of bitmap, two bins to a doubling.
#[cfg(any(feature = "tlsf-compact", feature = "malloc-compact"))]
pub(crate) type Chosen = block::tlsf::Tlsf<1, 2>;
#[cfg(feature = "half-fit")]
pub(crate) type Chosen = block::tlsf::HalfFit;
#[cfg(feature = "first-fit")]
pub(crate) type Chosen = block::fit::FirstFit;
#[cfg(feature = "best-fit")]
pub(crate) type Chosen = block::fit::BestFit;
#[cfg(feature = "buddy")]
pub(crate) type Chosen = block::buddy::Buddy;
#[cfg(feature = "slabs")]
pub(crate) type Chosen = kernel::size_slabs::SizeSlabs<1024>;

impl Subject for Chosen {
    const NEW: Self = Chosen::new();

    #[inline(always)]
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's gift.
        unsafe { self.add_memory(start, len) }.is_ok()
    }

    #[inline(always)]
    fn alloc(&mut self, layout: Layout) -> *mut u8 {
        // C's malloc: no alignment but the usual one.
        #[cfg(feature = "malloc-compact")]
        let block = self.allocate_bytes(layout.size());
        #[cfg(not(feature = "malloc-compact"))]
        let block = self.allocate(layout);
        address(block)
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // C's free: it is given no size.
        #[cfg(feature = "malloc-compact")]
        let _ = layout;
        #[cfg(feature = "malloc-compact")]
        // SAFETY: the caller's promise.
        unsafe {
            base::Free::free(self, block);
        }
        #[cfg(not(feature = "malloc-compact"))]
        // SAFETY: the caller's promise.
        unsafe {
            self.deallocate(block, layout);
        }
    }

    #[inline(always)]
    unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
        // C's realloc: it is given the new size.
        #[cfg(feature = "malloc-compact")]
        // SAFETY: the caller's promise.
        let block = unsafe { self.reallocate_bytes(block, block::tlsf::GRAIN, new) };
        #[cfg(feature = "malloc-compact")]
        let _ = layout;
        #[cfg(not(feature = "malloc-compact"))]
        // SAFETY: the caller's promise.
        let block = unsafe { self.reallocate(block, layout, new) };
        address(block)
    }
}
