//! `Check`: walk a whole structure and name the first broken invariant.

use core::fmt;

/// The first invariant that [`Check::check`] found broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// The invariant's number and words, as written in its module's docs.
    pub invariant: &'static str,
    /// What it was found at: an address, an index or a count.
    pub at: usize,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant broken at {:#x}: {}", self.at, self.invariant)
    }
}

/// Fails with `invariant` unless `holds`.
/// Errors: [`Broken`] when `holds` is false.
#[inline]
pub fn ensure(holds: bool, invariant: &'static str, at: usize) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken { invariant, at }) }
}

/// Can walk its whole structure.
pub trait Check {
    /// Walks everything; O(size of the structure), takes its locks. For tests and `check` runs.
    /// Errors: the first broken invariant, by its number and words.
    fn check(&self) -> Result<(), Broken>;
}
