//! Failing on demand: a program once for every call its allocator makes to its source.
//!
//! ```
//! use heapwright_testkit::{Generator, Subject, fault};
//! # use heapwright_testkit::{c::C, FaultInjector};
//! # struct Source; // The C library's source cannot be made to fail; it counts no calls.
//! # impl FaultInjector for Source {
//! #     fn fail_nth(&self, _: u64) {}
//! #     fn calls(&self) -> u64 { 0 }
//! # }
//! let program = Generator { ops: 200, ..Generator::default() }.program(1);
//! fault::sweep(1000, |n| {
//!     let (source, malloc) = (Source, C::new()); // a fresh allocator on a fresh source
//!     fault::run(&Subject::new(&malloc).with_faults(&source), &program, n)
//! })
//! .unwrap();
//! ```
use core::fmt;

use crate::pattern::Samples;
use crate::program::Program;
use crate::run::{self, Nulls, Options};
use crate::subject::{FaultInjector, Subject};
use crate::wrong::{Failure, Wrong};

/// A [`FaultInjector`] of two functions, for a source of another crate:
/// `By(|n| source.fail_nth(n), || source.calls())`.
#[derive(Debug, Clone, Copy)]
pub struct By<F, C>(
    /// Makes the n-th call fail.
    pub F,
    pub C,
);

impl<F: Fn(u64), C: Fn() -> u64> FaultInjector for By<F, C> {
    fn fail_nth(&self, n: u64) {
        (self.0)(n);
    }

    fn calls(&self) -> u64 {
        (self.1)()
    }
}

/// A failure and the failed call that led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Which call failed; 0: none was made to.
    pub n: u64,
    pub failure: Failure,
}

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.n {
            0 => write!(f, "with no call failing: {}", self.failure),
            n => write!(f, "with source call {n} failing: {}", self.failure),
        }
    }
}

impl core::error::Error for Swept {}

/// Calls `once(n)` for n = 0 (no failure), 1, 2, … until the source is called less than n times,
/// or `most` times; returns how many calls were made to fail. `once` returns the calls its run
/// made, as [`run()`] does.
/// Errors: the first n that went wrong.
pub fn sweep(most: u64, mut once: impl FnMut(u64) -> Result<u64, Failure>) -> Result<u64, Swept> {
    for n in 0..=most {
        let calls = once(n).map_err(|failure| Swept { n, failure })?;
        if n > 0 && calls < n {
            return Ok(n - 1);
        }
    }
    Ok(most)
}

/// Runs `program` with the source's `n`-th call failing, `check` around every operation, and
/// returns the calls made. From that call on null is a right answer, every live block must keep
/// its contents, and when all is freed the allocator must serve again.
pub fn run(subject: &Subject<'_>, program: &Program, n: u64) -> Result<u64, Failure> {
    let arm = |n| subject.faults.inspect(|faults| faults.fail_nth(n));
    arm(n);
    // The runs of a sweep take turns.
    let samples = Samples::by_turns(n);
    let options = Options { nulls: Nulls::AfterFault(n), samples, ..Options::default() };
    let result = run::run(subject, program, &options);
    let calls = subject.faults.map_or(0, |faults| faults.calls());
    arm(0);
    result?;
    recovered(subject, program.ops.len())?;
    Ok(calls)
}

/// A small and a large block, now that nothing fails and nothing is live.
fn recovered(subject: &Subject<'_>, index: usize) -> Result<(), Failure> {
    for size in [64, 1 << 20] {
        let block = subject.malloc.malloc(size);
        if block.is_null() {
            return Err(Failure { index, op: None, wrong: Wrong::NoRecovery { size } });
        }
        // SAFETY: it was just allocated.
        unsafe { subject.malloc.free(block) };
    }
    Ok(())
}

#[cfg(test)]
mod tests;
