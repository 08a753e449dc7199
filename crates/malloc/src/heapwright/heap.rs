//! First-class heaps: blocks that can all be freed at once.
//!
//! ```text
//! heap  [ shelf of class 0 … 76 │ large blocks │ owner ]        4 KiB of metadata
//!           └─ slabs of its own     └─ one descriptor each
//! ```
//!
//! - **own-heap-W1** the slabs and large blocks of a heap carry its owner number, and only it has them.
//! - **own-heap-W2** no magazine serves a heap: its granules have class 0 in the class map, so a free
//!   takes the slow path and finds the owner in the descriptor.
//! - **own-heap-W3** a large block is on its heap's list, and the span map names its descriptor, exactly
//!   while it is live; both change under the heap's lock.
//! - **own-heap-W4** a slot of the central lists is 0 or names a heap that has been made and not yet been
//!   destroyed; its shelves are its first field.
//! - **own-heap-W5** a size does not tell a heap's block from others, and a magazine would hand it out after its heap has gone. So
//!   from the first heap on C's `free_sized` looks addresses up as `free` does: the limit that its fast path compares sizes
//!   with is then 0. Who has a heap's block from another thread has that limit too.
//!
//! Allocating takes the class's lock; destroying is O(slabs), not O(blocks). At most 1,024
//! heaps at a time.
use core::ptr;

use base::bits::align_up;
use base::lock::Lock;
use base::sync::{AtomicU32, Ordering};
use object::list::SlabList;
use object::shelf::Share;
use object::size_class::{CLASSES, class_of_aligned, info};
use object::{Shelf, Slab};
use page::geometry::granules_for;
use page::region::Span;
use page::{GRANULE, Pool, System};
use thread::Tls;

use super::Flagship;

/// A heap of its own. Made, used and destroyed through the [`Flagship`] it belongs to.
#[derive(Debug)]
#[repr(C)]
pub struct Heap<S> {
    shelves: [Shelf<S>; CLASSES],
    large: SlabList,
    lock: Lock<S>,
    owner: AtomicU32,
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// A new, empty heap. `None`: out of memory, or there are 1,024 already, or a signal handler interrupted malloc.
    pub fn heap_new(&self) -> Option<&Heap<S>> {
        if S::is_busy() {
            return None;
        }
        const { assert!(size_of::<Heap<S>>() <= Pool::Heap.size(), "a heap fits its pool") };
        let at = self.meta.allocate(&self.pages, Pool::Heap)?;
        let place = ptr::with_exposed_provenance_mut::<Heap<S>>(at);
        let fresh = Heap {
            shelves: [const { Shelf::new() }; CLASSES],
            large: SlabList::new(),
            lock: Lock::new(),
            owner: AtomicU32::new(0),
        };
        // SAFETY: the piece is ours and large enough.
        unsafe { place.write(fresh) };
        // SAFETY: written above; it stays until `heap_destroy`.
        let heap = unsafe { &*place };
        // SAFETY: as above.
        let Some(owner) = (unsafe { self.central.add_heap(&heap.shelves) }) else {
            // SAFETY: allocated above, and nobody has seen it.
            unsafe { self.meta.deallocate(Pool::Heap, at) };
            return None;
        };
        heap.owner.store(owner, Ordering::Relaxed);
        self.freed_by_size.store(0, Ordering::Relaxed);
        Some(heap)
    }

    /// `size` bytes at a multiple of `align`, a power of two, in `heap`. Null: out of memory.
    pub fn heap_allocate(&self, heap: &Heap<S>, align: usize, size: usize) -> *mut u8 {
        let owner = heap.owner.load(Ordering::Relaxed);
        if size > isize::MAX.cast_unsigned() {
            return ptr::null_mut();
        }
        if S::is_busy() {
            return self.spare_block(size, align);
        }
        let Some(class) = class_of_aligned(size, align) else {
            return self.heap_allocate_large(heap, owner, align, size.max(1));
        };
        let mut out = [0];
        let (supply, shelf) = (self.supply(), &heap.shelves[class]);
        let inside = shelf.lock_for_fork().lock();
        shelf.claim_or_make(supply, class, owner, Share::Lines, &mut out, inside);
        ptr::with_exposed_provenance_mut(out[0])
    }

    fn heap_allocate_large(
        &self,
        heap: &Heap<S>,
        owner: u32,
        align: usize,
        size: usize,
    ) -> *mut u8 {
        let count = granules_for(align_up(size, GRANULE));
        let Some(at) = self.meta.allocate(&self.pages, Pool::Slab1) else {
            return ptr::null_mut();
        };
        let run = self.pages.allocate_aligned(count, (align / GRANULE).max(1));
        let region = &self.pages.region;
        let Some((run, granule)) = run.and_then(|run| Some((run, region.granule_of(run.at)?)))
        else {
            // SAFETY: allocated above from this pool, not used.
            unsafe { self.meta.deallocate(Pool::Slab1, at) };
            return ptr::null_mut();
        };
        // SAFETY: a descriptor of the smallest pool.
        let slab = unsafe { Slab::at(at) };
        slab.open_large(granule, count, owner);
        let _guard = heap.lock.lock();
        heap.large.push_back(region.descriptors(), slab);
        region.enter_slab(granule, 1, at, 0);
        ptr::with_exposed_provenance_mut(run.at)
    }

    /// Frees every block of `heap` at once, and the heap; in a signal handler that interrupted malloc they stay for ever.
    /// O(slabs).
    /// # Safety
    /// Nobody uses `heap` or a block of it any more.
    pub unsafe fn heap_destroy(&self, heap: &Heap<S>) {
        if S::is_busy() {
            return;
        }
        for shelf in &heap.shelves {
            // SAFETY: the caller gives all blocks up.
            unsafe { shelf.destroy(self.supply()) };
        }
        let base = self.pages.region.descriptors();
        let guard = heap.lock.lock();
        while let Some(slab) = heap.large.first(base) {
            self.close_large(heap, slab);
        }
        drop(guard);
        self.central.remove_heap(heap.owner.load(Ordering::Relaxed));
        // SAFETY: it came from this pool, and its owner number names nothing any more.
        unsafe { self.meta.deallocate(Pool::Heap, ptr::from_ref(heap).addr()) };
    }

    /// Gives one large block of a heap back. Under the heap's lock.
    fn close_large(&self, heap: &Heap<S>, slab: &Slab) {
        let region = &self.pages.region;
        let count = slab.large().unwrap_or(0);
        heap.large.remove(region.descriptors(), slab);
        slab.retire();
        region.clear_run(slab.granule());
        self.pages.deallocate(region.address_of(slab.granule()), count);
        // SAFETY: on no list, and the span map no longer names it.
        unsafe { self.meta.deallocate(Pool::Slab1, slab.address()) };
    }

    fn heap_of(&self, slab: &Slab) -> Option<&Heap<S>> {
        // SAFETY: a slot's value (own-heap-W4), and a heap lives while its blocks do.
        unsafe { Heap::at(self.central.heap(slab.tag().owner())) }
    }

    pub(super) fn free_of_heap(&self, address: usize, descriptor: usize, caller: &'static str) {
        // SAFETY: the span map names descriptors only.
        let slab = unsafe { Slab::at(descriptor) };
        if slab.large().is_none() {
            return self.end_process_on_fault(caller, self.give_back_one(address));
        }
        let Some(heap) = self.heap_of(slab) else { self.foreign(caller, address) };
        let guard = heap.lock.lock();
        // Another thread may have freed it while this one waited for the lock, and the descriptor
        // may serve another block by now.
        let region = &self.pages.region;
        let granule = slab.granule();
        let live = address == region.address_of(granule)
            && region.span(granule) == Span::Slab(descriptor)
            && slab.large().is_some()
            && slab.tag().owner() == heap.owner.load(Ordering::Relaxed);
        if live {
            self.close_large(heap, slab);
        }
        drop(guard);
        if !live {
            self.foreign(caller, address);
        }
    }

    /// The usable size of a heap's block at `address`. `None`: it is not at a large one's start.
    pub(super) fn size_in_heap(&self, address: usize, descriptor: usize) -> Option<usize> {
        // SAFETY: the span map names descriptors only.
        let slab = unsafe { Slab::at(descriptor) };
        let Some(count) = slab.large() else {
            return Some(info(slab.tag().class()).size as usize);
        };
        let at_start = address == self.pages.region.address_of(slab.granule());
        at_start.then_some(count * GRANULE)
    }

    /// Resizes a block of a heap, which stays in its heap.
    pub(super) fn resize_in_heap(
        &self,
        ptr: *mut u8,
        descriptor: usize,
        size: usize,
        caller: &'static str,
    ) -> *mut u8 {
        let address = ptr.addr();
        let Some(held) = self.size_in_heap(address, descriptor) else {
            self.foreign(caller, address);
        };
        if size <= held && size > held / 2 {
            return ptr;
        }
        // SAFETY: the span map names descriptors only.
        let slab = unsafe { Slab::at(descriptor) };
        let Some(heap) = self.heap_of(slab) else { self.foreign(caller, ptr.addr()) };
        let new = self.heap_allocate(heap, 16, size);
        if !new.is_null() {
            // SAFETY: two live blocks; the shorter length is within both.
            unsafe { ptr.copy_to_nonoverlapping(new, held.min(size)) };
            self.free_of_heap(ptr.addr(), descriptor, caller);
        }
        new
    }
}

impl<S: System> Heap<S> {
    /// The heap that a slot names; `None` when that is 0.
    /// The caller promises: by own-heap-W4; the heap is not destroyed meanwhile.
    pub(super) unsafe fn at<'a>(slot: usize) -> Option<&'a Self> {
        // SAFETY: the caller's promise.
        (slot != 0).then(|| unsafe { &*ptr::with_exposed_provenance::<Self>(slot) })
    }

    pub(super) fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }
}
