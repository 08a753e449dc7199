//! esp-alloc: two regions, its counts, and its way of freeing.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use esp_alloc::{EspHeap, HeapRegion, MemoryCapability};
use machine::say;

static HEAP: EspHeap = EspHeap::empty();

/// Uses what `embedded-alloc` left of `memory`, from `from` on, as two regions of 64 KiB.
pub(crate) fn heap(memory: NonNull<[u8]>, from: usize) {
    for region in 0..2 {
        // SAFETY: the machines that run this have much more memory than is used here.
        let start = unsafe { memory.cast::<u8>().add(from + region * (64 << 10)) };
        let internal = MemoryCapability::Internal.into();
        // SAFETY: nobody else uses these bytes.
        let region = unsafe { HeapRegion::new(start.as_ptr(), 64 << 10, internal) };
        // SAFETY: as above.
        unsafe { HEAP.add_region(region) };
    }
    let (free, used) = (HEAP.free(), HEAP.used());
    say!("esp-alloc: {free} bytes free of two regions of 64 KiB, {used} used");
    assert!(free > 126 << 10);
    let layout = |i: usize| Layout::from_size_align(8 + i * 13 % 700, 1 << (i % 7));
    let mut live = alloc::vec::Vec::new();
    for i in 0.. {
        let Ok(layout) = layout(i) else { break };
        // SAFETY: not of size 0.
        let Some(block) = NonNull::new(unsafe { HEAP.alloc(layout) }) else { break };
        assert!(block.addr().get().is_multiple_of(layout.align()));
        // SAFETY: just allocated with this size.
        unsafe { block.write_bytes(i as u8, layout.size()) };
        live.push((block, layout));
    }
    let bytes = live.iter().map(|(_, layout)| layout.size()).sum::<usize>();
    say!("esp-alloc: {} blocks with {bytes} bytes, {} used", live.len(), HEAP.used());
    assert!(bytes > 110 << 10, "both regions are used");
    assert!(HEAP.used() >= bytes);
    for (i, (block, layout)) in live.iter().enumerate() {
        // SAFETY: the last byte of a live block.
        let last = unsafe { block.add(layout.size() - 1).read() };
        assert_eq!(last, i as u8, "block {i}");
        // SAFETY: allocated above with this layout.
        unsafe { HEAP.dealloc(block.as_ptr(), *layout) };
    }
    assert_eq!((HEAP.free(), HEAP.used()), (free, used), "all came back");
    say!("esp-alloc: passed");
}
