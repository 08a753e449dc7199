use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::Tlsf;
use crate::GRANULARITY;
use crate::int::{Core, sealed::Chooses};

type Small<'a> = Tlsf<'a, u16, u16, 12, 16>;
type Wide<'a> = Tlsf<'a, usize, usize, { usize::BITS as usize }, { usize::BITS as usize }>;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

#[test]
fn blocks_are_aligned_apart_and_come_back() {
    let mut pool = [const { MaybeUninit::uninit() }; 1 << 16];
    let mut heap = Small::new();
    assert!(heap.insert_free_block(&mut pool).is_some());
    let mut live: Vec<(NonNull<u8>, Layout)> = Vec::new();
    for round in 0..500 {
        let layout = layout(round * 7 % 300, 1 << (round % 8));
        let Some(block) = heap.allocate(layout) else { break };
        assert!(block.addr().get().is_multiple_of(layout.align()));
        // SAFETY: just allocated with this size.
        unsafe { block.write_bytes(round as u8, layout.size()) };
        live.push((block, layout));
    }
    assert!(live.len() > 200, "{} blocks", live.len());
    for (i, (block, layout)) in live.into_iter().enumerate() {
        for at in 0..layout.size() {
            // SAFETY: within the block.
            let byte = unsafe { block.add(at) };
            // SAFETY: live, and written above.
            assert_eq!(unsafe { byte.read() }, i as u8);
        }
        // SAFETY: allocated above with this alignment.
        unsafe { heap.deallocate(block, layout.align()) };
    }
    assert!(heap.allocate(layout(60_000, 1)).is_some(), "the pool is one block again");
}

#[test]
fn what_is_appended_joins_what_was_there() {
    let mut memory = vec![0_u64; 1 << 10];
    let start = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
    let mut heap = Wide::new();
    let half = NonNull::slice_from_raw_parts(start, 4 << 10);
    // SAFETY: the memory outlives the heap.
    let taken = unsafe { heap.insert_free_block_ptr(half) }.unwrap().get();
    assert!(taken <= 4 << 10);
    // SAFETY: within the memory.
    let rest = unsafe { start.add(taken) };
    let rest = NonNull::slice_from_raw_parts(rest, (8 << 10) - taken);
    // SAFETY: as above; it begins where the first part ends.
    let more = unsafe { heap.append_free_block_ptr(rest) };
    assert_eq!(more, rest.len() & !(GRANULARITY - 1));
    assert!(heap.allocate(layout(7 << 10, 16)).is_some(), "one block over both parts");
}

#[test]
fn too_little_memory_is_not_taken() {
    let mut memory = [0_u64; 2];
    let block = NonNull::from(&mut memory);
    let mut heap = Small::new();
    // SAFETY: the memory outlives the heap.
    let taken = unsafe {
        heap.insert_free_block_ptr(NonNull::slice_from_raw_parts(
            block.cast(),
            size_of_val(&memory),
        ))
    };
    assert_eq!(taken, None);
    assert!(heap.allocate(layout(1, 1)).is_none());
}

/// A bitmap of one word has no word behind it that is looked into for a block of no bin.
#[test]
fn a_size_near_the_limit_of_the_smallest_geometry_is_refused() {
    let mut pool = [const { MaybeUninit::uninit() }; 1 << 12];
    let mut heap = Tlsf::<u8, u8, 7, 8>::new();
    heap.insert_free_block(&mut pool);
    let largest = <<u8 as Chooses>::Heap as Core>::LARGEST;
    for size in largest - 64..=largest + 64 {
        assert!(heap.allocate(layout(size, 8)).is_none(), "{size:#x}");
    }
    assert!(heap.allocate(layout(3_000, 8)).is_some());
}

#[test]
fn reallocation_keeps_contents_and_alignment() {
    let mut pool = [const { MaybeUninit::uninit() }; 1 << 16];
    let mut heap = Small::new();
    heap.insert_free_block(&mut pool);
    let mut block = heap.allocate(layout(10, 64)).unwrap();
    // SAFETY: 10 bytes were allocated.
    unsafe { block.write_bytes(0xA5, 10) };
    for size in [100, 5_000, 40, 20_000, 10] {
        let between = heap.allocate(layout(24, 8)).unwrap();
        // SAFETY: live, with this alignment.
        block = unsafe { heap.reallocate(block, layout(size, 64)) }.unwrap();
        assert!(block.addr().get().is_multiple_of(64));
        // SAFETY: allocated above.
        unsafe { heap.deallocate(between, 8) };
    }
    let bytes = NonNull::slice_from_raw_parts(block, 10);
    // SAFETY: live, and its first 10 bytes were kept.
    assert_eq!(unsafe { bytes.as_ref() }, [0xA5; 10]);
}

#[cfg(feature = "unstable")]
#[test]
fn a_pool_has_its_blocks_by_loop_and_by_fold() {
    let mut memory = vec![0_u64; 1 << 13];
    let block = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
    let block = NonNull::slice_from_raw_parts(block, 8 << 13);
    let mut heap = Wide::new();
    // SAFETY: the memory outlives the heap.
    let len = unsafe { heap.insert_free_block_ptr(block) }.unwrap().get();
    let live: Vec<_> = (0..100).map(|i| heap.allocate(layout(i * 5, 8)).unwrap()).collect();
    for one in live.iter().step_by(3) {
        // SAFETY: allocated above.
        unsafe { heap.deallocate(*one, 8) };
    }
    let pool = NonNull::slice_from_raw_parts(block.cast::<u8>(), len);
    let mut looped = (0, 0, 0);
    let mut last = 0;
    // SAFETY: the pool was added above.
    for one in unsafe { heap.iter_blocks(pool) } {
        let at = one.as_ptr().cast::<u8>().addr().get();
        assert!(at > last, "blocks come upward");
        last = at;
        looped.0 += usize::from(one.is_occupied());
        looped.1 += usize::from(!one.is_occupied());
        looped.2 += one.size();
    }
    assert_eq!(looped.0, 66, "blocks in use");
    // SAFETY: as above.
    let folded = unsafe { heap.iter_blocks(pool) }.map(|one| one.size()).sum::<usize>();
    assert_eq!(folded, looped.2);
    // SAFETY: as above.
    let mut begun = unsafe { heap.iter_blocks(pool) };
    let first = begun.by_ref().take(40).map(|one| one.size()).sum::<usize>();
    assert_eq!(first + begun.map(|one| one.size()).sum::<usize>(), looped.2, "from the middle");
    assert!(looped.2 < len && looped.2 > len - 100, "{} of {len} bytes are in blocks", looped.2);
    let empty = NonNull::slice_from_raw_parts(NonNull::<u8>::dangling(), 64);
    // SAFETY: no memory of the heap.
    assert_eq!(unsafe { heap.iter_blocks(empty) }.count(), 0);
}

#[cfg(feature = "unstable")]
#[test]
fn usable_size_is_at_least_what_was_asked() {
    let mut pool = [const { MaybeUninit::uninit() }; 1 << 12];
    let mut heap = Small::new();
    heap.insert_free_block(&mut pool);
    for size in 0..200 {
        let block = heap.allocate(layout(size, 4)).unwrap();
        // SAFETY: live, of this type of heap.
        assert!(unsafe { Small::allocation_usable_size(block) } >= size);
        // SAFETY: allocated above.
        unsafe { heap.deallocate(block, 4) };
    }
}
