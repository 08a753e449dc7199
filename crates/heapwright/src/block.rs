//! Blocks of any size out of memory that is given: every design, the traits, and the default.
//!
//! | feature | [`DefaultBlock`] |
//! |---|---|
//! | `alloc-tlsf`, or none | [`tlsf::Tlsf`]: constant time |
//! | `alloc-first-fit`, `alloc-next-fit`, `alloc-best-fit`, `alloc-worst-fit` | [`fit`] |
//! | `alloc-buddy` | [`buddy::Buddy`]: powers of two |
//! | `alloc-slab` | [`size_slabs::SizeSlabs`]: size classes over a buddy system of pages |
//! | `alloc-sharded` | [`sharded::Sharded`]: mimalloc's design: pages of one size each |
//!
//! Of several features the first in this order counts, so that asking for one is never an error.

pub use ::block::{buddy, fit, sharded, tlsf};
pub use base::{
    AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, Malloc, Owns, Piece,
    RemoveError, RemoveMemory, Reset, ResizeInPlace, Stats, UsableSize, Walk,
};
pub use kernel::size_slabs;

/// Makes the type of the first row whose feature is on [`DefaultBlock`]; without any, that of the first row.
macro_rules! default_block {
    ([] $({
        name: $name:literal, id: $id:ident, about: $about:literal,
        type: $type:ty, feature: [$($feature:literal)?], $($rest:tt)*
    })*) => {
        default_block!(@next [] $($({ $feature $type })?)*);
        default_block!(@none [$($($feature)?)*] $({ $type })*);
    };
    (@next [$($before:literal)*] { $feature:literal $type:ty } $($rest:tt)*) => {
        #[cfg(all(feature = $feature, not(any($(feature = $before),*))))]
        /// The block allocator that the features choose. `new()` is a `const fn`.
        pub type DefaultBlock = $type;
        default_block!(@next [$($before)* $feature] $($rest)*);
    };
    (@next $before:tt) => {};
    (@none [$($feature:literal)*] { $type:ty } $($rest:tt)*) => {
        #[cfg(not(any($(feature = $feature),*)))]
        /// The block allocator that the features choose. `new()` is a `const fn`.
        pub type DefaultBlock = $type;
    };
}

macro_rules! rows {
    ($($row:tt)*) => {
        default_block!([] $($row)*);
    };
}

registry::blocks!(rows);
