//! Checking and counting.
use base::check::ensure;
use base::{BlockStats, Broken, Check, Stats};
use source::PageSource;

use super::SourcePages;
use super::kept::{MOST, Piece};

const S2: &str = "source-pages-S2: used, kept and free pages are those below the mark";
const S3: &str = "source-pages-S3: kept runs overlap neither each other nor free pages";

/// What a [`SourcePages`] has. Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceUsage {
    /// Of the range.
    pub reserved: usize,
    /// Of pages that may be used: below the mark.
    pub committed: usize,
    /// In runs that were handed out.
    pub used: usize,
    /// In runs that were freed and keep their memory.
    pub kept: usize,
    /// The most ever in runs that were handed out.
    pub peak: usize,
    /// Whether the source refused to purge, so that more than these costs memory.
    pub unpurged: bool,
}

impl SourceUsage {
    /// The most memory that the pages can cost now: used and kept.
    #[must_use]
    pub const fn resident(&self) -> usize {
        self.used + self.kept
    }
}

impl<S: PageSource> SourcePages<S> {
    /// Bytes in use and kept. O(kept runs).
    pub fn usage(&self) -> SourceUsage {
        let page = self.page();
        SourceUsage {
            reserved: self.pages() * page,
            committed: self.row.mark() * page,
            used: self.used * page,
            kept: self.kept.pages() * page,
            peak: self.peak * page,
            unpurged: self.unpurged,
        }
    }
}

impl<S: PageSource> Stats for SourcePages<S> {
    fn stats(&self) -> BlockStats {
        let page = self.page();
        BlockStats {
            total: self.pages() * page,
            used: self.used * page,
            peak: self.peak * page,
            largest_free: self.row.longest().max(self.pages() - self.row.mark()) * page,
            failures: self.failures,
        }
    }
}

impl<S: PageSource> Check for SourcePages<S> {
    /// O(range / word bits): it touches the state of all pages.
    fn check(&self) -> Result<(), Broken> {
        self.row.check()?;
        let mark = self.row.mark();
        ensure(self.used + self.kept.pages() + self.row.free() == mark, S2, mark)?;
        for (index, run) in self.kept.iter().enumerate() {
            let Piece { first, pages } = run;
            ensure(pages > 0 && pages <= MOST && self.row.is_taken(first, pages), S3, first)?;
            ensure(!self.kept.iter().skip(index + 1).any(|other| other.overlaps(run)), S3, first)?;
        }
        Ok(())
    }
}
