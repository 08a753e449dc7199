//! `check`: every structure walked, and the books compared with what is there.
//!
//! What it proves, in this order; each line is an invariant of the module that is named:
//!
//! ```text
//! page     blocks, bins, the window's end; live and dirty granules add up: heap-H1 heap-H3 block-B1 block-B2
//!          window-Z2 moved-P2
//! huge     the table of mappings; their number and bytes add up: huge-U1
//! object   slabs, lists, maps: shelf-F1 slab-S1 central-C1 region-R2
//! slack    claimed, slabs and holes add up, over all threads: slack-X1
//! thread   what the calling thread keeps: inspect-A5 depot-D1 depot-D2 runs-K1
//! ```
//!
//! Other threads go on meanwhile. slack-X1 is compared only if none of them moved objects in the time
//! (account-Y1, account-Y2), so it raises no false alarm; what other threads keep is not looked at.
use base::check::ensure;
use base::sync::{Ordering, fence};
use base::{Broken, Check};
use page::System;
use page::slack::Accounts;
use thread::{ThreadCache, Tls};

use super::Flagship;

impl<S: System, T: Tls> Check for Flagship<S, T> {
    fn check(&self) -> Result<(), Broken> {
        if S::is_busy() {
            let invariant = "none was checked: a signal handler interrupted malloc";
            return Err(Broken { invariant, at: 0 });
        }
        self.pages.check()?;
        self.huge.check()?;
        if self.pages.region.granules() == 0 {
            return Ok(());
        }
        self.central.check(&self.pages)?;
        if let Some((books, found)) = self.accounts() {
            ensure(books.slabs == found.slabs, "slack-X1: slabs add up", found.slabs)?;
            ensure(books.holes == found.holes, "slack-X1: holes add up", found.holes)?;
            let held = books.claimed == found.claimed;
            ensure(held, "slack-X1: claimed - given back = held", found.claimed)?;
        }
        ThreadCache::current(&self.tls)
            .map_or(Ok(()), |cache| cache.check(self.backend(), &self.tls))
    }
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// What the books say and what the slabs hold. `None`: a thread was moving objects, or one is
    /// gone that had not said what it moved.
    pub(super) fn accounts(&self) -> Option<(Accounts, Accounts)> {
        let outside = self.outside.at_rest()?;
        let (books, found) = self.threads.at_rest(|unreported| {
            let mut books = self.pages.slack.accounts()?;
            books.claimed = books.claimed.wrapping_add(unreported);
            Some((books, self.central.accounts(&self.pages)))
        })??;
        // What was read above was read before the count is read again.
        fence(Ordering::Acquire);
        (self.outside.at_rest()? == outside).then_some((books, found))
    }
}
