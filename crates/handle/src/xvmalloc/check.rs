//! Walks pages and lists.

use base::check::ensure;
use base::{Broken, Check, PageAllocator};

use super::bins::{LISTED, LISTS, list_of};
use super::block::Page;
use super::{HEAD, XvMalloc, sector};
use crate::PAGE;

#[derive(Default)]
struct Seen {
    pages: usize,
    objects: usize,
    payload: usize,
    listed: usize,
}

impl<P: PageAllocator> Check for XvMalloc<P> {
    fn check(&self) -> Result<(), Broken> {
        let mut seen = Seen::default();
        for id in 0..self.pages.numbers() {
            if let Ok(page) = self.pages.get(id) {
                self.check_page(id, page, &mut seen)?;
            }
        }
        let mut listed = 0;
        for list in 0..LISTS {
            let mut blocks = 0;
            for (page, offset) in self.bins.blocks(&self.pages, list) {
                let head = self.pages.at(page).head(offset);
                ensure(head.is_free(), "xvmalloc-X3: only free blocks are in a list", offset)?;
                let mine = list_of(head.size()) == list;
                ensure(mine, "xvmalloc-X3: a block is in its size's list", offset)?;
                blocks += 1;
                ensure(blocks <= seen.listed, "xvmalloc-X3: a list ends", list)?;
            }
            let marked = self.bins.is_marked(list);
            ensure(marked == (blocks > 0), "xvmalloc-X4: the map knows the lists", list)?;
            listed += blocks;
        }
        ensure(listed == seen.listed, "xvmalloc-X3: every free block is in a list", listed)?;
        ensure(seen.pages == self.pages.count(), "xvmalloc-X6: pages are counted", seen.pages)?;
        ensure(seen.objects == self.objects, "xvmalloc-X6: objects are counted", seen.objects)?;
        ensure(seen.payload == self.payload, "xvmalloc-X6: payload is counted", seen.payload)
    }
}

impl<P: PageAllocator> XvMalloc<P> {
    fn check_page(&self, id: u32, page: Page, seen: &mut Seen) -> Result<(), Broken> {
        seen.pages += 1;
        let (mut offset, mut free_before, mut last_sector) = (0, None, None);
        while offset < PAGE {
            let head = page.head(offset);
            ensure(head.free_before() == free_before, "xvmalloc-X2: a free one is known", offset)?;
            let both = head.is_free() && free_before.is_some();
            ensure(!both, "xvmalloc-X1: free blocks have no free neighbours", offset)?;
            if last_sector != Some(sector(offset).0) {
                let first = self.pages.first_in(id, sector(offset).0);
                ensure(first == Some(offset), "xvmalloc-X5: 256 bytes know their head", offset)?;
                last_sector = Some(sector(offset).0);
            }
            free_before = head.is_free().then_some(offset);
            if head.is_free() {
                seen.listed += usize::from(head.size() >= LISTED);
            } else {
                seen.objects += 1;
                seen.payload += head.size();
            }
            offset += HEAD + head.size().next_multiple_of(HEAD);
        }
        ensure(offset == PAGE, "xvmalloc-X1: blocks fill the page", offset)
    }
}
