//! Compacting: the objects of the emptiest zspage of a class go to the fullest, until that saves no zspage more.

use base::bits::low8;
use base::{Compact, PageAllocator};

use super::ZsMalloc;
use super::classes::{Class, Classes};
use super::lists::GROUPS;
use super::slots::Place;
use crate::PAGE;

impl<P: PageAllocator> ZsMalloc<P> {
    /// How many zspages of a class would be empty if the others were full.
    pub(super) fn spare(&self, index: u8) -> usize {
        let lists = &self.lists[index as usize];
        let zspages: usize = (0..GROUPS).map(|group| lists.count(group)).sum();
        let objects = self.classes.class(index).objects();
        (zspages * objects - lists.used as usize) / objects
    }

    /// Compacts one class, by its number before merging; the bytes of pages that went back. The others' objects stay
    /// where they are. O(objects moved).
    pub fn compact_class(&mut self, index: usize) -> usize {
        if index >= Classes::COUNT {
            return 0;
        }
        let index = low8(index);
        let mut gone = 0;
        while self.spare(index) > 0 {
            let lists = &self.lists[index as usize];
            let from = lists.emptiest(&self.zspages, |zspage| zspage.pinned == 0);
            let Some(from) = from else { break };
            self.empty(from);
            gone += 1;
        }
        gone * self.classes.class(index).pages() * PAGE
    }

    /// Moves all objects of a zspage into the fullest others, which have room for them all.
    fn empty(&mut self, from: u32) {
        let zspage = *self.zspage(from);
        let class = self.classes.class(zspage.class);
        // Nobody takes room in it meanwhile.
        self.lists[zspage.class as usize].remove(&mut self.zspages, from);
        for object in 0..zspage.fresh {
            let old = Place { zspage: from, object };
            let head = self.head(old);
            if head & 1 == 1 {
                self.move_object(old, slot_of(head), class);
            }
        }
        self.lists[zspage.class as usize].push(&mut self.zspages, from, zspage.group);
        self.retire(from);
    }

    fn move_object(&mut self, old: Place, slot: u32, class: Class) {
        let lists = &self.lists[self.zspage(old.zspage).class as usize];
        let (Some(to), Some(known)) = (lists.fullest(), self.slots.at(slot)) else {
            unreachable!("there is room for every object, and each has a slot")
        };
        let new = self.take_from(to, slot);
        self.lists[self.zspage(to).class as usize].used -= 1;
        let [from, to] = [old, new].map(|place| self.part(place, class.head(), known.len()));
        // SAFETY: bytes of two objects, which are the heap's and apart, and of the same length.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.cast(), known.len()) };
        self.slots.moved(slot, new);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a slot's number has 32 bits")]
pub(super) const fn slot_of(head: u64) -> u32 {
    (head >> 1) as u32
}

impl<P: PageAllocator> Compact for ZsMalloc<P> {
    fn freeable(&self) -> usize {
        let pages = |index| self.spare(index) * self.classes.class(index).pages();
        self.classes.indices().map(pages).sum::<usize>() * PAGE
    }

    fn compact(&mut self) -> usize {
        (0..Classes::COUNT).rev().map(|index| self.compact_class(index)).sum()
    }
}
