//! What the tests share.

use core::alloc::Layout;

use base::{AddMemory as _, HandleError};
use kernel::bitmap::BitmapPages;

use crate::PAGE;

pub(crate) struct Memory(Vec<[u64; PAGE / 8]>);

impl Memory {
    /// Room for `pages` pages, one of which is the page allocator's own, and one is lost to alignment.
    pub(crate) fn new(pages: usize) -> Self {
        // Not zero: what is shown must have been written.
        Self(vec![[0xa5a5_a5a5_a5a5_a5a5; PAGE / 8]; pages + 2])
    }

    pub(crate) fn pages(&mut self) -> BitmapPages {
        let mut pages = BitmapPages::new();
        // SAFETY: the memory outlives what the test makes of it, and nobody else uses it.
        unsafe { pages.add_memory(self.0.as_mut_ptr().cast(), self.0.len() * PAGE) }.unwrap();
        pages
    }
}

/// Numbers that look random (xorshift64, Marsaglia 2003).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}

/// Pages of which the n-th request is refused, and all that follow it until it is told otherwise.
#[derive(Debug)]
pub(crate) struct Refusing {
    pages: BitmapPages,
    pub(crate) left: std::rc::Rc<core::cell::Cell<usize>>,
    pub(crate) taken: std::rc::Rc<core::cell::Cell<usize>>,
}

impl Refusing {
    pub(crate) fn new(pages: BitmapPages, left: usize) -> Self {
        let cell = |value| std::rc::Rc::new(core::cell::Cell::new(value));
        Self { pages, left: cell(left), taken: cell(0) }
    }
}

// SAFETY: what the pages return.
unsafe impl base::PageAllocator for Refusing {
    fn page_size(&self) -> usize {
        self.pages.page_size()
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<core::ptr::NonNull<u8>> {
        self.left.set(self.left.get().checked_sub(1)?);
        let start = self.pages.allocate_pages(pages, align)?;
        self.taken.set(self.taken.get() + pages);
        Some(start)
    }

    unsafe fn deallocate_pages(&mut self, start: core::ptr::NonNull<u8>, pages: usize) {
        self.taken.set(self.taken.get() - pages);
        // SAFETY: the caller's promise.
        unsafe { self.pages.deallocate_pages(start, pages) };
    }
}

/// Single pages that nobody has written to; a run of them is refused.
#[derive(Debug, Default)]
pub(crate) struct Singles {
    pub(crate) taken: std::rc::Rc<core::cell::Cell<usize>>,
}

impl Singles {
    const LAYOUT: Layout = match Layout::from_size_align(PAGE, PAGE) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };
}

// SAFETY: each page is an allocation of its own.
unsafe impl base::PageAllocator for Singles {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<core::ptr::NonNull<u8>> {
        if pages != 1 || align > PAGE {
            return None;
        }
        self.taken.set(self.taken.get() + 1);
        // SAFETY: the layout is not empty.
        core::ptr::NonNull::new(unsafe { std::alloc::alloc(Self::LAYOUT) })
    }

    unsafe fn deallocate_pages(&mut self, start: core::ptr::NonNull<u8>, pages: usize) {
        assert_eq!(pages, 1);
        self.taken.set(self.taken.get() - 1);
        // SAFETY: allocated with this layout; the caller's promise.
        unsafe { std::alloc::dealloc(start.as_ptr(), Self::LAYOUT) };
    }
}

/// Fills a heap whose source refuses the n-th request, for every n to 60: what is live keeps its bytes, `between` finds
/// nothing lost, more memory is used when there is some, and all pages go back at the end.
pub(crate) fn refuses<A: base::HandleAllocator + base::Check>(
    make: impl Fn(Refusing) -> A,
    between: impl Fn(&mut A),
    end: impl Fn(A) -> Refusing,
) {
    for n in 0..60 {
        let mut memory = Memory::new(1500);
        let source = Refusing::new(memory.pages(), n);
        let (left, taken) = (source.left.clone(), source.taken.clone());
        let mut heap = make(source);
        let mut random = Random(n as u64 + 1);
        let mut live = Vec::new();
        let mut refused = 0;
        for step in 0..400u32 {
            if step == 200 {
                left.set(usize::MAX);
            }
            let seed = step.to_le_bytes()[0];
            let len = 1 + random.below(heap.max_len());
            let before = heap.usage();
            match heap.store(&vec![seed; len]) {
                Ok(handle) => live.push((handle, seed, len)),
                Err(error) => {
                    assert_eq!(error, HandleError::NoMemory);
                    assert!(step < 200, "{n}: refused though there is memory");
                    assert_eq!(
                        (heap.usage().objects, heap.usage().pages),
                        (before.objects, before.pages)
                    );
                    refused += 1;
                }
            }
            if step % 3 == 2 && !live.is_empty() {
                let (handle, seed, len) = live.swap_remove(random.below(live.len()));
                assert_eq!(heap.bytes(handle).unwrap(), vec![seed; len]);
                heap.free(handle).unwrap();
            }
            if step % 10 == 0 {
                between(&mut heap);
                heap.check().unwrap();
            }
        }
        assert!(refused > 0, "{n}");
        for (handle, seed, len) in live {
            assert_eq!(heap.bytes(handle).unwrap(), vec![seed; len]);
        }
        drop(end(heap));
        assert_eq!(taken.get(), 0, "{n}: pages were not given back");
    }
}

/// A pinned object is not freed and not written; only 64 can be pinned, and the next is not called pinned.
pub(crate) fn pins<A: base::Pin + base::Check>(make: impl Fn(BitmapPages) -> A) {
    let mut memory = Memory::new(80);
    let mut heap = make(memory.pages());
    let objects = [(); 65].map(|()| heap.store(b"kept").unwrap());
    let pinned = objects[..64].iter().map(|object| heap.pin(*object).unwrap()).collect::<Vec<_>>();
    assert_eq!(heap.pin(objects[64]), Err(HandleError::TooManyPins));
    heap.write(objects[64], 0, b"x").unwrap();
    heap.free(objects[64]).unwrap();
    heap.pin(objects[0]).unwrap();
    assert_eq!(heap.free(objects[0]), Err(HandleError::Pinned));
    assert_eq!(heap.write(objects[0], 0, b"x"), Err(HandleError::Pinned));
    // SAFETY: pinned, so it is where it was.
    assert_eq!(unsafe { pinned[1].as_ref() }, b"kept");
    // SAFETY: pinned once.
    unsafe { heap.unpin(objects[1]) };
    heap.free(objects[1]).unwrap();
    assert_eq!(heap.pin(objects[1]), Err(HandleError::Stale));
    heap.check().unwrap();
}
