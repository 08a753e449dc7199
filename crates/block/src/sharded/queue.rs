//! Pages in a row, linked through their descriptors: those of a class, or free spans of about one length.
use super::page::PageRef;

#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    first: Option<PageRef>,
    last: Option<PageRef>,
}

impl Queue {
    pub(super) const EMPTY: Self = Self { first: None, last: None };

    #[inline]
    pub(super) fn first(&self) -> Option<PageRef> {
        self.first
    }

    /// Whether it has this page and no other.
    pub(super) fn is_only(&self, page: PageRef) -> bool {
        self.first == Some(page) && self.last == Some(page)
    }

    pub(super) fn push_front(&mut self, page: PageRef) {
        page.next.set(self.first);
        page.previous.set(None);
        match self.first {
            Some(first) => first.previous.set(Some(page)),
            None => self.last = Some(page),
        }
        self.first = Some(page);
    }

    pub(super) fn push_back(&mut self, page: PageRef) {
        page.previous.set(self.last);
        page.next.set(None);
        match self.last {
            Some(last) => last.next.set(Some(page)),
            None => self.first = Some(page),
        }
        self.last = Some(page);
    }

    /// Takes a page out that is in it.
    pub(super) fn remove(&mut self, page: PageRef) {
        let (next, previous) = (page.next.take(), page.previous.take());
        match next {
            Some(next) => next.previous.set(previous),
            None => self.last = previous,
        }
        match previous {
            Some(previous) => previous.next.set(next),
            None => self.first = next,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = PageRef> + use<> {
        core::iter::successors(self.first, |page| page.next.get())
    }
}
