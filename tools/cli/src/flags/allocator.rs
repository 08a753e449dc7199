//! `-a`: which allocators, as [`super::subject`] reads them.

use clap::Args;
use launch::allocator::GLIBC;
use launch::discover;

use super::Completed;
use super::subject::{self, AllocatorArg};
use crate::embedded;

#[derive(Debug, Clone)]
struct List(Vec<AllocatorArg>);

const LISTS: Completed<List> =
    Completed { read: |text| subject::list(text).map(List), names: known };

const ONE: Completed<AllocatorArg> = Completed {
    read: |text| match <[AllocatorArg; 1]>::try_from(subject::list(text)?) {
        Ok([one]) => Ok(one),
        Err(all) => Err(format!("one allocator is run on, and these are {}", all.len())),
    },
    names: known,
};

fn known() -> Vec<&'static str> {
    let ours = embedded::mallocs().map(|library| library.name);
    ours.chain([GLIBC]).chain(discover::known()).collect()
}

#[derive(Debug, Args)]
pub(crate) struct OneAllocator {
    /// The allocator: heapwright, glibc, one that 'heapwright list' shows, or NAME=/path/to/lib.so; with settings of
    /// heapwright's, NAME:KEY=VALUE, or environment variables, NAME:VARIABLE=VALUE
    #[arg(short, long, value_name = "NAME", default_value = "heapwright", value_parser = ONE, hide_possible_values = true)]
    pub(crate) allocator: AllocatorArg,
}

#[derive(Debug, Args)]
pub(crate) struct MaybeAllocator {
    /// Another malloc than the program's own: heapwright, glibc, one that 'heapwright list' shows, or NAME=/path/to/lib.so
    #[arg(short, long, value_name = "NAME", value_parser = ONE, hide_possible_values = true)]
    pub(crate) allocator: Option<AllocatorArg>,
}

#[derive(Debug, Args)]
pub(crate) struct SomeAllocators {
    /// An allocator to compare: heapwright, glibc, one that 'heapwright list' shows, NAME=/path/to/lib.so, or all; may be
    /// repeated, and be a list with commas [default: all]
    ///
    /// With settings of heapwright's, heapwright:keep=0:safe, or with environment variables, in upper case:
    /// glibc:MALLOC_ARENA_MAX=2. With a name of its own for the tables in front: arena2=glibc:MALLOC_ARENA_MAX=2. A colon begins
    /// the next setting, a comma the next allocator; but a variable's value may have both where it is a list of KEY:VALUE, as in
    /// je=jemalloc:MALLOC_CONF=dirty_decay_ms:1000,muzzy_decay_ms:0
    #[arg(short = 'a', long = "allocator", value_name = "NAME", value_parser = LISTS, hide_possible_values = true)]
    lists: Vec<List>,
}

impl SomeAllocators {
    pub(crate) fn asked(&self) -> Vec<AllocatorArg> {
        self.lists.iter().flat_map(|list| &list.0).cloned().collect()
    }

    /// How the allocator of this name is written after `-a`: as it was.
    pub(crate) fn word(&self, name: &str) -> String {
        let mut asked = self.lists.iter().flat_map(|list| &list.0);
        asked.find(|arg| arg.name == name).map_or(name, |arg| &arg.word).to_owned()
    }
}

/// Allocators that are shown beside what was recorded.
#[derive(Debug, Args)]
pub(crate) struct BesideAllocators {
    /// Beside it show the heap as it would be on this allocator: heapwright, glibc, one that 'heapwright list' shows, or
    /// NAME=/path/to/lib.so, with settings as in 'replay'; may be repeated, and be a list with commas; at most three
    #[arg(short = 'a', long = "allocator", value_name = "NAME", value_parser = LISTS, hide_possible_values = true)]
    lists: Vec<List>,
}

impl BesideAllocators {
    pub(crate) fn asked(&self) -> Vec<AllocatorArg> {
        self.lists.iter().flat_map(|list| &list.0).cloned().collect()
    }
}
