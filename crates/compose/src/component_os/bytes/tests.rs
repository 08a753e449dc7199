use super::*;
use crate::component_os::v1::BaseAllocator as _;
use crate::component_os::v2::{
    BasicAllocator, BuddyByteAllocator, SlabByteAllocator, TlsfByteAllocator,
};
use block::fit::{Best, First, Next, Worst};

fn serves<A: BlockAllocator + AddMemory + Stats>(mut heap: Bytes<A>) {
    use v1::ByteAllocator as V1;
    use v2::ByteAllocator as V2;

    let mut memory = vec![0u64; 1 << 13];
    let (start, len) = (memory.as_mut_ptr().expose_provenance(), size_of_val(&*memory));
    assert_eq!(V1::alloc(&mut heap, 100, 8), Err(AllocError::NoMemory), "no memory yet");
    // SAFETY: null is nobody's.
    assert_eq!(unsafe { heap.init(0, 4096) }, Err(AllocError::InvalidParam));
    // SAFETY: nothing fits, so nothing is used.
    assert_eq!(unsafe { heap.init(start, 8) }, Err(AllocError::InvalidParam));
    // SAFETY: the memory outlives the heap.
    unsafe { heap.init(start, len / 2) }.unwrap();
    // SAFETY: refused.
    assert_eq!(unsafe { heap.init(start, len / 2) }, Err(AllocError::InvalidParam), "twice");
    // SAFETY: refused.
    assert_eq!(unsafe { heap.add_memory(start + 64, 4096) }, Err(AllocError::MemoryOverlap));
    let half = V1::total_bytes(&heap);
    // SAFETY: the other half, with a gap between, so that nobody joins them.
    unsafe { heap.add_memory(start + len / 2 + 64, len / 2 - 64) }.unwrap();
    assert!(V1::total_bytes(&heap) > half);

    assert_eq!(V1::alloc(&mut heap, 8, 3), Err(AllocError::InvalidParam));
    assert_eq!(V1::alloc(&mut heap, usize::MAX, 8), Err(AllocError::InvalidParam));
    let mut blocks = Vec::new();
    loop {
        match V1::alloc(&mut heap, 1000, 64) {
            Ok(at) => {
                assert!(at.is_multiple_of(64));
                blocks.push(at);
            }
            Err(error) => {
                assert_eq!(error, AllocError::NoMemory);
                break;
            }
        }
    }
    assert!(blocks.len() > 30);
    assert!(V2::used_bytes(&heap) >= blocks.len() * 1000);
    assert_eq!(V2::available_bytes(&heap) + V2::used_bytes(&heap), V2::total_bytes(&heap));
    // SAFETY: live, of this size and alignment.
    blocks.into_iter().for_each(|at| unsafe { V1::dealloc(&mut heap, at, 1000, 64) });
    assert_eq!(V1::used_bytes(&heap), 0);
    let layout = Layout::new::<[u64; 30]>();
    let block = V2::alloc(&mut heap, layout).unwrap();
    // SAFETY: live, of this layout.
    unsafe { V2::dealloc(&mut heap, block, layout) };
    assert_eq!(V1::available_bytes(&heap), V1::total_bytes(&heap));
}

#[test]
fn every_block_allocator_serves() {
    serves(TlsfByteAllocator::new());
    serves(BasicAllocator::<First>::new());
    serves(BasicAllocator::<Next>::new());
    serves(BasicAllocator::<Best>::new());
    serves(BasicAllocator::<Worst>::new());
    serves(BuddyByteAllocator::new());
    serves(SlabByteAllocator::new());
}
