//! The lists of free blocks, 8 bytes apart, and the map that finds one.

use base::bits::{align_up, low16, low32};

use super::MOST;
use super::block::{Links, NONE};
use super::pages::Pages;

/// The smallest free block that is in a list; smaller ones wait for a neighbour.
pub(super) const LISTED: usize = 32;
/// Bytes from one list to the next.
const STEP: usize = 8;
/// How many lists there are: 508.
pub(super) const LISTS: usize = (MOST - LISTED) / STEP + 1;
const WORDS: usize = LISTS.div_ceil(64);

/// The list in which every block has at least `size` bytes; `LISTS` or more: only a whole page has.
const fn list_for(size: usize) -> usize {
    let size = if size < LISTED { LISTED } else { size };
    (align_up(size, STEP) - LISTED) / STEP
}

pub(super) const fn list_of(size: usize) -> usize {
    (size - LISTED) / STEP
}

/// The first block of a list: its page and where its head is.
#[derive(Debug, Clone, Copy)]
struct First {
    page: u32,
    offset: u16,
}

#[derive(Debug)]
pub(super) struct Bins {
    /// Bit w: word w of `lists` is not 0.
    words: u64,
    /// Bit l of all words in a row: list l has a block.
    lists: [u64; WORDS],
    first: [First; LISTS],
}

impl Bins {
    pub(super) const fn new() -> Self {
        let none = First { page: NONE, offset: 0 };
        Self { words: 0, lists: [0; WORDS], first: [none; LISTS] }
    }

    /// A block of at least `size` bytes, within 8 bytes of the least there is: the one freed last of its list.
    pub(super) fn find(&self, pages: &Pages, size: usize) -> Option<(u32, usize)> {
        let list = list_for(size);
        // Of the list below, some blocks are large enough. The kernel's looked at none: two objects of 2,044 bytes
        // did not share a page.
        if let Some(below) = self.first.get(list.wrapping_sub(1)).filter(|below| below.page != NONE)
            && pages.at(below.page).head(below.offset as usize).size() >= size
        {
            return Some((below.page, below.offset as usize));
        }
        // What only a whole page holds is in no list: a page that is all free went back.
        let here = self.lists.get(list / 64)? & (u64::MAX << (list % 64));
        let (word, bits) = if here != 0 {
            (list / 64, here)
        } else {
            let above = self.words & u64::MAX.checked_shl(low32(list / 64 + 1))?;
            let word = (above != 0).then(|| above.trailing_zeros() as usize)?;
            (word, self.lists[word])
        };
        let first = self.first.get(word * 64 + bits.trailing_zeros() as usize)?;
        Some((first.page, first.offset as usize))
    }

    /// Adds the free block whose head is at `offset`.
    pub(super) fn insert(&mut self, pages: &Pages, page: u32, offset: usize, size: usize) {
        let list = list_of(size);
        let behind = self.first[list];
        let links = Links {
            before_page: NONE,
            before_offset: 0,
            behind_page: behind.page,
            behind_offset: behind.offset,
        };
        pages.at(page).set_links(offset, links);
        let first = First { page, offset: low16(offset) };
        if behind.page == NONE {
            self.lists[list / 64] |= 1 << (list % 64);
            self.words |= 1 << (list / 64);
        } else {
            Self::relink(pages, behind, |links| {
                links.before_page = first.page;
                links.before_offset = first.offset;
            });
        }
        self.first[list] = first;
    }

    pub(super) fn remove(&mut self, pages: &Pages, page: u32, offset: usize) {
        let block = pages.at(page);
        let (links, list) = (block.links(offset), list_of(block.head(offset).size()));
        let behind = First { page: links.behind_page, offset: links.behind_offset };
        if behind.page != NONE {
            Self::relink(pages, behind, |next| {
                next.before_page = links.before_page;
                next.before_offset = links.before_offset;
            });
        }
        if links.before_page == NONE {
            self.first[list] = behind;
            if behind.page == NONE {
                self.lists[list / 64] &= !(1 << (list % 64));
                if self.lists[list / 64] == 0 {
                    self.words &= !(1 << (list / 64));
                }
            }
        } else {
            let before = First { page: links.before_page, offset: links.before_offset };
            Self::relink(pages, before, |last| {
                last.behind_page = behind.page;
                last.behind_offset = behind.offset;
            });
        }
    }

    fn relink(pages: &Pages, at: First, change: impl FnOnce(&mut Links)) {
        let page = pages.at(at.page);
        let mut links = page.links(at.offset as usize);
        change(&mut links);
        page.set_links(at.offset as usize, links);
    }

    /// Whether the map says that a list has a block, in both its levels.
    pub(super) const fn is_marked(&self, list: usize) -> bool {
        let bit = self.lists[list / 64] & 1 << (list % 64) != 0;
        bit && self.words & 1 << (list / 64) != 0
    }

    pub(super) fn blocks<'a>(
        &self,
        pages: &'a Pages,
        list: usize,
    ) -> impl Iterator<Item = (u32, usize)> + use<'a> {
        let First { page, offset } = self.first[list];
        let first = (page != NONE).then_some((page, offset as usize));
        core::iter::successors(first, move |&(page, offset)| {
            let links = pages.at(page).links(offset);
            (links.behind_page != NONE).then_some((links.behind_page, links.behind_offset as usize))
        })
    }
}
