//! What is inside this executable: libraries and programs, as `launch::artefact` lists them, the definitions of the workloads
//! and the files of the real programs. `build.rs` put them there.

use launch::artefact::Kind;
use launch::unpack::Embedded;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The mallocs, the flagship first.
pub(crate) fn mallocs() -> impl Iterator<Item = &'static Embedded> {
    ALL.iter().filter(|embedded| embedded.kind == Kind::Malloc)
}

pub(crate) fn find(name: &str) -> Option<&'static Embedded> {
    mallocs().find(|library| library.name == name)
}

pub(crate) fn program(name: &str) -> Option<&'static Embedded> {
    ALL.iter().find(|embedded| embedded.kind == Kind::Program && embedded.name == name)
}

pub(crate) fn recorder() -> Option<&'static Embedded> {
    ALL.iter().find(|embedded| embedded.kind == Kind::Recorder)
}
