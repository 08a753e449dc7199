//! What a handle names: the slot that knows where its object is now.
//!
//! ```text
//! handle   │ generation: 32 │ slot + 1: 32 │        a slot's generation changes when its object is freed
//! slot     │ zspage │ object │ len │ generation │ pins │       16 bytes
//! ```
use core::num::NonZeroU64;

use base::bits::low16;
use base::{HandleError, PageAllocator};

use super::{Handle, NONE};
use crate::table::Table;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) zspage: u32,
    pub(super) object: u16,
}

/// A live object, or a link of the free slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    zspage: u32,
    object: u16,
    /// 0: free. An object has one byte at least.
    len: u16,
    generation: u32,
    /// Of a free slot the next one.
    pub(super) pins: u32,
}

const _: () = assert!(size_of::<Slot>() == 16, "no byte is lost to alignment");

impl Slot {
    pub(super) const fn place(self) -> Place {
        Place { zspage: self.zspage, object: self.object }
    }

    pub(super) const fn len(self) -> usize {
        self.len as usize
    }
}

#[derive(Debug)]
pub(super) struct Slots {
    slots: Table<Slot>,
    free: u32,
    live: usize,
}

/// The slot's number, and the generation that the handle is of.
#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
const fn halves(handle: Handle) -> (u32, u32) {
    let bits = handle.to_bits();
    ((bits as u32).wrapping_sub(1), (bits >> 32) as u32)
}

impl Slots {
    pub(super) const fn new() -> Self {
        Self { slots: Table::new(), free: NONE, live: 0 }
    }

    pub(super) const fn live(&self) -> usize {
        self.live
    }

    pub(super) fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    /// A slot to be filled or put back.
    pub(super) fn take<P: PageAllocator>(&mut self, from: &mut P) -> Option<u32> {
        if self.free == NONE {
            // The last number is none, and one more would not fit a handle.
            if self.slots.len() >= NONE - 1 {
                return None;
            }
            let slot = Slot { zspage: NONE, object: 0, len: 0, generation: 0, pins: NONE };
            return self.slots.push(slot, from);
        }
        let index = self.free;
        self.free = self.slots.get(index)?.pins;
        Some(index)
    }

    /// A slot that was taken and not filled.
    pub(super) fn put_back(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.pins = self.free;
            self.free = index;
        }
    }

    /// Makes a slot that was taken an object's.
    pub(super) fn fill(&mut self, index: u32, place: Place, len: usize) -> Handle {
        let slot = self.slots.get_mut(index);
        let slot = slot.unwrap_or_else(|| unreachable!("the slot was taken"));
        (slot.zspage, slot.object) = (place.zspage, place.object);
        (slot.len, slot.pins) = (low16(len), 0);
        self.live += 1;
        let bits = u64::from(slot.generation) << 32 | (u64::from(index) + 1);
        Handle(NonZeroU64::new(bits).unwrap_or(NonZeroU64::MIN))
    }

    #[inline]
    pub(super) fn find(&self, handle: Handle) -> Result<Slot, HandleError> {
        let (index, generation) = halves(handle);
        let slot = self.slots.get(index).ok_or(HandleError::Unknown)?;
        if slot.generation != generation || slot.len == 0 {
            let was = generation < slot.generation;
            return Err(if was { HandleError::Stale } else { HandleError::Unknown });
        }
        Ok(*slot)
    }

    pub(super) fn find_mut(&mut self, handle: Handle) -> Result<&mut Slot, HandleError> {
        self.find(handle)?;
        self.slots.get_mut(halves(handle).0).ok_or(HandleError::Unknown)
    }

    pub(super) fn at(&self, index: u32) -> Option<Slot> {
        self.slots.get(index).copied().filter(|slot| slot.len > 0)
    }

    /// The slots of live objects. O(slots).
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Slot)> {
        (0..self.slots.len()).filter_map(|index| Some((index, self.at(index)?)))
    }

    /// Gives the table back; nothing is live any more.
    pub(super) fn give_back<P: PageAllocator>(&mut self, from: &mut P) {
        self.slots.give_back(from);
        (self.free, self.live) = (NONE, 0);
    }

    pub(super) fn moved(&mut self, index: u32, place: Place) {
        if let Some(slot) = self.slots.get_mut(index) {
            (slot.zspage, slot.object) = (place.zspage, place.object);
        }
    }

    /// Makes the slot of a live object free.
    pub(super) fn free(&mut self, handle: Handle) {
        let index = halves(handle).0;
        if let Some(slot) = self.slots.get_mut(index) {
            slot.len = 0;
            slot.generation = slot.generation.wrapping_add(1);
            self.live -= 1;
        }
        self.put_back(index);
    }
}
