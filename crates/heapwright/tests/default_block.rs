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
    // SAFETY: live, of this layout.
    blocks.into_iter().for_each(|block| unsafe { heap.deallocate(block, layout) });
    assert_eq!(heap.stats().used, 0);
}

macro_rules! chosen {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        type: $type:ty, feature: [$($feature:literal)?], $($rest:tt)*
    })*) => {
        /// The name of the first type whose feature is on.
        fn chosen() -> Option<&'static str> {
            $($(if cfg!(feature = $feature) {
                return Some(core::any::type_name::<$type>());
            })?)*
            None
        }
    };
}

registry::blocks!(chosen);

/// By name, so that a feature that chooses another is noticed.
#[test]
fn is_what_the_feature_says() {
    let name = core::any::type_name::<DefaultBlock>();
    let tlsf = core::any::type_name::<heapwright::block::tlsf::Tlsf>();
    assert_eq!(name, chosen().unwrap_or(tlsf));
}
