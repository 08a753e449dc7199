//! Keeping a page and letting it go: what of it is kept where, and the counts of that.

use core::ptr::NonNull;

use base::{HandleAllocator, PageAllocator, prefetch};

use super::index::Held;
use super::{CompressedStore, Compressor, Page, StoreError};
use crate::{PAGE, frames};

#[derive(Clone, Copy)]
pub(super) enum Content {
    Same(u64),
    /// So many bytes of `out`.
    Short(usize),
    Whole,
}

impl Content {
    pub(super) const fn len(self) -> usize {
        match self {
            Self::Same(_) => 0,
            Self::Short(len) => len,
            Self::Whole => PAGE,
        }
    }
}

impl<P: PageAllocator, A: HandleAllocator, C: Compressor> CompressedStore<P, A, C> {
    /// What to keep of a page; it is compressed into `out`.
    pub(super) fn content(&mut self, page: &Page) -> Content {
        if let Some(word) = same_word(page) {
            return Content::Same(word);
        }
        let raw_from = self.raw_from.min(self.heap.max_len().saturating_add(1));
        match self.compressor.compress(page, &mut self.out) {
            Some(len) if (1..raw_from).contains(&len) => Content::Short(len),
            _ => Content::Whole,
        }
    }

    /// Whether it needs a page of the store's own.
    pub(super) fn is_own(&self, content: Content) -> bool {
        content.len() > self.heap.max_len()
    }

    /// Memory for a page's content and, unless its key is there, for its entry.
    pub(super) fn hold(
        &mut self,
        content: Content,
        page: &Page,
        is_there: bool,
    ) -> Result<Held<A::Handle>, StoreError> {
        if !is_there && !self.index.reserve(&mut self.from) {
            return Err(StoreError::NoMemory);
        }
        let bytes = match content {
            Content::Same(word) => return Ok(Held::Same(word)),
            Content::Short(len) => self.out.get(..len).unwrap_or(page),
            Content::Whole => page,
        };
        if bytes.len() <= self.heap.max_len() {
            return Ok(Held::Packed(self.heap.store(bytes)?));
        }
        let own = frames::take(&mut self.from, 1).ok_or(StoreError::NoMemory)?;
        let from = NonNull::from(page).cast::<u8>();
        // SAFETY: a page of the store's own, and one of the caller's.
        unsafe { own.copy_from_nonoverlapping(from, PAGE) };
        self.counts.own += 1;
        Ok(Held::Raw(own))
    }

    /// Adds to the counts what is kept now, or takes it off.
    pub(super) fn count(&mut self, content: Content, held: Held<A::Handle>, is_new: bool) {
        let len = content.len();
        let is_own = matches!(held, Held::Raw(_));
        let (same, huge) = (usize::from(len == 0), usize::from(len == PAGE || is_own));
        let counts = &mut self.counts;
        if is_new {
            counts.compressed += len;
            counts.same += same;
            counts.huge += huge;
            counts.huge_since += huge;
            self.counts.used_max = self.counts.used_max.max(self.used());
        } else {
            counts.compressed -= len;
            counts.same -= same;
            counts.huge -= huge;
        }
    }

    /// Gives the memory back that was had for a page.
    pub(super) fn let_go(&mut self, held: Held<A::Handle>) -> Result<(), StoreError> {
        match held {
            Held::Same(_) => (),
            Held::Packed(handle) => self.heap.free(handle)?,
            Held::Raw(page) => {
                self.counts.own -= 1;
                // SAFETY: a page of the store's own, which no entry has.
                unsafe { frames::give(&mut self.from, page, 1) };
            }
        }
        Ok(())
    }

    /// As [`let_go`](Self::let_go), of a page that was counted.
    pub(super) fn forget(&mut self, held: Held<A::Handle>) -> Result<(), StoreError> {
        let content = match held {
            Held::Same(word) => Content::Same(word),
            Held::Packed(handle) => match self.heap.len_of(handle)? {
                PAGE => Content::Whole,
                len => Content::Short(len),
            },
            Held::Raw(_) => Content::Whole,
        };
        self.let_go(held)?;
        self.count(content, held, false);
        Ok(())
    }

    #[inline]
    pub(super) fn unpack(
        heap: &A,
        compressor: &mut C,
        held: Held<A::Handle>,
        page: &mut Page,
    ) -> Result<(), StoreError> {
        match held {
            Held::Same(word) => {
                for place in page.chunks_exact_mut(size_of::<u64>()) {
                    place.copy_from_slice(&word.to_ne_bytes());
                }
            }
            Held::Packed(handle) => {
                let bytes = heap.bytes(handle)?;
                // All at once: a decoder comes upon one after another.
                prefetch::for_read(bytes);
                if bytes.len() == PAGE {
                    page.copy_from_slice(bytes);
                } else {
                    compressor.decompress(bytes, page).ok_or(StoreError::Damaged)?;
                }
            }
            Held::Raw(own) => {
                // SAFETY: a page of the store's own, written when it was taken.
                page.copy_from_slice(unsafe { own.cast::<Page>().as_ref() });
            }
        }
        Ok(())
    }
}

/// The word that all of a page's words are.
fn same_word(page: &Page) -> Option<u64> {
    let (words, _) = page.as_chunks::<{ size_of::<u64>() }>();
    let (first, last) = (words.first()?, words.last()?);
    // Most pages differ here already.
    let same = first == last && words.iter().all(|word| word == first);
    same.then(|| u64::from_ne_bytes(*first))
}
