//! The drop-in libraries inside this executable; `build.rs` put them there.

/// A library that is carried along.
pub(crate) struct Embedded {
    /// The allocator's name, as `-a` takes it.
    pub(crate) name: &'static str,
    /// The library's file, without `lib` and `.so`.
    pub(crate) file: &'static str,
    /// The library itself.
    pub(crate) bytes: &'static [u8],
    /// A hash of the content, for the unpacked file's name.
    pub(crate) hash: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The library of this name, if it is carried along.
pub(crate) fn find(name: &str) -> Option<&'static Embedded> {
    ALL.iter().find(|library| library.name == name)
}
