//! The list of what the command carries inside itself: one row for each library and program, from which all else follows.
//!
//! ```text
//! a row ─► its package is built and its file put into the command      tools/cli/build.rs, which includes this file
//!       ─► the command finds it by name, and unpacks it                unpack
//!       ─► HEAPWRIGHT_EMBED's folder has its file                      cargo xtask dist, libraries
//! ```
//!
//! Something new to carry is a row here, and a kind if nothing like it is carried yet.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Malloc,
    Program,
    /// What is preloaded before a malloc, to record what is asked of it.
    Recorder,
}

/// A library or a program that is carried along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artefact {
    /// The allocator's name, as `-a` takes it; or the program's.
    pub name: String,
    pub kind: Kind,
    pub package: String,
    /// What cargo calls its file: without hyphens, if it is a library.
    pub built: String,
    /// What its file is called where it is installed.
    pub file: String,
}

/// The flagship's name; the files of the other mallocs are named after it.
const FLAGSHIP: &str = "heapwright";

const PROGRAMS: [&str; 2] = ["heapwright-workloads", "heapwright-replay"];

pub fn all() -> impl Iterator<Item = Artefact> {
    let classics = registry::mallocs().map(|name| malloc(name, &format!("-{name}")));
    let others = PROGRAMS.map(program).into_iter().chain([recorder("heapwright-record")]);
    [malloc(FLAGSHIP, "")].into_iter().chain(classics).chain(others)
}

fn malloc(name: &str, suffix: &str) -> Artefact {
    let stem = format!("lib{FLAGSHIP}{suffix}");
    Artefact {
        name: name.to_owned(),
        kind: Kind::Malloc,
        package: format!("{FLAGSHIP}-abi{suffix}"),
        built: format!("{}.so", stem.replace('-', "_")),
        file: format!("{stem}.so"),
    }
}

/// The package of this name has a program of the same name.
fn program(name: &str) -> Artefact {
    let own = || name.to_owned();
    Artefact { name: own(), kind: Kind::Program, package: own(), built: own(), file: own() }
}

/// The package of this name has a library of the same name.
fn recorder(name: &str) -> Artefact {
    Artefact {
        name: name.to_owned(),
        kind: Kind::Recorder,
        package: name.to_owned(),
        built: format!("lib{}.so", name.replace('-', "_")),
        file: format!("lib{name}.so"),
    }
}
