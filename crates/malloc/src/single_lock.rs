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
use core::fmt;
use core::ops::ControlFlow;
use core::ptr::{NonNull, with_exposed_provenance_mut};

use base::lock::{Lock, Park as _};
use base::{Check, Free, ResizeInPlace, Stats, UsableSize, Walk};
use compose::growing::{AllocateFresh, Trim};
use compose::{Affix, BlockMalloc, Growing};
use source::os::Os;

use crate::drop_in::{DropIn, Figures};
use crate::heapwright::Block;

/// Bytes of the header in front of a block of a design that can be walked.
const WORD: usize = size_of::<usize>();

/// What makes the design a malloc, by the word in its row.
macro_rules! layers {
    (Growing, $type:ty) => { Growing<$type, Os> };
    (Prefixed, $type:ty) => { Affix<Growing<$type, Os>> };
}

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

registry::single_locks!(mallocs);

/// Can show its blocks, or not.
pub trait Blocks {
    /// Shows each live block and its usable size to `visit`. `false`: it cannot.
    fn blocks(&self, visit: &mut dyn FnMut(usize, usize)) -> bool;
}

impl<A, S> Blocks for Growing<A, S>
where
    Self: Walk + UsableSize,
{
    fn blocks(&self, visit: &mut dyn FnMut(usize, usize)) -> bool {
        self.walk(&mut |piece| {
            // Behind the header, which is a word.
            if piece.used
                && let Some(block) = NonNull::new(with_exposed_provenance_mut(piece.at + WORD))
            {
                // SAFETY: a piece in use is a live block.
                visit(block.addr().get(), unsafe { self.usable_size(block) });
            }
            ControlFlow::Continue(())
        });
        true
    }
}

/// What buddy's memory in use was cut into only the blocks' users know.
impl<A> Blocks for Affix<A> {
    fn blocks(&self, _: &mut dyn FnMut(usize, usize)) -> bool {
        false
    }
}

impl<A> DropIn for BlockMalloc<Lock<Os>, A>
where
    A: AllocateFresh + Free + UsableSize + ResizeInPlace + Trim + Stats + Check + Blocks + Send,
{
    const IS_LOCKED: bool = true;

    fn before_fork(&self, timeout_ms: u32, last: bool) -> bool {
        self.hold(timeout_ms) || last
    }

    fn after_fork(&self, in_child: bool) {
        let lock = self.heap().mutex();
        if in_child && !lock.is_held() && !lock.is_interrupted() {
            // Another thread's, and it stays taken: so its own thread waits for it no more.
            Os::begin();
        }
        self.release();
    }

    fn trim(&self) -> usize {
        self.heap().with(Trim::trim)
    }

    fn walk(&self, visit: &mut dyn FnMut(usize, usize, Block)) -> bool {
        self.heap().with(|heap| heap.blocks(&mut |at, size| visit(at, size, Block::Live)))
    }

    fn figures(&self) -> Figures {
        let stats = self.stats();
        Figures { committed: stats.total, live: stats.used, ..Figures::default() }
    }

    fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let stats = self.stats();
        write!(
            out,
            "{} bytes in use, {} at most, {} mapped, {} in the largest free block, {} requests refused",
            stats.used, stats.peak, stats.total, stats.largest_free, stats.failures
        )
    }
}
