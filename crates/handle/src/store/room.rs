//! Making room: compact, if that is enough; else offer the page used longest ago.
//!
//! What cannot be had even without any other page is refused at once: then no page is offered in vain. Nor is one that
//! has nothing of what is lacking.

use base::{HandleAllocator, PageAllocator};

use super::index::Held;
use super::keep::Content;
use super::{CompressedStore, Compressor, Page, StoreError};
use crate::PAGE;

/// So many pages that are offered in vain, and there is no room.
const REFUSALS: u32 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// So many bytes below the limit.
    Limit(usize),
    /// Memory of the heap, or for an entry.
    Memory,
    /// A page of the store's own. The heap's pages are none of those.
    Own,
}

impl From<Lack> for StoreError {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Limit(_) => Self::Full,
            Lack::Memory | Lack::Own => Self::NoMemory,
        }
    }
}

/// How a heap is compacted that can be.
#[derive(Debug)]
pub(super) struct Tidy<A> {
    pub(super) freeable: fn(&A) -> usize,
    pub(super) compact: fn(&mut A) -> usize,
}

/// The caller's way of taking a page over.
pub(super) type Evict<'a> = Option<&'a mut dyn FnMut(u64, &Page) -> bool>;

impl<P: PageAllocator, A: HandleAllocator, C: Compressor> CompressedStore<P, A, C> {
    /// Whether `content` goes beyond the limit even when every page is let go but `old`, whose place it takes: tables
    /// stay.
    pub(super) fn is_hopeless(&self, content: Content, old: Option<u32>) -> bool {
        let heap = self.heap.pages_for(content.len());
        let new = if self.is_own(content) { (0, PAGE) } else { (heap, 0) };
        let old = match old.and_then(|id| self.index.get(id)) {
            Some((_, Held::Packed(handle))) => {
                (self.heap.len_of(handle).map_or(0, |len| self.heap.pages_for(len)), 0)
            }
            Some((_, Held::Raw(_))) => (0, PAGE),
            Some((_, Held::Same(_))) | None => (0, 0),
        };
        // In the heap, the two may lie in the same pages.
        let pages = new.0.max(old.0) + new.1 + old.1;
        self.tables().saturating_add(pages) > self.limit
    }

    /// Gives back what is lacking by compacting, or lets one page go that has some of it and is not `key`'s. Whether it
    /// did either.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(
        &mut self,
        key: u64,
        lack: Lack,
        evict: &mut Evict<'_>,
        refusals: &mut u32,
    ) -> Result<bool, StoreError> {
        let over = match lack {
            Lack::Limit(over) => over,
            Lack::Memory => 1,
            Lack::Own => usize::MAX,
        };
        if let Some(tidy) = &self.tidy
            && (tidy.freeable)(&self.heap) >= over
        {
            let gone = (tidy.compact)(&mut self.heap);
            self.counts.compacted += gone / PAGE;
            if gone > 0 {
                return Ok(true);
            }
        }
        let Some(evict) = evict else { return Ok(false) };
        let only_own = lack == Lack::Own;
        if only_own && self.counts.own == 0 {
            return Ok(false);
        }
        while *refusals < REFUSALS {
            let has_some = |held| !only_own || matches!(held, Held::Raw(_));
            let found = self.index.oldest(|other, held| other != key && has_some(held));
            let Some(id) = found else { return Ok(false) };
            if self.offer(id, evict)? {
                return Ok(true);
            }
            *refusals += 1;
        }
        Ok(false)
    }

    /// Offers the page of an entry, and lets it go if it is taken over.
    fn offer(
        &mut self,
        id: u32,
        evict: &mut dyn FnMut(u64, &Page) -> bool,
    ) -> Result<bool, StoreError> {
        let Some((key, held)) = self.index.get(id) else { return Ok(false) };
        let page = Self::unpack(&self.heap, &mut self.compressor, held, &mut self.offered);
        // What is damaged stays, for `get` to say so.
        if page.is_err() || !evict(key, &self.offered) {
            return Ok(false);
        }
        if let Some(held) = self.index.remove(id) {
            self.forget(held)?;
        }
        Ok(true)
    }
}
