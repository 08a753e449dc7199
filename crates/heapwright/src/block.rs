//! Blocks of any size out of memory that is given: every design, the traits, and the default.
//!
//! | feature | [`DefaultBlock`] |
//! |---|---|
//! | `alloc-tlsf`, or none | [`tlsf::Tlsf`]: constant time |
//! | `alloc-first-fit`, `alloc-next-fit`, `alloc-best-fit`, `alloc-worst-fit` | [`fit`] |
//! | `alloc-buddy` | [`buddy::Buddy`]: powers of two |
//! | `alloc-slab` | [`size_slabs::SizeSlabs`]: size classes over a buddy system of pages |
//!
//! Of several features the first in this order counts, so that asking for one is never an error.

pub use ::block::{buddy, fit, tlsf};
pub use base::{
    AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, Malloc, Owns, Piece,
    RemoveError, RemoveMemory, Reset, ResizeInPlace, Stats, UsableSize, Walk,
};
pub use object::size_slabs;

/// Makes the first type whose feature is on [`DefaultBlock`]; the last is for none.
macro_rules! default_block {
    ($($feature:literal: $type:ty, unless $($before:literal)*;)*) => {$(
        #[cfg(all(feature = $feature, not(any($(feature = $before),*))))]
        /// The block allocator that the features choose. `new()` is a `const fn`.
        pub type DefaultBlock = $type;
    )*};
}

default_block! {
    "alloc-first-fit": fit::FirstFit, unless "alloc-tlsf";
    "alloc-next-fit": fit::NextFit, unless "alloc-tlsf" "alloc-first-fit";
    "alloc-best-fit": fit::BestFit, unless "alloc-tlsf" "alloc-first-fit" "alloc-next-fit";
    "alloc-worst-fit": fit::WorstFit,
        unless "alloc-tlsf" "alloc-first-fit" "alloc-next-fit" "alloc-best-fit";
    "alloc-buddy": buddy::Buddy,
        unless "alloc-tlsf" "alloc-first-fit" "alloc-next-fit" "alloc-best-fit" "alloc-worst-fit";
    "alloc-slab": size_slabs::SizeSlabs,
        unless "alloc-tlsf" "alloc-first-fit" "alloc-next-fit" "alloc-best-fit" "alloc-worst-fit"
            "alloc-buddy";
}

/// The block allocator that the features choose. `new()` is a `const fn`.
#[cfg(any(
    feature = "alloc-tlsf",
    not(any(
        feature = "alloc-first-fit",
        feature = "alloc-next-fit",
        feature = "alloc-best-fit",
        feature = "alloc-worst-fit",
        feature = "alloc-buddy",
        feature = "alloc-slab"
    ))
))]
pub type DefaultBlock = tlsf::Tlsf;
