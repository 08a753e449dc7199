//! The block allocator that the features choose serves a pool, whichever it is.

use core::alloc::Layout;
use heapwright::DefaultBlock;
use heapwright::block::{AddMemory, BlockAllocator, Check, Stats};

#[test]
fn serves_a_pool() {
    const EMPTY: DefaultBlock = DefaultBlock::new();
    assert_eq!(EMPTY.stats().total, 0);
    let mut memory = vec![0u8; 1 << 16];
    let mut heap = DefaultBlock::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
    let layout = Layout::from_size_align(100, 64).unwrap();
    let blocks: Vec<_> = core::iter::from_fn(|| heap.allocate(layout)).collect();
    assert!(blocks.len() > 300, "{} blocks of 128 bytes in 64 KiB", blocks.len());
    heap.check().unwrap();
    for block in blocks {
        // SAFETY: live, of this layout.
        unsafe { heap.deallocate(block, layout) };
    }
    assert_eq!(heap.stats().used, 0);
}

/// By name, so that a feature that chooses another is noticed.
#[test]
fn is_what_the_feature_says() {
    let name = core::any::type_name::<DefaultBlock>();
    let wanted = if cfg!(feature = "alloc-tlsf") {
        "tlsf::"
    } else if cfg!(feature = "alloc-first-fit") {
        "First"
    } else if cfg!(feature = "alloc-next-fit") {
        "Next"
    } else if cfg!(feature = "alloc-best-fit") {
        "Best"
    } else if cfg!(feature = "alloc-worst-fit") {
        "Worst"
    } else if cfg!(feature = "alloc-buddy") {
        "Buddy"
    } else if cfg!(feature = "alloc-slab") {
        "SizeSlabs"
    } else {
        "tlsf::"
    };
    assert!(name.contains(wanted), "{name} lacks {wanted}");
}
