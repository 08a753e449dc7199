//! The drop-in libraries inside this executable; `build.rs` put them there.

/// A library that is carried along.
pub(crate) struct Embedded {
    /// The allocator's name, as `-a` takes it.
    pub(crate) name: &'static str,
    /// The library file.
    pub(crate) bytes: &'static [u8],
    /// A hash of the content, for the unpacked file's name.
    pub(crate) hash: &'static str,
}

/// The flagship.
pub(crate) const HEAPWRIGHT: Embedded = Embedded {
    name: bench::allocator::HEAPWRIGHT,
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/libheapwright.so")),
    hash: env!("HEAPWRIGHT_LIBRARY_HASH"),
};
