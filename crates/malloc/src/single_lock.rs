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
use compose::affix::PowerOfTwo;
use compose::{Affix, BlockMalloc, Growing};
use source::os::Os;

/// What makes the design a malloc, by the word in its row.
macro_rules! layers {
    (Growing, $type:ty) => { Growing<$type, Os> };
    (Prefixed, $type:ty) => { Affix<Growing<$type, Os>, PowerOfTwo> };
}

/// Made of nothing, `const`.
macro_rules! made {
    (Growing, $type:ty) => {
        Growing::new(<$type>::new(), Os)
    };
    (Prefixed, $type:ty) => {
        Affix::new(Growing::new(<$type>::new(), Os))
    };
}

macro_rules! mallocs {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal, type: $type:ty, malloc: $malloc:ident
        })*) => {$(
        #[doc = concat!("`", $name, "`: ", $about, ".")]
        pub mod $id {
            use super::*;

            /// The design behind one lock.
            pub type Malloc = BlockMalloc<Lock<Os>, layers!($malloc, $type)>;

            /// One that has done nothing yet.
            #[must_use]
            pub const fn new() -> Malloc {
                BlockMalloc::new(made!($malloc, $type))
            }
        }
    )*};
}

registry::mallocs!(mallocs);
