//! `-a`: which allocator.

use core::str::FromStr;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use launch::allocator::GLIBC;
use launch::discover;
use launch::environment::Setting;

use crate::embedded;

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
    /// One that heapwright knows or finds, with settings of its own, in `bench`.
    Variant {
        /// All of it: `superslab:magazine=0`.
        name: String,
        /// The allocator's name.
        of: String,
        /// What is set.
        settings: Vec<Setting>,
    },
}

impl FromStr for AllocatorArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.ends_with('=') {
            return Err(format!("'{text}' is no allocator; 'heapwright list' shows them"));
        }
        if let Some((of, settings)) = text.split_once(':')
            && !of.is_empty()
            && !of.contains(['/', '='])
        {
            let settings = settings.split(':').map(str::parse).collect::<Result<_, _>>();
            let settings = settings.map_err(|why| format!("'{text}': {why}"))?;
            return Ok(Self::Variant { name: text.to_owned(), of: of.to_owned(), settings });
        }
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

/// Reads any such word, with settings where they are allowed. The names that are known without looking are what a shell
/// completes.
#[derive(Clone)]
struct Names {
    settings: bool,
}

impl TypedValueParser for Names {
    type Value = AllocatorArg;

    fn parse_ref(
        &self,
        command: &Command,
        flag: Option<&Arg>,
        word: &OsStr,
    ) -> Result<AllocatorArg, clap::Error> {
        let may_be_set = self.settings;
        let parse = move |text: String| match text.parse::<AllocatorArg>()? {
            AllocatorArg::Variant { of, .. } if !may_be_set => {
                Err(format!("settings are given by --set: -a {of} --set KEY=VALUE"))
            }
            allocator => Ok(allocator),
        };
        StringValueParser::new().try_map(parse).parse_ref(command, flag, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let ours = embedded::mallocs().map(|library| library.name);
        let names = ours.chain([GLIBC]).chain(discover::known());
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// One allocator.
#[derive(Debug, Args)]
pub(crate) struct OneAllocator {
    /// The allocator: heapwright, glibc, one that 'heapwright list' shows, or NAME=/path/to/lib.so
    #[arg(short, long, value_name = "NAME", default_value = "heapwright", value_parser = Names { settings: false }, hide_possible_values = true)]
    pub(crate) allocator: AllocatorArg,
}

/// Several allocators.
#[derive(Debug, Args)]
pub(crate) struct SomeAllocators {
    /// An allocator to compare: heapwright, glibc, one that 'heapwright list' shows, NAME=/path/to/lib.so, one of
    /// heapwright's with settings, NAME:KEY=VALUE, or all; may be repeated, and be a list with commas [default: all]
    #[arg(short, long = "allocator", value_name = "NAME", value_delimiter = ',', value_parser = Names { settings: true }, hide_possible_values = true)]
    pub(crate) allocators: Vec<AllocatorArg>,
}

impl SomeAllocators {
    /// The settings that were given with the allocator of this name.
    pub(crate) fn settings(&self, name: &str) -> &[Setting] {
        let own = self.allocators.iter().find_map(|a| match a {
            AllocatorArg::Variant { name: n, settings, .. } if n == name => Some(&settings[..]),
            _ => None,
        });
        own.unwrap_or_default()
    }

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
        let AllocatorArg::Variant { of, settings, .. } = of("superslab:magazine=0:superslab=off")
        else {
            panic!("it has settings");
        };
        assert_eq!((of.as_str(), settings.len()), ("superslab", 2));
        assert!("".parse::<AllocatorArg>().is_err() && "x=".parse::<AllocatorArg>().is_err());
    }
}
