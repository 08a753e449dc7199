//! The kernel's allocators of the registry: what each kind promises, and the traits that a row names.
//!
//! A row's `make` is handed pages that refuse the n-th request, so that running out is tried too.
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;
use std::alloc::{alloc, dealloc};
use std::rc::Rc;

use base::{Check, Compact, HandleAllocator, HandleError, Map, PageAllocator, Pin};
use handle::zsmalloc::Classes;
use heapwright_testkit::Shadow;
use heapwright_testkit::rng::Rng;
use heapwright_testkit::shadow::Request;
use kernel::kmalloc::Kmalloc;
use kernel::kmem_cache::{KmemCache, Refused};
use kernel::vmalloc::{Caller, Vmalloc, VmallocError};
use source::os::Os;

const PAGE: usize = 4096;
const STEPS: usize = 6000;

/// Pages of the program's allocator: how many requests are granted before all are refused, and how many pages are out.
#[derive(Debug, Clone)]
struct Pages {
    left: Rc<Cell<usize>>,
    out: Rc<Cell<usize>>,
}

impl Pages {
    fn new() -> Self {
        Self { left: Rc::new(Cell::new(usize::MAX)), out: Rc::new(Cell::new(0)) }
    }

    fn layout(pages: usize, align: usize) -> Option<Layout> {
        Layout::from_size_align(pages.checked_mul(PAGE)?, align.max(PAGE)).ok()
    }
}

// SAFETY: blocks of the program's allocator, aligned as asked. Whoever gives pages back names no alignment: all that is asked for is
// the least power of two that holds the pages, or less, and the program's allocator is given that.
unsafe impl PageAllocator for Pages {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let whole = (pages * PAGE).next_power_of_two();
        assert!(align <= whole, "{pages} pages at {align}");
        self.left.set(self.left.get().checked_sub(1)?);
        // SAFETY: not of size 0.
        let start = NonNull::new(unsafe { alloc(Self::layout(pages, whole)?) })?;
        self.out.set(self.out.get() + pages);
        Some(start)
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let Some(layout) = Self::layout(pages, (pages * PAGE).next_power_of_two()) else { return };
        self.out.set(self.out.get() - pages);
        // SAFETY: allocated above by this layout; the caller's promise.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

/// One `#[test]` per row.
macro_rules! conforms {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        kind: $kind:ident, make: $make:expr, settings: $settings:tt, abilities: [$($ability:ident)*],
    })*) => {$(
        #[test]
        fn $id() {
            kinds::$kind($make);
            $(conforms!($kind $ability $make);)*
        }
    )*};
    (handles map $make:expr) => {};
    (handles $ability:ident $make:expr) => { abilities::$ability(pages($make)) };
    // Of the other kinds `check` is asked for above, and the other words are no traits.
    ($kind:ident $ability:ident $make:expr) => {};
}

fn pages<A>(make: impl FnOnce(Pages, Classes) -> A) -> A {
    make(Pages::new(), Classes::default())
}

mod conforms {
    use super::*;

    registry::kernels!(conforms);
}

mod kinds {
    use super::*;

    /// Every object keeps its bytes and its length, what is freed is refused, and nothing is lost when pages run out.
    pub(super) fn handles<A: HandleAllocator + Map>(make: impl Fn(Pages, Classes) -> A) {
        let from = Pages::new();
        let mut heap = make(from.clone(), Classes::default());
        let most = heap.max_len();
        assert_eq!(heap.allocate(0), Err(HandleError::Empty));
        assert_eq!(heap.allocate(most + 1), Err(HandleError::TooLarge { most }));
        // SAFETY: it is written next, and not read before.
        let unwritten = unsafe { heap.allocate_unwritten(300) }.unwrap();
        heap.write(unwritten, 0, &[9; 300]).unwrap();
        assert_eq!(heap.bytes(unwritten), Ok(&[9; 300][..]));
        heap.free(unwritten).unwrap();
        let (mut random, mut live) = (Rng::new(7), Vec::new());
        let mut refused = 0;
        for step in 0..STEPS {
            // Now and then there are no more pages for a while.
            from.left.set(if step % 1000 < 900 { usize::MAX } else { 0 });
            if live.len() < 300 && random.below(2) == 0 {
                let bytes = vec![step.to_le_bytes()[0]; 1 + random.below(most)];
                match heap.store(&bytes) {
                    Ok(handle) => live.push((handle, bytes)),
                    Err(error) => {
                        assert_eq!(error, HandleError::NoMemory);
                        refused += 1;
                    }
                }
            } else if !live.is_empty() {
                let (handle, bytes) = live.swap_remove(random.below(live.len()));
                assert_eq!(heap.len_of(handle), Ok(bytes.len()));
                assert_eq!(heap.bytes(handle), Ok(&bytes[..]));
                heap.free(handle).unwrap();
                assert!(heap.free(handle).is_err(), "freed twice");
            }
            let payload = live.iter().map(|(_, bytes)| bytes.len()).sum();
            assert_eq!((heap.usage().objects, heap.usage().payload), (live.len(), payload));
        }
        assert!(refused > 0, "it never ran out");
        from.left.set(usize::MAX);
        for (handle, bytes) in live {
            assert_eq!(heap.bytes(handle), Ok(&bytes[..]));
            heap.free(handle).unwrap();
        }
        assert_eq!(heap.usage().pages, 0);
    }

    /// Objects are apart, aligned, and keep their bytes; all of them go, and the pages with them.
    pub(super) fn caches(make: impl Fn(Pages, usize) -> Result<KmemCache<Pages>, Refused>) {
        let mut refused = 0;
        for size in [8, 40, 64, 200, 1024, 5000] {
            let from = Pages::new();
            let mut cache = make(from.clone(), size).unwrap();
            let allocate = |cache: &mut KmemCache<Pages>, _| cache.allocate();
            // SAFETY: `random` frees what is live, once.
            let free =
                |cache: &mut KmemCache<Pages>, object| unsafe { cache.try_free(object).is_ok() };
            refused += random(&from, &mut cache, |_| size, allocate, free);
            assert!(cache.destroy().is_ok());
            assert_eq!(from.out.get(), 0, "pages of no cache");
        }
        assert!(refused > 0, "none ever ran out");
        assert!(make(Pages::new(), 0).is_err(), "objects of no bytes");
    }

    /// The same for any size.
    pub(super) fn objects(make: impl Fn(Pages) -> Kmalloc<Pages>) {
        let from = Pages::new();
        let mut heap = make(from.clone());
        let size = |random: &mut Rng| match random.below(20) {
            0 => 1 + random.below(100_000),
            1..6 => 1 + random.below(9000),
            _ => 1 + random.below(300),
        };
        let allocate = |heap: &mut Kmalloc<Pages>, size| heap.allocate(size);
        // SAFETY: `random` frees what is live, once.
        let free = |heap: &mut Kmalloc<Pages>, block| unsafe { heap.try_free(block).is_ok() };
        let refused = random(&from, &mut heap, size, allocate, free);
        assert!(refused > 0, "it never ran out");
        assert!(heap.destroy().is_ok());
        assert_eq!(from.out.get(), 0, "pages of no heap");
    }

    /// A random program; how often there was no memory.
    fn random<A: Check>(
        from: &Pages,
        heap: &mut A,
        size: impl Fn(&mut Rng) -> usize,
        allocate: impl Fn(&mut A, usize) -> Option<NonNull<u8>>,
        free: impl Fn(&mut A, NonNull<u8>) -> bool,
    ) -> usize {
        let (mut numbers, mut refused) = (Rng::new(3), 0);
        let mut live = Shadow::new();
        for step in 0..STEPS {
            // In the middle of a row that allocates.
            from.left.set(if (300..500).contains(&(step % 1000)) { 0 } else { usize::MAX });
            // Long rows of one kind, so that slabs become full and empty.
            if (step / 500) % 2 == 0 || live.is_empty() {
                let size = size(&mut numbers);
                let Some(object) = allocate(heap, size) else {
                    refused += 1;
                    continue;
                };
                let request = Request { size, align: 8, zeroed: false };
                // SAFETY: as many bytes as were asked for.
                unsafe { live.allocated(object.as_ptr(), size, request) }.unwrap();
            } else {
                let block = live.blocks().nth(numbers.below(live.len())).unwrap();
                let block = live.take(block.address()).unwrap();
                block.verify().unwrap();
                assert!(free(heap, NonNull::new(block.pointer()).unwrap()));
            }
            if step % 50 == 0 {
                heap.check().unwrap();
            }
        }
        from.left.set(usize::MAX);
        for block in live.blocks() {
            assert!(free(heap, NonNull::new(block.pointer()).unwrap()));
        }
        heap.check().unwrap();
        refused
    }

    /// Areas are apart, keep their bytes, and are gone when they are freed.
    pub(super) fn pages(make: impl Fn(Os) -> Result<Vmalloc<Os>, VmallocError>) {
        let mut areas = make(Os).unwrap();
        assert!(areas.vmalloc(0, Caller::Number(0)).is_err());
        let (mut random, mut live) = (Rng::new(5), Vec::new());
        for step in 0..400 {
            if live.len() < 40 && random.below(2) == 0 {
                let size = 1 + random.below(10 * PAGE);
                let area = areas.vmalloc(size, Caller::Name("test")).unwrap();
                assert!(area.addr().get().is_multiple_of(PAGE));
                let byte = u8::try_from(step % 251).unwrap();
                // SAFETY: as many bytes as were asked for.
                unsafe { area.write_bytes(byte, size) };
                live.push((area, size, byte));
            } else if !live.is_empty() {
                let (area, size, byte) = live.swap_remove(random.below(live.len()));
                // SAFETY: live, and all of it was written.
                let bytes = unsafe { core::slice::from_raw_parts(area.as_ptr(), size) };
                assert!(bytes.iter().all(|found| *found == byte), "it was changed");
                // SAFETY: it is not used again.
                unsafe { areas.vfree(area.as_ptr()) }.unwrap();
                // SAFETY: it is refused.
                assert!(unsafe { areas.vfree(area.as_ptr()) }.is_err(), "freed twice");
            }
            areas.check().unwrap();
        }
        for (area, ..) in live {
            // SAFETY: live, and not used again.
            unsafe { areas.vfree(area.as_ptr()) }.unwrap();
        }
        assert_eq!(areas.usage().areas, 0);
    }
}

/// The traits that rows of handles name.
mod abilities {
    use super::*;

    fn filled<A: HandleAllocator>(heap: &mut A) -> Vec<A::Handle> {
        let most = heap.max_len().min(3000);
        (1..=200).map(|i| heap.allocate(1 + i * 37 % most).unwrap()).collect()
    }

    pub(super) fn check<A: HandleAllocator + Check>(mut heap: A) {
        heap.check().unwrap();
        for handle in filled(&mut heap) {
            heap.check().unwrap();
            heap.free(handle).unwrap();
        }
        heap.check().unwrap();
    }

    pub(super) fn pin<A: Pin>(mut heap: A) {
        let handles = filled(&mut heap);
        let place = heap.pin(handles[3]).unwrap();
        assert_eq!(heap.free(handles[3]), Err(HandleError::Pinned));
        assert_eq!(
            heap.bytes(handles[3]).unwrap().as_ptr(),
            place.cast::<u8>().as_ptr().cast_const()
        );
        // SAFETY: pinned once.
        unsafe { heap.unpin(handles[3]) };
        for handle in handles {
            heap.free(handle).unwrap();
        }
    }

    pub(super) fn compact<A: Compact + Map>(mut heap: A) {
        let handles: Vec<A::Handle> =
            (0..2000_usize).map(|i| heap.store(&[i.to_le_bytes()[0]; 300]).unwrap()).collect();
        for handle in handles.iter().skip(1).step_by(2) {
            heap.free(*handle).unwrap();
        }
        let (promised, before) = (heap.freeable(), heap.usage().pages);
        assert!(promised > 0);
        assert_eq!(heap.compact(), promised);
        assert_eq!((heap.usage().pages, heap.freeable()), (before - promised, 0));
        for (i, handle) in handles.iter().enumerate().step_by(2) {
            assert_eq!(heap.bytes(*handle), Ok(&[i.to_le_bytes()[0]; 300][..]));
            heap.free(*handle).unwrap();
        }
    }
}
