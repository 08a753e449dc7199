use super::*;
use base::AddMemory;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{HalfFit, Tlsf};

/// What `room_for` says is enough for a fresh allocator, at the worst place that its alignment
/// allows.
fn suffices<A: BlockAllocator + AddMemory + RoomFor>(new: impl Fn() -> A) {
    for size in (0..200).chain([255, 256, 257, 4095, 4096, 4097, 65_535, 65_536, 100_000]) {
        for shift in 0..15 {
            let layout = Layout::from_size_align(size, 1 << shift).unwrap();
            let mut heap = new();
            let room = heap.room_for(layout).unwrap();
            let mut memory = vec![0u8; room.size() + 2 * room.align() + (1 << shift)];
            let at = memory.as_ptr().addr();
            // One step of the room's alignment past a multiple of the block's.
            let start = align_up(at, (1 << shift).max(room.align())) + room.align();
            // SAFETY: within the memory, which outlives the heap.
            let start = unsafe { memory.as_mut_ptr().add(start - at) };
            // SAFETY: as above.
            unsafe { heap.add_memory(start, room.size()) }.unwrap();
            let block = heap.allocate(layout);
            assert!(block.is_some(), "{layout:?} in {room:?}");
        }
    }
    let most = Layout::from_size_align(isize::MAX as usize - 15, 16).unwrap();
    assert!(new().room_for(most).is_none_or(|room| room.size() > most.size()));
}

#[test]
fn each_design_asks_for_enough() {
    suffices(<Tlsf>::new);
    suffices(<HalfFit>::new);
    suffices(FirstFit::new);
    suffices(NextFit::new);
    suffices(BestFit::new);
    suffices(WorstFit::new);
    suffices(block::buddy::Buddy::new);
    suffices(SizeSlabs::<4096>::new);
    suffices(block::sharded::Sharded::new);
}
