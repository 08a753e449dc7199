//! zsmalloc: objects of 255 sizes in chains of pages, behind handles that let them move.
//!
//! ```text
//! handle ─► slot ─► zspage, object          who moves an object changes its slot; the handle stays
//!
//! zspage   │ page    │ page    │ page    │     1 to 16 pages, one size of object, which may lie across pages
//!          │ o │ o │ o │ o │ o │ o │ o │o│
//!
//! object   │ slot × 2 + 1: 8 │ bytes … │      live: so a walk over a page finds whose it is
//!          │ next × 2:     8 │ unused … │     free
//!
//! class    lists of zspages by fullness:  0 · 10 · 20 … 90 · 99 · 100 %
//! ```
//!
//! - **zsmalloc-Z1** a zspage is in the list of its class and fullness.
//! - **zsmalloc-Z2** its objects are `used` live ones, those of its free chain, and those from `fresh` on, never used yet.
//! - **zsmalloc-Z3** a live object names a slot, and that names the object.
//! - **zsmalloc-Z4** pages, live objects and their bytes are counted.
//! - **zsmalloc-Z5** a zspage counts those of its objects that are pinned; as long as there are any, it is not emptied.
//!
//! An object costs 8 bytes, what its class is larger, and a slot of 16 bytes in a table. The largest class, a page,
//! needs no 8 bytes. Objects go to the fullest zspage with room; [`Compact`](base::Compact) empties the emptiest ones
//! into it. Allocating and freeing take O(1), compacting O(bytes moved).
//!
//! After the kernel's, by its documentation and the mails around it: N. Gupta and S. Jennings 2012, M. Kim 2015,
//! S. Senozhatsky 2023.
use core::num::NonZeroU64;
use core::ptr::NonNull;

use base::bits::low16;
use base::{HandleAllocator, HandleError, HandleUsage, PageAllocator};

mod check;
mod classes;
mod compact;
mod in_one_piece;
mod lists;
mod slots;
mod statistics;
mod zspages;

pub use classes::{Class, Classes, Rule};
pub use statistics::ClassLine;

use classes::{CLASSES, HEAD};
use lists::Lists;
use slots::{Place, Slots};

use crate::PAGE;
use crate::placed::placed;
use crate::table::Table;

/// No zspage, no object.
const NONE: u32 = u32::MAX;
const NO_OBJECT: u16 = u16::MAX;

/// Names an object: its slot, and the how manieth there. That is counted in 32 bits: the handle of an object that was freed
/// is refused until 2^32 objects, itself among them, were freed from its slot, and then taken for the one that is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle(NonZeroU64);

impl Handle {
    /// As a number, which is never 0.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// What [`to_bits`](Self::to_bits) returned; any other number makes a handle that is refused. `None`: 0.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

/// A few pages with objects of one class.
#[derive(Debug, Clone, Copy)]
struct Zspage {
    /// Its pages, in one piece.
    chain: NonNull<u8>,
    class: u8,
    group: u8,
    used: u16,
    /// The first free object that was used before; [`NO_OBJECT`]: none.
    free: u16,
    /// Objects from here on were never used.
    fresh: u16,
    pinned: u16,
    before: u32,
    behind: u32,
}

// SAFETY: the pages are the heap's own.
unsafe impl Send for Zspage {}

/// Objects in chains of pages from `P`.
///
/// ```
/// use base::{AddMemory, Compact, HandleAllocator};
/// use heapwright_handle::ZsMalloc;
/// use kernel::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 256 << 10];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let mut heap = ZsMalloc::new(pages, Default::default());
/// let handle = heap.store(b"compressed").unwrap();
/// heap.compact();
/// assert_eq!(heap.bytes(handle), Ok(&b"compressed"[..]));
/// heap.free(handle).unwrap();
/// assert!(heap.bytes(handle).is_err());
/// ```
#[derive(Debug)]
pub struct ZsMalloc<P> {
    from: P,
    classes: Classes,
    zspages: Table<Zspage>,
    /// The first record without a zspage.
    free: u32,
    lists: [Lists; CLASSES],
    slots: Slots,
    pages: usize,
    payload: usize,
}

impl<P: PageAllocator> ZsMalloc<P> {
    /// Without objects; each zspage will lie in one piece.
    #[must_use]
    pub const fn new(pages: P, classes: Classes) -> Self {
        let (zspages, lists) = (Table::new(), [const { Lists::new() }; CLASSES]);
        let slots = Slots::new();
        Self { from: pages, classes, zspages, free: NONE, lists, slots, pages: 0, payload: 0 }
    }

    /// The classes of sizes.
    pub const fn classes(&self) -> &Classes {
        &self.classes
    }

    fn zspage(&self, id: u32) -> &Zspage {
        self.zspages.get(id).unwrap_or_else(|| unreachable!("a zspage has a record"))
    }

    fn zspage_mut(&mut self, id: u32) -> &mut Zspage {
        self.zspages.get_mut(id).unwrap_or_else(|| unreachable!("a zspage has a record"))
    }

    /// Where `len` bytes of an object lie, `skip` bytes from its start.
    fn part(&self, place: Place, skip: usize, len: usize) -> NonNull<[u8]> {
        let zspage = self.zspage(place.zspage);
        let size = self.classes.class(zspage.class).size();
        // SAFETY: within the zspage's pages.
        let start = unsafe { zspage.chain.add(place.object as usize * size + skip) };
        NonNull::slice_from_raw_parts(start, len)
    }

    /// Where the bytes of a live object lie.
    fn payload_of(&self, place: Place, len: usize) -> NonNull<[u8]> {
        let class = self.classes.class(self.zspage(place.zspage).class);
        self.part(place, class.head(), len)
    }

    /// What stands in front of an object, live or free.
    fn head(&self, place: Place) -> u64 {
        let head = self.part(place, 0, HEAD).cast::<[u8; HEAD]>();
        // SAFETY: written when the object was made or freed.
        u64::from_le_bytes(unsafe { head.read() })
    }

    fn set_head(&self, place: Place, head: u64) {
        let place = self.part(place, 0, HEAD).cast::<[u8; HEAD]>();
        // SAFETY: in front of an object of the heap's.
        unsafe { place.write(head.to_le_bytes()) };
    }

    /// Room for an object of a class, which is `slot`'s from now on.
    fn take(&mut self, index: u8, slot: u32) -> Option<Place> {
        let id = match self.lists[index as usize].fullest() {
            Some(id) => id,
            None => self.new_zspage(index)?,
        };
        Some(self.take_from(id, slot))
    }

    fn take_from(&mut self, id: u32, slot: u32) -> Place {
        let zspage = *self.zspage(id);
        let recycled = zspage.free != NO_OBJECT;
        let object = if recycled { zspage.free } else { zspage.fresh };
        let place = Place { zspage: id, object };
        let class = self.classes.class(zspage.class);
        let (mut free, mut fresh) = (zspage.free, zspage.fresh);
        if recycled {
            free = low16((self.head(place) >> 1) as usize & usize::from(u16::MAX));
        } else {
            fresh += 1;
        }
        let used = zspage.used + 1;
        self.lists[zspage.class as usize].used += 1;
        let zspage = self.zspage_mut(id);
        (zspage.free, zspage.fresh, zspage.used) = (free, fresh, used);
        if class.head() > 0 {
            self.set_head(place, u64::from(slot) << 1 | 1);
        }
        self.regroup(id);
        place
    }

    /// Gives an object's room back, and its zspage with it if that is empty.
    fn release(&mut self, place: Place) {
        let zspage = *self.zspage(place.zspage);
        self.lists[zspage.class as usize].used -= 1;
        if zspage.used == 1 {
            self.retire(place.zspage);
            return;
        }
        self.set_head(place, u64::from(zspage.free) << 1);
        let zspage = self.zspage_mut(place.zspage);
        zspage.free = place.object;
        zspage.used -= 1;
        self.regroup(place.zspage);
    }

    /// Into the list of its fullness, first, if that has changed.
    fn regroup(&mut self, id: u32) {
        let zspage = self.zspage(id);
        let (class, old) = (zspage.class, zspage.group);
        let new = lists::group(zspage.used as usize, self.classes.class(class).objects());
        if new != old {
            let lists = &mut self.lists[class as usize];
            lists.remove(&mut self.zspages, id);
            lists.push(&mut self.zspages, id, new);
        }
    }

    fn place(&self, handle: Handle) -> Result<NonNull<[u8]>, HandleError> {
        let slot = self.slots.find(handle)?;
        Ok(self.payload_of(slot.place(), slot.len()))
    }

    /// A live object's slot, for a new one whose bytes are to be written, and where those are.
    fn make(&mut self, len: usize) -> Result<(Handle, NonNull<u8>), HandleError> {
        let index = self.classes.index_of(len)?;
        let slot = self.slots.take(&mut self.from).ok_or(HandleError::NoMemory)?;
        let Some(place) = self.take(index, slot) else {
            self.slots.put_back(slot);
            return Err(HandleError::NoMemory);
        };
        let handle = self.slots.fill(slot, place, len);
        self.payload += len;
        Ok((handle, self.payload_of(place, len).cast()))
    }
}

impl<P: PageAllocator> HandleAllocator for ZsMalloc<P> {
    type Handle = Handle;

    fn max_len(&self) -> usize {
        PAGE
    }

    placed!();

    fn free(&mut self, handle: Handle) -> Result<(), HandleError> {
        let slot = self.slots.find(handle)?;
        if slot.pins > 0 {
            return Err(HandleError::Pinned);
        }
        let (place, len) = (slot.place(), slot.len());
        self.release(place);
        self.slots.free(handle);
        self.payload -= len;
        Ok(())
    }

    fn pages_for(&self, len: usize) -> usize {
        let index = self.classes.index_of(len);
        index.map_or(0, |index| self.classes.class(index).pages() * PAGE)
    }

    fn usage(&self) -> HandleUsage {
        HandleUsage {
            objects: self.slots.live(),
            payload: self.payload,
            pages: self.pages * PAGE,
            tables: self.slots.bytes() + self.zspages.bytes(),
        }
    }
}

#[cfg(test)]
mod tests;
