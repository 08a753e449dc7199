//! The classic designs as a whole program's malloc: one heap, one lock.
//!
//! ```text
//! BlockMalloc        C's functions for any thread, one lock, fork
//!   Growing          memory from the system when there is none left, and back when it is empty
//!     Tlsf | Fit     the design: frees a bare pointer
//!
//! BlockMalloc
//!   Affix            a block's size in front of it, as buddy wants it back
//!     Growing
//!       Buddy
//! ```
//!
//! For measuring the designs on real programs, and for programs with one thread that want their
//! bounds. Many threads wait for each other here; the flagship is for those. No misuse is noticed:
//! what is freed must be a live block.
use base::lock::Lock;
use block::{buddy, fit, tlsf};
use compose::affix::PowerOfTwo;
use compose::{Affix, BlockMalloc, Growing};
use source::os::Os;

/// TLSF: constant time, whatever has been allocated before.
pub type Tlsf = BlockMalloc<Lock<Os>, Growing<tlsf::Tlsf, Os>>;

/// First fit: the lowest address that is large enough.
pub type FirstFit = BlockMalloc<Lock<Os>, Growing<fit::FirstFit, Os>>;

/// Next fit: the first that is large enough after the block served last.
pub type NextFit = BlockMalloc<Lock<Os>, Growing<fit::NextFit, Os>>;

/// Best fit: the smallest that is large enough.
pub type BestFit = BlockMalloc<Lock<Os>, Growing<fit::BestFit, Os>>;

/// Worst fit: the largest.
pub type WorstFit = BlockMalloc<Lock<Os>, Growing<fit::WorstFit, Os>>;

/// Buddy: powers of two. The size in front of a block is part of the power, so one of exactly a
/// power takes the next.
pub type Buddy = BlockMalloc<Lock<Os>, Affix<Growing<buddy::Buddy, Os>, PowerOfTwo>>;

/// A TLSF malloc that has done nothing yet.
#[must_use]
pub const fn tlsf() -> Tlsf {
    BlockMalloc::new(Growing::new(tlsf::Tlsf::new(), Os))
}

/// A first fit that has done nothing yet.
#[must_use]
pub const fn first_fit() -> FirstFit {
    BlockMalloc::new(Growing::new(fit::FirstFit::new(), Os))
}

/// A next fit that has done nothing yet.
#[must_use]
pub const fn next_fit() -> NextFit {
    BlockMalloc::new(Growing::new(fit::NextFit::new(), Os))
}

/// A best fit that has done nothing yet.
#[must_use]
pub const fn best_fit() -> BestFit {
    BlockMalloc::new(Growing::new(fit::BestFit::new(), Os))
}

/// A worst fit that has done nothing yet.
#[must_use]
pub const fn worst_fit() -> WorstFit {
    BlockMalloc::new(Growing::new(fit::WorstFit::new(), Os))
}

/// A buddy that has done nothing yet.
#[must_use]
pub const fn buddy() -> Buddy {
    BlockMalloc::new(Affix::new(Growing::new(buddy::Buddy::new(), Os)))
}
