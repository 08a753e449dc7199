//! Slabs that are empty go back, all of them at the end; and the proof of the invariants.
use base::{Broken, PageAllocator, check::ensure};

use super::{Counts, Ground, Slabs};
use crate::kmem_cache::page_map::PageMap;
use crate::kmem_cache::shuffle::Shuffle;
use crate::kmem_cache::slab::{List, On};

impl Slabs {
    /// Gives empty slabs back, how many, and puts the fullest partial ones in front, so that the others may become empty.
    /// O(partial slabs).
    pub(in crate::kmem_cache) fn shrink<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> usize {
        /// Slabs with more free objects than this stay behind, in the order in which they are.
        const SORTED: usize = 32;
        let before = self.counts.slabs;
        if let Some(slab) = self.current.take_if(|slab| slab.live() == 0) {
            self.retire(ground, slab);
        }
        let mut by_free = [const { List::new(On::Partial) }; SORTED];
        for _ in 0..self.partial.len() {
            let Some(slab) = self.partial.pop_front() else { break };
            match slab.objects() - slab.live() {
                _ if slab.live() == 0 => self.retire(ground, slab),
                free @ 1..=SORTED => by_free[free - 1].push_back(slab),
                _ => self.partial.push_back(slab),
            }
        }
        for list in by_free.iter_mut().rev() {
            while let Some(slab) = list.pop_back() {
                self.partial.push_front(slab);
            }
        }
        before - self.counts.slabs
    }

    /// Gives back all there is, if no object is in use; how many are.
    pub(in crate::kmem_cache) fn close<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> usize {
        self.shrink(ground);
        if self.counts.slabs == 0 {
            if let Some(piece) = self.shuffle.as_mut().and_then(Shuffle::take_piece) {
                // SAFETY: taken for it, and it is used no more.
                unsafe { self.pieces.give(piece, ground.pages) };
            }
            self.pieces.trim(ground.pages);
        }
        self.counts.live
    }

    /// Proves kmem-slabs-N1 to kmem-slabs-N3, kmem-slab-D1 and kmem-slab-D2.
    pub(in crate::kmem_cache) fn check(&self, map: &PageMap) -> Result<(), Broken> {
        let mut sum = Counts::default();
        for slab in self.iter() {
            slab.check()?;
            let at = slab.first();
            let is_listed = match slab.on() {
                On::Current => self.current == Some(slab),
                On::Partial => slab.live() < slab.objects(),
                On::Full => slab.live() == slab.objects(),
            };
            ensure(is_listed, "kmem-slabs-N1: a slab is on the list of its state", at)?;
            sum.slabs += 1;
            sum.objects += slab.objects();
            sum.live += slab.live();
            sum.bytes += self.shape.page << slab.order();
            for page in 0..1 << slab.order() {
                let entry = map.get(slab.base().addr().get() + page * self.shape.page);
                let wanted = slab.as_ptr().addr() | self.tag;
                ensure(entry.addr() == wanted, "kmem-slabs-N3: the map leads to the slab", at)?;
            }
        }
        ensure(
            sum == self.counts,
            "kmem-slabs-N2: the counts are the sums over all slabs",
            sum.slabs,
        )?;
        let shuffled = usize::from(self.shuffle.as_ref().is_some_and(Shuffle::is_ready));
        self.pieces.check(self.counts.slabs + shuffled)
    }
}
