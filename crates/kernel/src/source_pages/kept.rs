//! Runs that were freed a moment ago and keep their memory, so that a caller who wants them back pays no system call.
//!
//! Who frees its last slab and takes one again, over and over, would otherwise purge and fault each time: about a
//! microsecond, and a quarter more a page. [`RUNS`] runs of at most [`MOST`] pages are half a mebibyte, which no
//! measurement of a heap notices; longer runs cost more to keep than to fetch.
//!
//! A kept run goes only to who asks for exactly its length. O(RUNS).

/// How many runs are kept: as many as callers take turns, say the orders of a slab allocator.
pub(super) const RUNS: usize = 8;

/// The most pages of a run that is kept: 64 KiB where a page is 4.
pub(super) const MOST: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) first: usize,
    pub(super) pages: usize,
}

impl Piece {
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.first < other.first + other.pages && other.first < self.first + self.pages
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is.
    Kept,
    /// This one is not, or not any more.
    Instead(Piece),
}

/// The runs, in the order in which they were freed.
#[derive(Debug)]
pub(super) struct Kept {
    runs: [Piece; RUNS],
    len: usize,
}

impl Kept {
    pub(super) const fn new() -> Self {
        Self { runs: [Piece { first: 0, pages: 0 }; RUNS], len: 0 }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Piece> {
        self.runs[..self.len].iter().copied()
    }

    pub(super) fn pages(&self) -> usize {
        self.iter().map(|run| run.pages).sum()
    }

    pub(super) fn overlaps(&self, run: Piece) -> bool {
        self.iter().any(|kept| kept.overlaps(run))
    }

    /// Keeps a run; the oldest makes room for it.
    pub(super) fn keep(&mut self, run: Piece) -> Outcome {
        if run.pages > MOST {
            return Outcome::Instead(run);
        }
        let oldest = if self.len == RUNS { self.oldest() } else { None };
        self.runs[self.len] = run;
        self.len += 1;
        oldest.map_or(Outcome::Kept, Outcome::Instead)
    }

    pub(super) fn oldest(&mut self) -> Option<Piece> {
        (self.len > 0).then(|| self.remove(0))
    }

    /// Takes out the run of `pages` pages that was freed last and that `fits`: its first page.
    pub(super) fn take(&mut self, pages: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let fits = |run: &Piece| run.pages == pages && fits(run.first);
        let at = self.runs[..self.len].iter().rposition(fits)?;
        Some(self.remove(at).first)
    }

    fn remove(&mut self, at: usize) -> Piece {
        let run = self.runs[at];
        self.runs.copy_within(at + 1..self.len, at);
        self.len -= 1;
        run
    }
}
