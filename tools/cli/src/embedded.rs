//! What is inside this executable: the drop-in libraries, the program of workloads, the definitions of the workloads and
//! the files of the real programs. `build.rs` put them there.

/// A library or a program that is carried along.
pub(crate) struct Embedded {
    /// The allocator's name, as `-a` takes it; or the program's.
    pub(crate) name: &'static str,
    /// The file's name, up to the suffix.
    pub(crate) stem: &'static str,
    /// What its name ends in.
    pub(crate) suffix: &'static str,
    /// The file itself.
    pub(crate) bytes: &'static [u8],
    /// A hash of the content, for the unpacked file's name.
    pub(crate) hash: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The library of this name, if it is carried along.
pub(crate) fn find(name: &str) -> Option<&'static Embedded> {
    ALL.iter().find(|library| library.name == name)
}
