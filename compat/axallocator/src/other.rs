//! Another of ours under the name of the OS's default: a fit, half-fit, or mimalloc's design.

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

byte_allocator! {
    /// What the features choose.
    TlsfByteAllocator: Chosen, base::AddMemory::add_memory
}
