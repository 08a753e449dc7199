//! `Subject`: an allocator under test, with the abilities the executor can use.
use crate::shadow::DEFAULT_ALIGN;
use core::fmt;

use base::{Broken, Check, Malloc};

/// A source of memory that can be told to fail one of its calls.
pub trait FaultInjector {
    /// The `n`-th call from now fails, counted from 1, and [`calls`](Self::calls) starts at 0
    /// again; 0: none fails.
    fn fail_nth(&self, n: u64);

    /// The calls since the last [`fail_nth`](Self::fail_nth), the failed one included.
    fn calls(&self) -> u64;
}

/// An allocator under test. What it cannot do is left out, and the program's steps that need it
/// do nothing.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub malloc: &'a dyn Malloc,
    pub check: Option<&'a (dyn Check + Sync)>,
    /// Gives free memory back to the source.
    pub purge: Option<&'a (dyn Fn() + Sync)>,
    /// Where its memory comes from, when that can be made to fail.
    pub faults: Option<&'a (dyn FaultInjector + Sync)>,
    /// What its blocks of less than 16 bytes are aligned to.
    pub small_align: usize,
}

impl<'a> Subject<'a> {
    /// `malloc` and nothing else.
    pub fn new(malloc: &'a dyn Malloc) -> Subject<'a> {
        Subject { malloc, check: None, purge: None, faults: None, small_align: DEFAULT_ALIGN }
    }

    pub fn with_check(self, check: &'a (dyn Check + Sync)) -> Subject<'a> {
        Subject { check: Some(check), ..self }
    }

    pub fn with_purge(self, purge: &'a (dyn Fn() + Sync)) -> Subject<'a> {
        Subject { purge: Some(purge), ..self }
    }

    pub fn with_faults(self, faults: &'a (dyn FaultInjector + Sync)) -> Subject<'a> {
        Subject { faults: Some(faults), ..self }
    }

    /// With blocks of less than 16 bytes that are aligned to `align`, as C has it (C23 7.24.3).
    pub fn with_small_align(self, align: usize) -> Subject<'a> {
        Subject { small_align: align, ..self }
    }

    /// Walks the structure when it can be walked.
    /// Errors: the first broken invariant.
    pub fn check(&self) -> Result<(), Broken> {
        self.check.map_or(Ok(()), Check::check)
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("check", &self.check.is_some())
            .field("purge", &self.purge.is_some())
            .field("faults", &self.faults.is_some())
            .finish_non_exhaustive()
    }
}
