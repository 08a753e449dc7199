//! `check`: every structure walked, and the books compared with what is there.
//!
//! What it proves, in this order; each line is an invariant of the module that is named:
//!
//! ```text
//! page     H1 H3 B1 B2 Z2 P2   blocks, bins, the window's end; live and dirty granules add up
//! huge     U1         the table of mappings; their number and bytes add up
//! object   F1 S1 C1 R2   slabs, lists, maps
//! slack    X1         claimed, slabs and holes add up, over all threads
//! thread   A5 D1 D2 K1   what the calling thread keeps
//! ```
//!
//! Other threads go on meanwhile. X1 is compared only if none of them moved objects in the time
//! (Y1, Y2), so it raises no false alarm; what other threads keep is not looked at.
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
            ensure(books.slabs == found.slabs, "X1: slabs add up", found.slabs)?;
            ensure(books.holes == found.holes, "X1: holes add up", found.holes)?;
            let held = books.claimed == found.claimed;
            ensure(held, "X1: claimed - given back = held", found.claimed)?;
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
