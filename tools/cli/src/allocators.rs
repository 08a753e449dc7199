//! From names on the command line to libraries that can be preloaded.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::allocator::{Allocator, GLIBC, HEAPWRIGHT};
use bench::inspect::elf;
use bench::{discover, environment};

use crate::flags::allocator::AllocatorArg;
use crate::{embedded, unpack};

/// This executable, to start as helper or probe.
pub(crate) fn this_executable() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find this executable itself (is /proc mounted?)")
}

/// Ours, unpacked.
pub(crate) fn heapwright() -> anyhow::Result<Allocator> {
    let library = unpack::unpack(&embedded::HEAPWRIGHT)?;
    Ok(Allocator::preloaded(HEAPWRIGHT, library)
        .with_version(Some(env!("CARGO_PKG_VERSION").to_owned())))
}

/// Everything there is: ours, the C library's, and what is installed and works.
pub(crate) fn all() -> anyhow::Result<Vec<Allocator>> {
    let mut all = vec![heapwright()?, Allocator::glibc()];
    let installed = discover::installed(&this_executable()?);
    all.extend(installed.into_iter().filter(|f| f.problem.is_none()).map(|f| f.allocator));
    Ok(all)
}

/// The allocator that `arg` means.
pub(crate) fn find(arg: &AllocatorArg) -> anyhow::Result<Allocator> {
    match arg {
        AllocatorArg::Library { name, path } => library(name, path),
        AllocatorArg::Name(name) if name == HEAPWRIGHT => heapwright(),
        AllocatorArg::Name(name) if name == GLIBC => Ok(Allocator::glibc()),
        AllocatorArg::Name(name) => installed(name),
    }
}

fn installed(name: &str) -> anyhow::Result<Allocator> {
    let found = discover::installed(&this_executable()?);
    let mut known = vec![HEAPWRIGHT.to_owned(), GLIBC.to_owned()];
    for f in found {
        if f.allocator.name == name {
            return match f.problem {
                None => Ok(f.allocator),
                Some(problem) => bail!("allocator {name}: {problem}"),
            };
        }
        known.push(f.allocator.name);
    }
    bail!(
        "no allocator {name} on this machine; there are {}. A library anywhere else: -a {name}=/path/to/lib.so",
        known.join(", ")
    )
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
