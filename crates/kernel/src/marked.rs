//! Numbers in a row of which runs are taken, over memory that is zero: only what was needed is touched.
//!
//! ```text
//! words   1 1 0 0 0 1 1 │ 0 0 0 0 0 0 …      1 = free
//!         below         mark           count    sums: those of `runs`, behind the words
//! ```
//!
//! - **marked-N1** no bit from the mark on is set.
//! - **marked-N2** the sums say what is true of the words (bitmap-M2 of [`bitmap`](crate::bitmap)).
//!
//! Zeros are the right state of numbers that were never needed, so a row of any length costs nothing until its mark is
//! raised. Layer *kernel*: pages of [`SourcePages`](crate::SourcePages), addresses and frames of
//! `vmalloc`. Finding, taking and giving back are O(run / word bits + log count).
use core::ptr::{self, NonNull};

use base::Broken;
use base::check::ensure;

use crate::bitmap::runs::{BITS, Runs, Sum, sums};

const N1: &str = "marked-N1: no number from the mark on is free";

/// The most numbers of a row: a sum counts up to 2^32 − 1, and is of a power of two.
pub(crate) const MOST: usize = (1 << 31) - 1;

#[derive(Debug)]
pub(crate) struct Marked {
    /// Where the words are; 0: nowhere yet.
    at: usize,
    count: usize,
    mark: usize,
}

impl Marked {
    pub(crate) const EMPTY: Self = Self { at: 0, count: 0, mark: 0 };

    /// Bytes that the state of `count` numbers takes.
    pub(crate) const fn bytes(count: usize) -> usize {
        let words = count.div_ceil(BITS);
        words * size_of::<usize>() + sums(words) * size_of::<Sum>()
    }

    /// The numbers from 0 to `count`, at most [`MOST`]; the mark is at 0.
    /// The caller promises: at `at`, a multiple of a word, are [`bytes`](Self::bytes) zeros that are this value's alone as long
    /// as it is used.
    pub(crate) const unsafe fn new(at: usize, count: usize) -> Self {
        Self { at, count, mark: 0 }
    }

    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Numbers from here on were never needed.
    pub(crate) const fn mark(&self) -> usize {
        self.mark
    }

    fn runs(&self) -> Option<Runs<'_>> {
        let word = NonNull::new(ptr::with_exposed_provenance_mut::<usize>(self.at))?;
        let words = self.count.div_ceil(BITS);
        // SAFETY: the sums stand behind the words.
        let sum = unsafe { word.add(words) }.cast::<Sum>();
        // SAFETY: `words` words; no other `Runs` is there while this one is.
        let words = unsafe { NonNull::slice_from_raw_parts(word, words).as_mut() };
        // SAFETY: their sums, likewise.
        let sums = unsafe { NonNull::slice_from_raw_parts(sum, sums(words.len())).as_mut() };
        Some(Runs { words, sums })
    }

    /// The lowest free run of `len` numbers below the mark; `aligned` says which number may be its first, from one on.
    pub(crate) fn find(
        &self,
        len: usize,
        aligned: impl Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        let runs = self.runs()?;
        let mut from = 0;
        loop {
            let first = aligned(runs.first_run(len, from)?)?;
            if first >= self.mark || len > self.mark - first {
                return None;
            }
            match runs.last_used(first, len) {
                None => return Some(first),
                Some(used) => from = used + 1,
            }
        }
    }

    /// Where the free numbers just below the mark begin. O(those / word bits).
    pub(crate) fn tail(&self) -> usize {
        let used = self.runs().and_then(|runs| runs.last_used(0, self.mark));
        used.map_or(0, |used| used + 1)
    }

    /// The length of the longest free run. O(1).
    pub(crate) fn longest(&self) -> usize {
        self.runs().map_or(0, |runs| runs.longest())
    }

    /// Moves the mark up to `end`; what it passes is free.
    pub(crate) fn raise(&mut self, end: usize) {
        debug_assert!(end <= self.count, "marked-N1");
        if end > self.mark {
            self.set(self.mark, end - self.mark, true);
            self.mark = end;
        }
    }

    pub(crate) fn take(&mut self, first: usize, len: usize) {
        self.set(first, len, false);
    }

    /// Gives back a run that is taken.
    pub(crate) fn give(&mut self, first: usize, len: usize) {
        self.set(first, len, true);
    }

    fn set(&mut self, first: usize, len: usize, free: bool) {
        if let Some(mut runs) = self.runs() {
            runs.set(first, len, free);
        }
    }

    /// Where the stretch of equal numbers that begins at `from` ends, below the mark, and whether they are free.
    pub(crate) fn stretch(&self, from: usize) -> (usize, bool) {
        self.runs().map_or((from, false), |runs| runs.stretch(from, self.mark))
    }

    /// Whether all of these numbers lie below the mark and are taken.
    pub(crate) fn is_taken(&self, first: usize, len: usize) -> bool {
        let inside = first <= self.mark && len <= self.mark - first;
        inside
            && self
                .runs()
                .is_some_and(|runs| runs.stretch(first, first + len) == (first + len, false))
    }

    /// How many are free. O(count / word bits), and touches all of the state.
    pub(crate) fn free(&self) -> usize {
        let ones = |runs: Runs<'_>| runs.words.iter().map(|word| word.count_ones() as usize).sum();
        self.runs().map_or(0, ones)
    }

    /// marked-N1 and marked-N2. As [`free`](Self::free).
    pub(crate) fn check(&self) -> Result<(), Broken> {
        let Some(runs) = self.runs() else { return ensure(self.mark == 0, N1, self.mark) };
        let end = runs.words.len() * BITS;
        let none = self.mark == end || runs.stretch(self.mark, end) == (end, false);
        ensure(none && self.mark <= self.count, N1, self.mark)?;
        runs.check()
    }
}

#[cfg(test)]
mod tests;
