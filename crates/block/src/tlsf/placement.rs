//! Placement: how large a block a request becomes. TLSF's own, and half-fit's.
//!
//! Half-fit (Ogasawara, RTCSA 1995) is TLSF with one bin to a doubling and every block rounded
//! to a power of two. The average suffers, up to half of each block; what is gained is a smaller
//! bound on the memory ever needed, [`required_heap`](super::required_heap).

use core::fmt;

use super::block::WORD;
use super::geometry::Geometry;
use super::map;

/// A rule from a request's size to its block's.
pub trait Placement: sealed::Sealed + fmt::Debug + 'static {
    /// Bytes of the block, header included, for a payload of `size`, `smallest` at least and
    /// [`Geometry::LARGEST`] at most, so that it has a bin; `None` when it would be larger.
    #[doc(hidden)]
    fn block_size<G: Geometry>(size: usize, smallest: usize) -> Option<usize>;

    /// The same for a size that was had.
    #[doc(hidden)]
    fn block_of<G: Geometry>(size: usize, smallest: usize) -> usize;

    /// The largest payload that a free block of `size` bytes surely has room for.
    #[doc(hidden)]
    fn payload_of(size: usize) -> usize;
}

/// As many grains as the request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoodFit;

/// A power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowersOfTwo;

impl sealed::Sealed for GoodFit {}
impl sealed::Sealed for PowersOfTwo {}

impl Placement for GoodFit {
    fn payload_of(size: usize) -> usize {
        size - WORD
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    fn block_size<G: Geometry>(size: usize, smallest: usize) -> Option<usize> {
        // Header and rounding carry a size just below the limit beyond it, where there is no bin.
        if size > G::LARGEST - WORD {
            return None;
        }
        Some(Self::block_of::<G>(size, smallest))
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    fn block_of<G: Geometry>(size: usize, smallest: usize) -> usize {
        let size = unforeseen(size + WORD + G::GRAIN - 1) & !(G::GRAIN - 1);
        // A grain is the least that comes out.
        if smallest > G::GRAIN && size < smallest { smallest } else { size }
    }
}

/// The value, of which the compiler is to know nothing. What it knows of a size that passed the
/// test above makes a RISC-V mask of one instruction one of three.
#[inline(always)]
fn unforeseen(value: usize) -> usize {
    #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
    let value = {
        let mut value = value;
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {0} */", inlateout(reg) value, options(pure, nomem, nostack, preserves_flags));
        }
        value
    };
    value
}

impl Placement for PowersOfTwo {
    fn payload_of(size: usize) -> usize {
        (1 << size.ilog2()) - WORD
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    fn block_size<G: Geometry>(size: usize, smallest: usize) -> Option<usize> {
        const { assert!(G::STEPS == 1, "half-fit has one bin to a doubling") };
        if size > (G::GRAIN << G::HIGHEST) - WORD {
            return None;
        }
        Some(Self::block_of::<G>(size, smallest))
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    fn block_of<G: Geometry>(size: usize, smallest: usize) -> usize {
        // With one step a size's bin is the position of its highest bit, plus one.
        let doublings = map::bin::<G>((size + WORD - 1) / G::GRAIN);
        let smallest = (smallest / G::GRAIN).next_power_of_two();
        let grains = 1 << doublings;
        (if grains < smallest { smallest } else { grains }) * G::GRAIN
    }
}

mod sealed {
    pub trait Sealed {}
}
