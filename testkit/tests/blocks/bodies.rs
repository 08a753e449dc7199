//! The test bodies that kernels run, on every block allocator, each a fiftieth of its size.
use core::alloc::Layout;
use core::cell::RefCell;
use core::ptr::{NonNull, null_mut};

use base::{AddMemory, BlockAllocator};
use bodies::{BODIES, FULL, Scale};
use heapwright_testkit::block::kinds::{self, Visit};
use heapwright_testkit::block::{Heap, Kind, Memory};

struct On<'k>(RefCell<Heap<'k>>);

fn pointer(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(null_mut(), NonNull::as_ptr)
}

// SAFETY: what an allocator of blocks promises.
unsafe impl bodies::Memory for On<'_> {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        pointer(self.0.borrow_mut().allocator().blocks().allocate(layout))
    }

    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        pointer(self.0.borrow_mut().allocator().blocks().allocate_zeroed(layout))
    }

    unsafe fn resize(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let block = NonNull::new(block).expect("a live block");
        // SAFETY: the caller's promise.
        pointer(unsafe { self.0.borrow_mut().allocator().blocks().reallocate(block, layout, size) })
    }

    unsafe fn free(&self, block: *mut u8, layout: Layout) {
        let block = NonNull::new(block).expect("a live block");
        // SAFETY: the caller's promise.
        unsafe { self.0.borrow_mut().allocator().blocks().deallocate(block, layout) };
    }
}

struct All;

impl Visit for All {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        let mut heap = Heap::new(&kind).unwatched();
        heap.add(Memory::untouched(FULL / 4, 0)).unwrap().expect("the memory is taken");
        let on = On(RefCell::new(heap));
        // `basic` takes Rust's global allocator, not the one under test.
        for (name, run) in BODIES.into_iter().filter(|(name, _)| *name != "basic") {
            run(&on, Scale::part(50)).unwrap_or_else(|s| panic!("{name} on {}: {s}", kind.name));
            let whole = on.0.borrow_mut().drain();
            whole.unwrap_or_else(|said| panic!("{name} on {}: {said}", kind.name));
        }
    }
}

#[test]
fn every_allocator_runs_them() {
    kinds::each(&mut All);
}
