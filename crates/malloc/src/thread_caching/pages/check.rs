//! The page heap walked: pages-P1 to P3 hold.
use base::Broken;
use base::check::ensure;
use base::sync::Ordering;
use page::System;

use super::{Entry, Held, PAGE, Pages, Span, State};
use crate::links::List;

impl<S: System> Pages<S> {
    /// Walks all spans in order of addresses and proves pages-P1 to P3; `visit` sees those in use.
    /// Errors: the first broken invariant.
    pub(in super::super) fn check(&self) -> Result<(), Broken> {
        let free = self.free.lock();
        let (mut pages, mut listed, mut answer) = ([0; 6], 0, Ok(()));
        self.walk(&free, |span, state| {
            pages[state as usize] += span.pages();
            listed += usize::from(!matches!(state, State::Used | State::Leaving));
            let found = self.check_span(span, state);
            if answer.is_ok() {
                answer = found;
            }
        });
        answer?;
        let whole = free.whole.iter().flat_map(List::iter);
        let on_lists = free.kept.iter().chain(free.returned.iter()).chain(whole).count();
        ensure(on_lists == listed, "pages-P1: free spans are on their lists", on_lists)?;
        let [_, used, kept, returned, leaving, whole] = pages;
        let counted = [&self.used, &self.kept, &self.returned].map(|n| n.load(Ordering::Relaxed));
        ensure(counted == [used + leaving, kept + whole, returned], "pages-P3: pages add up", used)
    }

    /// Calls `visit` with every span, by address. O(pages).
    fn walk(&self, _free: &Held<'_, S>, mut visit: impl FnMut(&Span, State)) {
        self.map.walk(|at, _| {
            let Some(span) = self.entry(at).span() else { return 0 };
            let states = [State::Used, State::Kept, State::Returned, State::Leaving, State::Whole];
            let Some(state) = states.into_iter().find(|&state| span.is(state)) else { return 0 };
            if span.start() != at {
                // Inside of a span that is not the one named: an old entry.
                return 0;
            }
            visit(span, state);
            span.end()
        });
    }

    fn check_span(&self, span: &Span, state: State) -> Result<(), Broken> {
        let at = span.start();
        let class = if state == State::Used { span.class() } else { 0 };
        let entry = Entry::new(span, class);
        ensure(self.entry(at) == entry, "pages-P2: the first page names its span", at)?;
        ensure(self.entry(span.end() - 1) == entry, "pages-P2: the last page names its span", at)?;
        let pages = (at..span.end()).step_by(PAGE);
        let all = class == 0 || pages.into_iter().all(|page| self.entry(page) == entry);
        ensure(all, "pages-P2: every page of a class's span names it", at)?;
        let after = self.entry(span.end()).span();
        let joins = matches!(state, State::Kept | State::Returned)
            && after.is_some_and(|after| after.is(state) && after.start() == span.end());
        ensure(!joins, "pages-P1: free neighbours are joined", at)
    }
}
