//! Zspages come and go: pages for one are taken when a class has no room, and go back with its last object.

use base::PageAllocator;

use super::{NO_OBJECT, NONE, ZsMalloc, Zspage};
use crate::frames;

impl<P: PageAllocator> ZsMalloc<P> {
    /// Takes pages for a zspage; in the list of empty ones.
    #[cold]
    #[inline(never)]
    pub(super) fn new_zspage(&mut self, index: u8) -> Option<u32> {
        let class = self.classes.class(index);
        let chain = frames::take(&mut self.from, class.pages())?;
        let zspage = Zspage {
            chain,
            class: index,
            group: 0,
            used: 0,
            free: NO_OBJECT,
            fresh: 0,
            pinned: 0,
            before: NONE,
            behind: NONE,
        };
        let id = if self.free == NONE {
            self.zspages.push(zspage, &mut self.from)
        } else {
            let id = self.free;
            let record = self.zspage_mut(id);
            let next = record.behind;
            *record = zspage;
            self.free = next;
            Some(id)
        };
        let Some(id) = id else {
            // SAFETY: just taken, and nobody uses it.
            unsafe { frames::give(&mut self.from, chain, class.pages()) };
            return None;
        };
        self.pages += class.pages();
        self.lists[index as usize].push(&mut self.zspages, id, 0);
        Some(id)
    }

    /// Gives the pages of a zspage back whose last object goes.
    #[cold]
    #[inline(never)]
    pub(super) fn retire(&mut self, id: u32) {
        let zspage = *self.zspage(id);
        self.lists[zspage.class as usize].remove(&mut self.zspages, id);
        let pages = self.classes.class(zspage.class).pages();
        // SAFETY: taken when it was made, and its objects are dead.
        unsafe { frames::give(&mut self.from, zspage.chain, pages) };
        self.pages -= pages;
        let next = self.free;
        let record = self.zspage_mut(id);
        (record.used, record.fresh, record.behind) = (0, 0, next);
        self.free = id;
    }

    /// Gives all pages back to what they are from; every object is gone. O(pages).
    pub fn into_pages(mut self) -> P {
        for id in 0..self.zspages.len() {
            let zspage = *self.zspage(id);
            if zspage.used > 0 {
                let pages = self.classes.class(zspage.class).pages();
                // SAFETY: taken when it was made, and its objects end here.
                unsafe { frames::give(&mut self.from, zspage.chain, pages) };
            }
        }
        self.zspages.give_back(&mut self.from);
        self.slots.give_back(&mut self.from);
        self.from
    }
}
