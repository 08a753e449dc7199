//! Resizing: in place when the class or the run allows, by page tables when large, by copy.
use core::ptr;

use base::Malloc;
use object::size_class::{MAX_SIZE, class_of, info};
use page::geometry::granules_for;
use page::region::Span;
use page::{GRANULE, System};
use policy::growth;
use source::Move;
use thread::Tls;

use super::Flagship;
use super::large::{MAX_RUN, MIN_MAPPING};

impl<S: System, T: Tls> Flagship<S, T> {
    /// The block at `ptr` resized to `size` bytes; see [`Malloc::realloc`]. `caller` is named
    /// in messages.
    /// # Safety
    /// As [`Malloc::realloc`].
    pub unsafe fn resize(&self, ptr: *mut u8, size: usize, caller: &'static str) -> *mut u8 {
        let address = ptr.expose_provenance();
        if address == 0 {
            return self.malloc(size);
        }
        if size > isize::MAX.cast_unsigned() {
            return ptr::null_mut();
        }
        if S::is_busy() {
            return self.resize_in_handler(ptr, size, caller);
        }
        self.verify(address, caller);
        let region = &self.pages.region;
        let Some(granule) = region.granule_of(address) else {
            return self.resize_huge(ptr, size, caller);
        };
        let class = usize::from(region.class(granule));
        if class != 0 {
            let held = info(class).size as usize;
            // A shrunk block stays while it wastes less than half.
            if size <= held && (size > held / 2 || class_of(size) == class) {
                return ptr;
            }
            return self.copy_to_new(ptr, held, size, caller);
        }
        match region.span(granule) {
            Span::Run(count) if address == region.address_of(granule) => {
                self.resize_run(ptr, granule, count, size, caller)
            }
            Span::Slab(descriptor) => self.resize_in_heap(ptr, descriptor, size, caller),
            _ => self.resize_huge(ptr, size, caller),
        }
    }

    /// A new block with the old one's contents; the old one is freed. Null: it stays.
    pub(super) fn copy_to_new(
        &self,
        ptr: *mut u8,
        held: usize,
        size: usize,
        caller: &'static str,
    ) -> *mut u8 {
        let new = self.malloc(size);
        if new.is_null() {
            return new;
        }
        // SAFETY: two live blocks; the shorter length is within both.
        unsafe { ptr.copy_to_nonoverlapping(new, held.min(size)) };
        // SAFETY: the caller gave the old block up.
        if !unsafe { self.free_fast(ptr) } {
            // SAFETY: as above.
            unsafe { self.free_slow(ptr, caller) };
        }
        new
    }

    fn resize_run(
        &self,
        ptr: *mut u8,
        granule: usize,
        old: usize,
        size: usize,
        caller: &'static str,
    ) -> *mut u8 {
        let address = ptr.addr();
        let new = granules_for(size);
        if size <= MAX_SIZE || size > MAX_RUN {
            return self.move_or_copy(ptr, old * GRANULE, size, caller);
        }
        if new == old {
            return ptr;
        }
        if new > old && !self.pages.extend(address, old, new) {
            return self.move_or_copy(ptr, old * GRANULE, size, caller);
        }
        if !self.pages.region.resize_run(granule, old, new) {
            // Another thread was freeing it (region-R5).
            self.foreign(caller, address);
        }
        if new < old {
            self.pages.truncate(address, old, new);
        }
        ptr
    }

    fn resize_huge(&self, ptr: *mut u8, size: usize, caller: &'static str) -> *mut u8 {
        let address = ptr.addr();
        let Some(held) = self.len_of_mapping(address) else { self.foreign(caller, address) };
        if size < MIN_MAPPING {
            return self.copy_to_new(ptr, held, size, caller);
        }
        let resize = || self.huge.resize(&self.pages.source, address, size);
        // Where addresses are limited, empty blocks make room.
        let more = size.saturating_sub(held);
        let makes_room = || self.pages.may_make_room(more) && self.pages.release_empty();
        let resized = resize().or_else(|| makes_room().then(resize)?);
        self.note_mapped();
        match resized {
            Some(moved) => ptr::with_exposed_provenance_mut(moved),
            None if size <= held => ptr,
            // The kernel resizes only what it holds as one mapping.
            None => self.copy_to_new(ptr, held, size, caller),
        }
    }

    /// A run that becomes a mapping of its own: its pages move into a mapping of its length,
    /// which then grows. `None`: refused, and nothing has changed.
    fn run_to_huge(
        &self,
        address: usize,
        held: usize,
        size: usize,
        caller: &'static str,
    ) -> Option<*mut u8> {
        let source = &self.pages.source;
        let at = self.map_huge(held, 1)?;
        // SAFETY: the whole of both; the mapping is fresh.
        match unsafe { self.pages.move_out(address, at, held) } {
            Move::Done => {}
            Move::Refused => {
                self.free_mapping(at);
                return None;
            }
            Move::Lost => {
                self.huge.forget(at);
                self.note_mapped();
                return None;
            }
        }
        let Some(grown) = self.huge.resize(source, at, size) else {
            let back: *mut u8 = ptr::with_exposed_provenance_mut(address);
            let moved: *const u8 = ptr::with_exposed_provenance(at);
            // SAFETY: both are mapped and have `held` bytes.
            unsafe { moved.copy_to_nonoverlapping(back, held) };
            self.free_mapping(at);
            return None;
        };
        self.note_mapped();
        if !self.free_moved_run(address) {
            self.foreign(caller, address);
        }
        Some(ptr::with_exposed_provenance_mut(grown))
    }

    /// A new block that gets the old one's pages, or a copy where that is cheaper or refused.
    fn move_or_copy(
        &self,
        ptr: *mut u8,
        held: usize,
        size: usize,
        caller: &'static str,
    ) -> *mut u8 {
        let page = self.pages.source.page_size();
        let len = held.min(size.next_multiple_of(page));
        // Runs are whole granules, and a page may be larger: then it is not theirs alone.
        let whole_pages = (ptr.addr() | held | len).is_multiple_of(page);
        if !growth::moves_pages(len, true) || !whole_pages {
            return self.copy_to_new(ptr, held, size, caller);
        }
        if (size > MAX_RUN || growth::grows_by_steps(held, size))
            && let Some(new) = self.run_to_huge(ptr.addr(), held, size, caller)
        {
            return new;
        }
        let (new, is_clean) = self.allocate_large(size, 1);
        if new.is_null() {
            return new;
        }
        let fits = new.addr().is_multiple_of(page) && len <= granules_for(size) * GRANULE;
        let moves = fits && growth::moves_pages(len, is_clean);
        // SAFETY: whole pages of ours, and `len` is within both blocks.
        match moves.then(|| unsafe { self.pages.move_pages(ptr.addr(), new.addr(), len) }) {
            Some(Move::Done) if len == held && self.free_moved_run(ptr.addr()) => return new,
            Some(Move::Done) => {}
            // The kernel has unmapped the new run: its addresses are never used again.
            Some(Move::Lost) => return ptr::null_mut(),
            Some(Move::Refused) | None => {
                // SAFETY: two live blocks, `held.min(size)` bytes within both.
                unsafe { ptr.copy_to_nonoverlapping(new, held.min(size)) };
            }
        }
        // SAFETY: the caller gave the old block up.
        unsafe { self.free_slow(ptr, caller) };
        new
    }

    /// Frees a run whose pages have been moved away whole, so that it is clean.
    fn free_moved_run(&self, address: usize) -> bool {
        let region = &self.pages.region;
        let Some(granule) = region.granule_of(address) else { return false };
        let Span::Run(count) = region.span(granule) else { return false };
        let ours = region.end_run(granule, count);
        if ours {
            self.pages.deallocate_moved(address, count);
        }
        ours
    }
}
