//! What a kernel does with the types, through the traits alone.

use core::alloc::Layout;
use std::vec;
use std::vec::Vec;

use crate::{AllocError, ByteAllocator};

/// The address of memory that lives as long as the process, and its length.
fn memory(bytes: usize) -> (usize, usize) {
    let memory = vec![0_u64; bytes / 8].leak();
    (memory.as_mut_ptr().expose_provenance(), bytes)
}

/// Fills, checks, frees and counts on any byte allocator.
fn try_bytes(mut heap: impl ByteAllocator, least: usize) {
    let layout = |size, align| Layout::from_size_align(size, align).unwrap();
    assert_eq!(heap.alloc(layout(8, 8)), Err(AllocError::NoMemory), "there is no memory yet");
    let (start, size) = memory(1 << 20);
    heap.init(start, size);
    assert!(heap.total_bytes() > size * 9 / 10 && heap.total_bytes() <= size);
    assert_eq!(heap.used_bytes() + heap.available_bytes(), heap.total_bytes());
    let before = heap.used_bytes();
    let mut live = Vec::new();
    for i in 0_usize.. {
        let layout = layout(1 + i * 37 % 500, 1 << (i % 8));
        let Ok(block) = heap.alloc(layout) else { break };
        assert!(block.addr().get().is_multiple_of(layout.align()));
        assert!(block.addr().get() >= start && block.addr().get() + layout.size() <= start + size);
        // SAFETY: just allocated with this size.
        unsafe { block.write_bytes(i as u8, layout.size()) };
        live.push((block, layout));
    }
    assert!(live.len() > least, "{} blocks", live.len());
    let (more, len) = memory(1 << 18);
    heap.add_memory(more, len).unwrap();
    assert_eq!(heap.add_memory(more, len), Err(AllocError::MemoryOverlap));
    assert!(heap.alloc(layout(1000, 8)).is_ok_and(|block| {
        let inside = (more..more + len).contains(&block.addr().get());
        heap.dealloc(block, layout(1000, 8));
        inside
    }));
    for (i, (block, layout)) in live.into_iter().enumerate() {
        for at in 0..layout.size() {
            // SAFETY: within the block.
            let byte = unsafe { block.add(at) };
            // SAFETY: live, and written above.
            assert_eq!(unsafe { byte.read() }, i as u8, "block {i}");
        }
        heap.dealloc(block, layout);
    }
    assert_eq!(heap.used_bytes(), before, "all came back");
    assert!(heap.alloc(layout(size / 4, 8)).is_ok(), "holes have become one");
    assert!(heap.alloc(layout(4 * size, 8)).is_err());
}

#[cfg(feature = "tlsf")]
#[test]
fn tlsf() {
    try_bytes(crate::TlsfByteAllocator::new(), 3_000);
}

#[cfg(all(feature = "tlsf", not(feature = "other")))]
#[test]
fn tlsf_grows_in_one_piece() {
    use crate::BaseAllocator;
    let (start, size) = memory(1 << 20);
    let mut heap = crate::TlsfByteAllocator::new();
    heap.init(start, size / 2);
    heap.add_memory(start + size / 2, size / 2).unwrap();
    let layout = Layout::from_size_align(size * 3 / 4, 16).unwrap();
    assert!(heap.alloc(layout).is_ok());
}

#[cfg(feature = "buddy")]
#[test]
fn buddy() {
    try_bytes(crate::BuddyByteAllocator::new(), 2_000);
}

#[cfg(feature = "slab")]
#[test]
fn slab() {
    try_bytes(crate::SlabByteAllocator::new(), 2_000);
}

#[cfg(feature = "bitmap")]
#[test]
fn pages() {
    use crate::{BaseAllocator, BitmapPageAllocator, PageAllocator};
    const PAGE: usize = 4096;
    let (start, size) = memory(8 << 20);
    let mut pages = BitmapPageAllocator::<PAGE>::new();
    assert_eq!(pages.alloc_pages(1, PAGE), Err(AllocError::NoMemory));
    pages.init(start, size);
    let total = pages.total_pages();
    assert!(total > 2_000 && total <= 2_048, "{total} pages");
    assert_eq!(pages.alloc_pages(0, PAGE), Err(AllocError::InvalidParam));
    assert_eq!(pages.alloc_pages(1, PAGE + 1), Err(AllocError::InvalidParam));
    assert_eq!(pages.alloc_pages(1, 1), Err(AllocError::InvalidParam));
    let one = pages.alloc_pages(1, 1 << 20).unwrap();
    assert!(one.is_multiple_of(1 << 20), "a single page is aligned too");
    let seven = pages.alloc_pages(7, PAGE).unwrap();
    assert_eq!(pages.used_pages(), 8);
    assert_eq!(pages.available_pages(), total - 8);
    assert_eq!(pages.alloc_pages_at(seven, 1, PAGE), Err(AllocError::NoMemory), "in use");
    assert_eq!(pages.alloc_pages_at(seven + 1, 1, PAGE), Err(AllocError::InvalidParam));
    pages.dealloc_pages(seven, 7);
    assert_eq!(pages.alloc_pages_at(seven + PAGE, 3, PAGE), Ok(seven + PAGE));
    assert_eq!(pages.alloc_pages_at(seven, 2, PAGE), Err(AllocError::NoMemory), "half in use");
    pages.dealloc_pages(seven + PAGE, 3);
    pages.dealloc_pages(one, 1);
    assert_eq!(pages.used_pages(), 0);
}

#[cfg(feature = "axerrno")]
#[test]
fn errors_of_the_os() {
    assert_eq!(axerrno::AxError::from(AllocError::NoMemory), axerrno::AxError::NoMemory);
    assert_eq!(axerrno::AxError::from(AllocError::MemoryOverlap), axerrno::AxError::InvalidInput);
}

#[cfg(all(feature = "allocator_api", feature = "tlsf"))]
#[test]
fn collections_share_a_heap() {
    let pool = vec![0_u8; 1 << 16].leak();
    let heap = crate::AllocatorRc::new(crate::TlsfByteAllocator::new(), pool);
    let mut numbers: Vec<u32, _> = Vec::new_in(heap.clone());
    let mut nothing: Vec<(), _> = Vec::new_in(heap.clone());
    let mut words: Vec<u64, _> = Vec::new_in(heap);
    for i in 0..1000 {
        numbers.push(i);
        nothing.push(());
        words.push(u64::from(i) << 32);
    }
    assert!(numbers.iter().zip(&words).all(|(&n, &w)| u64::from(n) == w >> 32));
    assert_eq!(nothing.len(), 1000);
    assert!(words.try_reserve(1 << 16).is_err(), "more than the pool");
}
