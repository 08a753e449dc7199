//! Another of ours under the name of the OS's default: a fit, half-fit, or mimalloc's design.

use base::AddMemory;

use crate::AllocResult;

/// Names the type of the first feature that is on.
macro_rules! chosen {
    ([$($before:literal)*]) => {};
    ([$($before:literal)*] $feature:literal $type:ty, $($rest:tt)*) => {
        #[cfg(all(feature = $feature, not(any($(feature = $before),*))))]
        type Chosen = $type;
        chosen!([$($before)* $feature] $($rest)*);
    };
}

chosen! {
    []
    "sharded" block::sharded::Sharded,
    "first-fit" block::fit::FirstFit,
    "next-fit" block::fit::NextFit,
    "best-fit" block::fit::BestFit,
    "worst-fit" block::fit::WorstFit,
    "half-fit" block::tlsf::HalfFit,
}

/// What the features choose.
#[derive(Debug)]
pub struct TlsfByteAllocator {
    inner: Chosen,
}

impl TlsfByteAllocator {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: <Chosen>::new() }
    }

    fn more(&mut self, start: usize, size: usize) -> AllocResult {
        let start = core::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the interface's promise.
        unsafe { self.inner.add_memory(start, size) }?;
        Ok(())
    }
}

byte_allocator!(TlsfByteAllocator);
