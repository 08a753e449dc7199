//! What was found wrong with a pointer, in one line that names the cache.
use core::fmt;

use super::settings::Name;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// No object of this cache is there, or no more.
    Foreign,
    /// It is inside of a slab, not at an object's start.
    Inside,
    /// It is free already.
    DoubleFree,
    /// It is free.
    Free,
    /// It is no object, but a reserve, which another cache has made.
    OtherReserve,
    /// A byte at this address beside the object, which was `found`, was written.
    RedZone {
        /// Of the byte.
        at: usize,
        /// What it is.
        found: u8,
    },
    /// A byte at this address in the free object was written.
    UseAfterFree {
        /// Of the byte.
        at: usize,
        /// What it is.
        found: u8,
    },
    /// A byte at this address between objects was written.
    Padding {
        /// Of the byte.
        at: usize,
        /// What it is.
        found: u8,
    },
}

/// A finding with its cache and the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misuse {
    /// The cache that was called.
    pub cache: Name,
    /// The pointer's address.
    pub address: usize,
    /// What is wrong with it.
    pub finding: Finding,
    /// Who allocated and who freed the object last, where the cache keeps that.
    pub users: Option<Users>,
}

/// Numbers that the callers gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Users {
    /// Who allocated it last.
    pub allocated: usize,
    /// Who freed it last.
    pub freed: usize,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cache {}: {:#x} ", self.cache, self.address)?;
        match self.finding {
            Finding::Foreign => f.write_str("is no live object of it"),
            Finding::Inside => f.write_str("points into a slab, not at an object's start"),
            Finding::DoubleFree => f.write_str("is free already (double free)"),
            Finding::Free => f.write_str("is free"),
            Finding::OtherReserve => f.write_str("is a reserve of another cache"),
            Finding::RedZone { at, found } => {
                write!(f, "was written beyond its ends: {found:#04x} at {at:#x}")
            }
            Finding::UseAfterFree { at, found } => {
                write!(f, "was written after it was freed: {found:#04x} at {at:#x}")
            }
            Finding::Padding { at, found } => {
                write!(f, "is followed by padding that was written: {found:#04x} at {at:#x}")
            }
        }?;
        match self.users {
            Some(Users { allocated, freed }) => {
                write!(f, "; allocated by {allocated:#x}, freed by {freed:#x}")
            }
            None => Ok(()),
        }
    }
}

impl core::error::Error for Misuse {}
