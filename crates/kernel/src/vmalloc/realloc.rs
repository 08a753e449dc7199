//! `vrealloc`: another size, by mapping the frames elsewhere; no byte is copied.
//!
//! ```text
//! grow     │ A A A ░ …  ─►  │ ░ ░ ░ ░ … │ A A A N N ░      the old frames, then new ones
//! shrink   │ A A A A A ░ ─► │ A A ░ ░ ░ ░                  the tail's frames are free, its first page is the guard
//! lost     │ A A A A A ░ ─► │ A A │ lost                  the tail is somebody else's now: without a guard
//! ```
use core::ptr::NonNull;

use source::{FrameSource, Mapped};

use super::addresses::{Area, Kind};
use super::make::Unmade;
use super::{Caller, Left, Vmalloc, VmallocError};

impl<S: FrameSource> Vmalloc<S> {
    /// The area with `size` bytes, its contents kept, perhaps elsewhere; what it gains is not said to be anything. Null: a
    /// new area, without a caller's name. O(pages + log addresses), and a system call for each run of frames when it grows.
    /// Errors: as of [`vmalloc`](Self::vmalloc) and [`vfree`](Self::vfree); the area is as it was then.
    /// # Safety
    /// Nobody uses the old address once another is returned, nor the area beyond its new size.
    ///
    /// The example is [`Vmalloc`]'s.
    pub unsafe fn vrealloc(
        &mut self,
        address: *mut u8,
        size: usize,
    ) -> Result<NonNull<u8>, VmallocError> {
        if address.is_null() {
            return self.vmalloc(size, Caller::Number(0));
        }
        let first = self.live_area(address, Kind::Vmalloc)?;
        let pages = self.pages_for(size)?;
        let old = self.addresses.areas.get(first);
        let first = if pages > old.pages as usize {
            self.grow(first, pages, size)?
        } else {
            if pages < old.pages as usize {
                self.shrink(first, pages);
            }
            self.requested = self.requested - old.size + size;
            self.addresses.areas.entry_mut(first).size = size;
            first
        };
        Ok(self.pointer(first))
    }

    fn grow(&mut self, old: usize, pages: usize, size: usize) -> Result<usize, VmallocError> {
        let area = self.addresses.areas.get(old);
        let had = area.pages as usize;
        self.need_frames(pages - had)?;
        let larger = Area::new(Kind::Vmalloc, pages, size, area.caller()).with(0, area.dirty);
        let new = self.take_addresses(larger, 1)?;
        if let Err(error) = self.fill(new + had, new + pages) {
            self.undo(new, Left::Unmapped);
            return Err(error);
        }
        // The old frames are behind both areas until one of them is undone without them.
        for page in 0..had {
            self.addresses.set_frame(new + page, self.addresses.entries.get(old + page).frame());
        }
        self.map_grown(new, had)?;
        self.uncount(area);
        self.count(self.addresses.areas.get(new));
        self.mappings -= area.mappings();
        self.drop_frames(old, had);
        self.undo(old, Left::Mapped);
        Ok(new)
    }

    /// Maps an area whose first `had` pages have the frames of another, or undoes it.
    fn map_grown(&mut self, new: usize, had: usize) -> Result<(), VmallocError> {
        self.addresses.count_runs(new);
        let Err(Unmade { left, why }) = self.map(new) else { return Ok(()) };
        self.drop_frames(new, had);
        self.undo(new, left);
        Err(why)
    }

    /// The first `pages` pages of an area have no frames any more: another area has them.
    fn drop_frames(&mut self, first: usize, pages: usize) {
        for page in first..first + pages {
            self.addresses.set_frame(page, None);
        }
    }

    /// Gives the pages of an area from `pages` on back. If the source refuses to unmap them, they stay.
    fn shrink(&mut self, first: usize, pages: usize) {
        let area = self.addresses.areas.get(first);
        let (from, end, whole) = (first + pages, first + area.pages as usize, first + area.whole());
        let (at, len) = (self.addresses.address(from), (end - from) * self.addresses.page);
        // SAFETY: the caller does not use the tail.
        let unmapped = unsafe { self.source.unmap_frames(at, len) };
        if matches!(unmapped, Mapped::Refused | Mapped::Closed) {
            return;
        }
        self.mappings -= area.mappings();
        self.live -= end - from;
        let punched = self.punch(from, end);
        // Punched already; what was refused is dirty, and so is the rest of the area only if it was before.
        self.addresses.areas.entry_mut(first).dirty = !punched;
        self.release_frames_of(first, from, end);
        let record = self.addresses.areas.entry_mut(first);
        let lost = unmapped == Mapped::Lost;
        (record.dirty, record.bare) = (area.dirty, lost);
        record.pages = base::bits::low32(pages);
        self.addresses.count_runs(first);
        let area = self.addresses.areas.get(first);
        self.mappings += area.mappings();
        // Of one that had lost its guard, the guard may be all that is cut off.
        let rest = first + area.whole();
        if rest < whole {
            self.addresses.cut(rest, whole, lost);
        }
    }
}
