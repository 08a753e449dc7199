//! Making room: compact, if that is enough; else offer the page used longest ago.

use base::{HandleAllocator, PageAllocator};

use super::index::Held;
use super::{CompressedStore, Compressor, Page, StoreError};
use crate::PAGE;

/// So many pages that are offered in vain, and there is no room.
const REFUSALS: u32 = 16;

/// How a heap is compacted that can be.
#[derive(Debug)]
pub(super) struct Tidy<A> {
    pub(super) freeable: fn(&A) -> usize,
    pub(super) compact: fn(&mut A) -> usize,
}

/// The caller's way of taking a page over.
pub(super) type Evict<'a> = Option<&'a mut dyn FnMut(u64, &Page) -> bool>;

impl<P: PageAllocator, A: HandleAllocator, C: Compressor> CompressedStore<P, A, C> {
    /// Gives back `over` bytes by compacting, or lets one page go that is not `key`'s. Whether it did either.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(
        &mut self,
        key: u64,
        over: usize,
        evict: &mut Evict<'_>,
        refusals: &mut u32,
    ) -> Result<bool, StoreError> {
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
        while *refusals < REFUSALS {
            // Letting a word go saves nothing.
            let may = |other, held| other != key && !matches!(held, Held::Same(_));
            let Some(id) = self.index.oldest(may) else { return Ok(false) };
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
        // What was compressed for the new page is in `out`.
        let mut room = [0; PAGE];
        let page =
            Self::unpack(&self.heap, &mut self.compressor, held, &mut room, &mut self.offered);
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
