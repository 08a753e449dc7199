//! Walks classes, lists, zspages and slots.

use base::check::ensure;
use base::{Broken, Check, PageAllocator};

use super::compact::slot_of;
use super::lists::{GROUPS, group};
use super::slots::Place;
use super::{NO_OBJECT, ZsMalloc};

impl<P: PageAllocator> Check for ZsMalloc<P> {
    fn check(&self) -> Result<(), Broken> {
        let (mut pages, mut objects) = (0, 0);
        for index in self.classes.indices() {
            let lists = &self.lists[index as usize];
            let mut used = 0;
            for number in 0..GROUPS {
                let mut count = 0;
                for id in lists.ids(&self.zspages, number) {
                    count += 1;
                    ensure(count <= lists.count(number), "zsmalloc-Z1: a list ends", id as usize)?;
                    used += self.check_zspage(id, index, number)?;
                }
                ensure(count == lists.count(number), "zsmalloc-Z1: a list is counted", number)?;
                pages += count * self.classes.class(index).pages();
            }
            ensure(used == lists.used as usize, "zsmalloc-Z4: objects are counted", used)?;
            objects += used;
        }
        ensure(pages == self.pages, "zsmalloc-Z4: pages are counted", pages)?;
        ensure(objects == self.slots.live(), "zsmalloc-Z3: as many slots as objects", objects)?;
        let payload = self.check_slots()?;
        ensure(payload == self.payload, "zsmalloc-Z4: payload is counted", payload)
    }
}

impl<P: PageAllocator> ZsMalloc<P> {
    /// Checks that every slot's object names it; the bytes of them all.
    fn check_slots(&self) -> Result<usize, Broken> {
        let (mut live, mut payload, mut pinned) = (0, 0, 0);
        for (index, slot) in self.slots.iter() {
            let (place, at) = (slot.place(), index as usize);
            let zspage = self.zspages.get(place.zspage).filter(|zspage| zspage.used > 0);
            let zspage = zspage.filter(|zspage| place.object < zspage.fresh);
            let Some(zspage) = zspage else {
                return Err(Broken { invariant: "zsmalloc-Z3: a slot names an object", at });
            };
            let class = self.classes.class(zspage.class);
            ensure(slot.len() + class.head() <= class.size(), "zsmalloc-Z3: objects fit", at)?;
            let names = class.is_huge() || self.head(place) == u64::from(index) << 1 | 1;
            ensure(names, "zsmalloc-Z3: an object names its slot", at)?;
            live += 1;
            payload += slot.len();
            pinned += usize::from(slot.pins > 0);
        }
        ensure(live == self.slots.live(), "zsmalloc-Z3: live slots are counted", live)?;
        let records = (0..self.zspages.len()).filter_map(|id| self.zspages.get(id));
        let marked: usize = records.map(|zspage| zspage.pinned as usize).sum();
        ensure(marked == pinned, "zsmalloc-Z5: pinned objects are counted", pinned)?;
        Ok(payload)
    }

    /// Checks one zspage; its live objects.
    fn check_zspage(&self, id: u32, class: u8, list: usize) -> Result<usize, Broken> {
        let (zspage, at) = (*self.zspage(id), id as usize);
        let class_of = self.classes.class(class);
        let (used, fresh) = (zspage.used as usize, zspage.fresh as usize);
        ensure(zspage.class == class, "zsmalloc-Z1: a zspage is in its class's list", at)?;
        let fullness = group(used, class_of.objects()) as usize;
        ensure(fullness == list, "zsmalloc-Z1: a zspage is in the list of its fullness", at)?;
        ensure(fresh <= class_of.objects(), "zsmalloc-Z2: a zspage has as many objects", at)?;
        let (mut free, mut next) = (0, zspage.free);
        while next != NO_OBJECT {
            ensure(next < zspage.fresh && free <= fresh, "zsmalloc-Z2: a free chain ends", at)?;
            free += 1;
            let head = self.head(Place { zspage: id, object: next });
            ensure(head & 1 == 0, "zsmalloc-Z2: an object of the free chain is free", at)?;
            next = base::bits::low16((head >> 1) as usize & usize::from(u16::MAX));
        }
        ensure(used + free == fresh, "zsmalloc-Z2: an object is live, free or fresh", at)?;
        if class_of.head() == 0 {
            return Ok(used);
        }
        let mut live = 0;
        for object in 0..zspage.fresh {
            let place = Place { zspage: id, object };
            let head = self.head(place);
            if head & 1 == 1 {
                let slot = self.slots.at(slot_of(head));
                let mine = slot.is_some_and(|slot| slot.place() == place);
                ensure(mine, "zsmalloc-Z3: a live object's slot names it", at)?;
                live += 1;
            }
        }
        ensure(live == used, "zsmalloc-Z2: live objects are counted", at)?;
        Ok(used)
    }
}
