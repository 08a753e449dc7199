//! From names on the command line to libraries that can be preloaded.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::closest::closest;
use launch::allocator::{Allocator, GLIBC};
use launch::environment::Setting;
use launch::inspect::elf;
use launch::unpack::{Embedded, unpack};
use launch::{discover, environment};

use crate::embedded;
use crate::exit::Usage;
use crate::flags::allocator::AllocatorArg;
use crate::flags::settings::knows;

/// This executable, to start as helper or probe.
pub(crate) fn this_executable() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find this executable itself (is /proc mounted?)")
}

/// The flagship, unpacked.
pub(crate) fn heapwright() -> anyhow::Result<Allocator> {
    unpacked(&embedded::ALL[0])
}

/// The other libraries that this executable carries, unpacked: the classic designs.
pub(crate) fn classics() -> anyhow::Result<Vec<Allocator>> {
    embedded::mallocs().skip(1).map(unpacked).collect()
}

fn unpacked(library: &Embedded) -> anyhow::Result<Allocator> {
    let path = unpack(library)?;
    Ok(Allocator::preloaded(library.name, path)
        .with_version(Some(env!("CARGO_PKG_VERSION").to_owned())))
}

/// Everything a program would be run on: the flagship, the C library's, and what is installed and works. The classic
/// designs are to be asked for by name: some are slow.
///
/// What is installed and does not work is said in `warnings`.
pub(crate) fn all(warnings: &mut Vec<String>) -> anyhow::Result<Vec<Allocator>> {
    let mut all = vec![heapwright()?, Allocator::glibc()];
    for found in discover::installed(&this_executable()?) {
        match found.problem {
            None => all.push(found.allocator),
            Some(problem) => {
                warnings.push(format!("left out: allocator {}: {problem}", found.allocator.name));
            }
        }
    }
    Ok(all)
}

pub(crate) fn find(arg: &AllocatorArg) -> anyhow::Result<Allocator> {
    let name = match arg {
        AllocatorArg::Library { name, path } => return library(name, path),
        AllocatorArg::Variant { name, of, settings } => {
            return variant(name, of, settings);
        }
        AllocatorArg::Name(name) => name,
    };
    match embedded::find(name) {
        Some(library) => unpacked(library),
        None if name == GLIBC => Ok(Allocator::glibc()),
        None => installed(name),
    }
}

/// A library of ours under another name, which says what is set in it.
fn variant(name: &str, of: &str, settings: &[Setting]) -> anyhow::Result<Allocator> {
    let found = find(&AllocatorArg::Name(of.to_owned()))?;
    match settings.iter().find(|setting| embedded::find(of).is_none() || !knows(&found, setting)) {
        Some(setting) => bail!(Usage(format!("-a {name}: {of} has no setting {}", setting.key))),
        None => Ok(Allocator { name: name.to_owned(), ..found }),
    }
}

fn installed(name: &str) -> anyhow::Result<Allocator> {
    let found = discover::installed(&this_executable()?);
    let mut known: Vec<String> = embedded::mallocs().map(|e| e.name.to_owned()).collect();
    known.insert(1, GLIBC.to_owned());
    for f in found {
        if f.allocator.name == name {
            return match f.problem {
                None => Ok(f.allocator),
                Some(problem) => bail!("allocator {name}: {problem}"),
            };
        }
        known.push(f.allocator.name);
    }
    let near = closest(name, known.iter().map(String::as_str));
    let hint = if name.contains(".so") || Path::new(name).exists() {
        format!("for a file of this folder: -a ./{name}; ")
    } else if near.is_empty() {
        String::new()
    } else {
        format!("did you mean {}? ", near.join(" or "))
    };
    bail!(Usage(format!(
        "no allocator {name} on this machine; {hint}there are {}. A library anywhere else: -a {name}=/path/to/lib.so",
        known.join(", ")
    )))
}

fn library(name: &str, path: &Path) -> anyhow::Result<Allocator> {
    // The loader of the child resolves it, wherever that is started.
    let absolute = path
        .canonicalize()
        .with_context(|| format!("allocator {name}: cannot open {}", path.display()))?;
    if !environment::can_be_preloaded(&absolute) {
        bail!(environment::Error::UnspeakablePath(absolute));
    }
    if !elf::defines_malloc(&absolute) {
        bail!(
            "allocator {name}: {} is not a library for this machine that exports malloc",
            absolute.display()
        );
    }
    Ok(Allocator::preloaded(name, absolute))
}
