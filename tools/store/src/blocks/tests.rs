use super::*;
use crate::density::Random;
use source::os::Os;

fn test<B: Blocks>(mut heap: BlockHeap<B>) {
    assert_eq!(heap.allocate(0), Err(HandleError::Empty));
    assert_eq!(heap.allocate(4097), Err(HandleError::TooLarge { most: 4096 }));
    let mut random = Random::new(4);
    let mut live: Vec<(Handle, u8, usize)> = Vec::new();
    for step in 0..5000u32 {
        if live.len() < 200 && random.below(3) > 0 {
            let (seed, len) = (step.to_le_bytes()[0], random.between(1, 4096));
            live.push((heap.store(&vec![seed; len]).unwrap(), seed, len));
        } else if !live.is_empty() {
            let (handle, seed, len) = live.swap_remove(random.below(live.len()));
            assert_eq!(heap.bytes(handle), Ok(&vec![seed; len][..]));
            heap.free(handle).unwrap();
            assert_eq!(heap.free(handle), Err(HandleError::Stale));
        }
        let payload: usize = live.iter().map(|(.., len)| len).sum();
        assert_eq!((heap.usage().objects, heap.usage().payload), (live.len(), payload));
        assert!(heap.usage().pages >= payload);
    }
    let object = heap.allocate(10).unwrap();
    assert_eq!(heap.write(object, 8, b"xyz"), Err(HandleError::OutOfBounds));
    assert_eq!(heap.bytes(object), Ok(&[0; 10][..]));
    let unknown = Handle { row: 1 << 30, generation: 0 };
    assert_eq!(heap.free(unknown), Err(HandleError::Unknown));
}

#[test]
fn kmalloc_and_malloc_keep_every_byte() {
    test(BlockHeap::new(KernelBlocks::new(Os, 64 << 20)));
    test(BlockHeap::new(CBlocks::default()));
}
