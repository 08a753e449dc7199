//! What counts: objects that change hands are counted by the thread and reported to the page heap (cache-N5, slack-X1).
//!
//! Layer *thread*, inside a pass of the thread's account. O(1) but for a search for holes.
use object::central::{Fault, GivenBack};
use object::shelf::Share;
use object::size_class::info;
use page::System;
use policy::table::REPORT;

use super::{Backend, ThreadCache};
use crate::tls::Tls;
#[cfg(doc)]
use object::Central;

impl ThreadCache {
    /// Claims objects and counts them (cache-N5): as [`Central::claim`].
    pub(super) fn claim<S: System>(
        &self,
        backend: Backend<'_, S>,
        class: usize,
        share: Share,
        out: &mut [usize],
    ) -> usize {
        let got = backend.central.claim(backend.supply, self.place(), class, share, out);
        if self.account.claim(got * info(class).size as usize) >= REPORT {
            self.report(backend);
        }
        got
    }

    /// Gives objects back and counts them (cache-N5): as [`Central::give_back`].
    pub(super) fn give_back<S: System>(
        &self,
        backend: Backend<'_, S>,
        objects: &[usize],
    ) -> GivenBack {
        let back = backend.central.give_back(backend.supply, objects);
        self.account.give_back(back.bytes);
        back
    }

    /// Gives one object back that is in no magazine.
    /// Errors: it is no live object.
    pub fn give_back_one<S: System>(
        &self,
        backend: Backend<'_, S>,
        object: usize,
    ) -> Result<(), Fault> {
        self.account.pass::<S, _>(|| self.give_back(backend, &[object]).answer())
    }

    /// Reports to the page heap what was claimed and given back, and looks for holes when that is
    /// worth it.
    #[cold]
    pub(super) fn report<S: System>(&self, backend: Backend<'_, S>) {
        if self.report_traffic(backend) {
            backend.central.purge_holes(backend.supply);
        }
    }

    /// As [`report`](Self::report); before it looks for holes it empties the magazines, whose
    /// objects lie scattered and hold a page each.
    #[cold]
    pub(super) fn report_and_empty<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        if !self.report_traffic(backend) {
            return Ok(());
        }
        let answer = self.empty_magazines(backend, tls);
        backend.central.purge_holes(backend.supply);
        answer
    }

    pub(super) fn report_traffic<S: System>(&self, backend: Backend<'_, S>) -> bool {
        let (claimed, given_back) = self.account.report();
        backend.supply.pages.note_traffic(claimed, given_back)
    }
}
