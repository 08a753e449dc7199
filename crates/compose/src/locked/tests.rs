use super::*;
use crate::mutex::Alone;
use base::lock::Lock;
use block::fit::FirstFit;
use source::os::Os;

fn heap<L: ConstNew + Mutex>(memory: &mut [u8]) -> Locked<L, FirstFit> {
    let heap = Locked::new(FirstFit::new());
    // SAFETY: the tests keep the memory as long as the heap.
    unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
    heap
}

#[test]
fn rust_s_global_allocator() {
    let mut memory = vec![0xAAu8; 1 << 16];
    let heap = heap::<Alone>(&mut memory);
    let layout = Layout::from_size_align(100, 64).unwrap();
    // SAFETY: the size is not 0.
    let block = unsafe { heap.alloc_zeroed(layout) };
    assert!(block.addr().is_multiple_of(64));
    // SAFETY: live.
    assert!(unsafe { core::slice::from_raw_parts(block, 100) }.iter().all(|byte| *byte == 0));
    // SAFETY: live, of this layout.
    let grown = unsafe { heap.realloc(block, layout, 1 << 10) };
    assert!(!grown.is_null());
    let layout = Layout::from_size_align(1 << 10, 64).unwrap();
    // SAFETY: live, of this layout.
    let refused = unsafe { heap.realloc(grown, layout, 1 << 20) };
    assert!(refused.is_null(), "more than there is");
    assert!(heap.owns(grown));
    // SAFETY: live, given up.
    unsafe { heap.dealloc(grown, layout) };
    assert_eq!(heap.stats().used, 0);
    heap.check().unwrap();
}

#[test]
fn many_threads_one_heap() {
    let mut memory = vec![0u8; 1 << 20];
    let heap = heap::<Lock<Os>>(&mut memory);
    std::thread::scope(|scope| {
        for id in 0..4u8 {
            let heap = &heap;
            scope.spawn(move || {
                for round in 1..200 {
                    let layout = Layout::from_size_align(round, 8).unwrap();
                    // SAFETY: the size is not 0.
                    let block = unsafe { heap.alloc(layout) };
                    assert!(!block.is_null());
                    // SAFETY: ours.
                    unsafe { block.write_bytes(id, round) };
                    // SAFETY: live.
                    let bytes = unsafe { core::slice::from_raw_parts(block, round) };
                    assert!(bytes.iter().all(|byte| *byte == id));
                    // SAFETY: live, given up.
                    unsafe { heap.dealloc(block, layout) };
                }
            });
        }
    });
    assert_eq!(heap.stats().used, 0);
}

#[test]
fn whoever_owns_it_needs_no_lock() {
    let mut memory = vec![0u8; 4096];
    let mut heap = heap::<Alone>(&mut memory);
    assert!(heap.get_mut().allocate(Layout::new::<u64>()).is_some());
}

#[cfg(feature = "allocator-api2")]
#[test]
fn collections_borrow_it() {
    let mut memory = vec![0u8; 1 << 16];
    let heap = heap::<Alone>(&mut memory);
    {
        let mut list = allocator_api2::vec::Vec::new_in(&heap);
        list.extend(0..1000u32);
        list.truncate(10);
        list.shrink_to_fit();
        assert_eq!(list.as_slice(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert!(heap.stats().used > 0);
    }
    assert_eq!(heap.stats().used, 0);
}

#[cfg(feature = "allocator-api2")]
#[test]
fn a_block_changes_its_alignment_by_moving() {
    use allocator_api2::alloc::Allocator;

    let mut memory = vec![0u8; 1 << 16];
    let heap = heap::<Alone>(&mut memory);
    let old = Layout::from_size_align(100, 8).unwrap();
    let new = Layout::from_size_align(200, 1024).unwrap();
    let block = (&heap).allocate(old).unwrap().cast::<u8>();
    // SAFETY: ours.
    unsafe { block.write_bytes(9, 100) };
    // SAFETY: live, of this layout.
    let moved = unsafe { (&heap).grow(block, old, new) }.unwrap().cast::<u8>();
    assert!(moved.addr().get().is_multiple_of(1024));
    assert_eq!(crate::peek::byte(moved, 99), 9);
    // SAFETY: live, of this layout, given up.
    unsafe { (&heap).deallocate(moved, new) };
}
