//! `-a`: which allocator.

use core::convert::Infallible;
use core::str::FromStr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

/// An allocator as written on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AllocatorArg {
    /// One that heapwright knows or finds.
    Name(String),
    /// A library at a path.
    Library {
        /// What to call it.
        name: String,
        /// Where it is.
        path: PathBuf,
    },
}

impl FromStr for AllocatorArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !name.contains('/') => {
                Self::Library { name: name.to_owned(), path: path.into() }
            }
            _ if text.contains('/') => {
                let path = PathBuf::from(text);
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let stem = file.split(".so").next().unwrap_or(&file);
                let name = stem.strip_prefix("lib").unwrap_or(stem).to_owned();
                Self::Library { name, path }
            }
            _ => Self::Name(text.to_owned()),
        })
    }
}

/// One allocator.
#[derive(Debug, Args)]
pub(crate) struct OneAllocator {
    /// The allocator: heapwright, glibc, one that 'heapwright list' shows, or NAME=/path/to/lib.so
    #[arg(short, long, value_name = "NAME", default_value = "heapwright", value_hint = ValueHint::FilePath)]
    pub(crate) allocator: AllocatorArg,
}

/// Several allocators.
#[derive(Debug, Args)]
pub(crate) struct SomeAllocators {
    /// An allocator to compare: heapwright, glibc, one that 'heapwright list' shows, NAME=/path/to/lib.so, or all;
    /// may be repeated, and be a list with commas [default: all]
    #[arg(short, long = "allocator", value_name = "NAME", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    pub(crate) allocators: Vec<AllocatorArg>,
}

impl SomeAllocators {
    /// The path by which the allocator of this name was given.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.allocators.iter().find_map(|a| match a {
            AllocatorArg::Library { name: n, path } if n == name => Some(path.as_path()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths() {
        let of = |text: &str| text.parse::<AllocatorArg>().unwrap();
        let library = |name: &str, path: &str| AllocatorArg::Library {
            name: name.to_owned(),
            path: path.into(),
        };
        assert_eq!(of("mimalloc"), AllocatorArg::Name("mimalloc".into()));
        assert_eq!(of("x=/lib/y.so"), library("x", "/lib/y.so"));
        assert_eq!(of("x=y.so"), library("x", "y.so"));
        assert_eq!(of("./out/libmine.so.2"), library("mine", "./out/libmine.so.2"));
        assert_eq!(of("/a=b/libz.so"), library("z", "/a=b/libz.so"));
    }
}
