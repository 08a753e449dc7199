#![expect(
    clippy::multiple_unsafe_ops_per_block,
    clippy::disallowed_macros,
    reason = "tests: several calls under one promise, and text to compare"
)]

use super::*;
use core::fmt::Write as _;

use crate::shapes::Memory;

type Checked = Tlsf<4, 8, GRAIN, Walked>;

/// The heap as words: `used 64, free 2048`.
fn shape(heap: &impl Walk) -> String {
    let mut text = String::new();
    heap.walk(&mut |Piece { len, used, .. }| {
        let comma = if text.is_empty() { "" } else { ", " };
        let state = if used { "used" } else { "free" };
        write!(text, "{comma}{state} {len}").unwrap();
        ControlFlow::Continue(())
    });
    text
}

fn heap(memory: &mut Memory, bytes: usize) -> Checked {
    let mut heap = Checked::new();
    let overhead = 48;
    // SAFETY: the tests drop the heap before the memory.
    unsafe { heap.add_memory(memory.start(), bytes + overhead - 16) }.unwrap();
    assert_eq!(shape(&heap), format!("free {bytes}"));
    heap
}

fn take(heap: &mut Checked, size: usize) -> NonNull<u8> {
    let block = heap.allocate(Layout::from_size_align(size, 1).unwrap()).unwrap();
    // SAFETY: just allocated.
    unsafe { block.write_bytes(0x55, size) };
    block
}

fn give(heap: &mut Checked, block: NonNull<u8>) {
    // SAFETY: the tests free what they took.
    unsafe { heap.free(block) };
    heap.check().unwrap();
}

#[test]
fn each_split_and_merge_leaves_the_shape_it_should() {
    let mut memory = Memory::new(4096);
    let mut heap = heap(&mut memory, 1024);
    let [a, b, c, d] = [24, 25, 100, 8].map(|size| take(&mut heap, size));
    assert_eq!(shape(&heap), "used 32, used 48, used 112, used 32, free 800");
    give(&mut heap, b);
    assert_eq!(shape(&heap), "used 32, free 48, used 112, used 32, free 800");
    give(&mut heap, c);
    assert_eq!(shape(&heap), "used 32, free 160, used 32, free 800", "merged below");
    give(&mut heap, a);
    assert_eq!(shape(&heap), "free 192, used 32, free 800", "merged above");
    let e = take(&mut heap, 160);
    assert_eq!(shape(&heap), "used 192, used 32, free 800", "a rest of 16 bytes is no block");
    give(&mut heap, d);
    assert_eq!(shape(&heap), "used 192, free 832", "merged above");
    let f = take(&mut heap, 800);
    assert_eq!(shape(&heap), "used 192, used 832");
    assert!(heap.allocate(Layout::new::<u8>()).is_none());
    give(&mut heap, e);
    give(&mut heap, f);
    assert_eq!(shape(&heap), "free 1024");
    let stats = heap.stats();
    assert_eq!((stats.used, stats.peak, stats.total, stats.failures), (0, 1024, 1024, 1));
    assert_eq!(stats.largest_free, 1016);
}

#[test]
fn merging_both_neighbours_gives_one_block() {
    let mut memory = Memory::new(4096);
    let mut heap = heap(&mut memory, 512);
    let [a, b, c, _d] = [40, 40, 40, 40].map(|size| take(&mut heap, size));
    give(&mut heap, a);
    give(&mut heap, c);
    assert_eq!(shape(&heap), "free 48, used 48, free 48, used 48, free 320");
    give(&mut heap, b);
    assert_eq!(shape(&heap), "free 144, used 48, free 320");
}

#[test]
fn resizing_stays_grows_up_grows_down_or_moves() {
    let mut memory = Memory::new(4096);
    let mut heap = heap(&mut memory, 1024);
    let [a, b, c] = [200, 200, 200].map(|size| take(&mut heap, size));
    let layout = Layout::from_size_align(200, 16).unwrap();
    // SAFETY: live blocks of this layout, in this test.
    unsafe {
        assert_eq!(heap.reallocate(c, layout, 300), Some(c));
        assert_eq!(shape(&heap), "used 208, used 208, used 320, free 288", "grown up");
        assert_eq!(heap.reallocate(c, layout, 20), Some(c));
        assert_eq!(shape(&heap), "used 208, used 208, used 32, free 576", "shrunk");
        a.as_ptr().cast::<u64>().write(7);
        b.as_ptr().cast::<u64>().write(8);
    }
    give(&mut heap, a);
    // SAFETY: as above.
    let down = unsafe { heap.reallocate(b, layout, 300) }.unwrap();
    assert_eq!(down, a);
    assert_eq!(shape(&heap), "used 320, free 96, used 32, free 576", "grown down");
    // SAFETY: as above.
    assert_eq!(unsafe { down.cast::<u64>().read() }, 8);
    let larger = Layout::from_size_align(300, 16).unwrap();
    // SAFETY: as above.
    let moved = unsafe { heap.reallocate(down, larger, 500) }.unwrap();
    assert_eq!(shape(&heap), "free 416, used 32, used 512, free 64", "moved");
    // SAFETY: as above.
    assert_eq!(unsafe { moved.cast::<u64>().read() }, 8);
    // SAFETY: as above.
    assert_eq!(unsafe { heap.reallocate(moved, larger, 4000) }, None);
    assert_eq!(shape(&heap), "free 416, used 32, used 512, free 64", "refused, and nothing lost");
}

#[test]
fn memory_is_added_removed_extended_truncated() {
    let mut memory = Memory::new(64 << 10);
    let start = memory.start();
    let mut heap = Checked::new();
    // SAFETY: the memory outlives the heap; refused calls touch nothing.
    unsafe {
        assert_eq!(heap.add_memory(core::ptr::null_mut(), 4096), Err(AddError::Null));
        assert_eq!(heap.add_memory(start, usize::MAX), Err(AddError::Wraps));
        assert_eq!(heap.add_memory(start, 40), Err(AddError::TooSmall));
        heap.add_memory(start, 4096).unwrap();
        for (at, len) in [(0, 4096), (4000, 4096), (100, 100), (0, 8192)] {
            assert_eq!(heap.add_memory(start.add(at), len), Err(AddError::Overlaps));
        }
        heap.add_memory(start.add(8192), 4096).unwrap();
        assert_eq!(shape(&heap), "free 4064, free 4064");
        heap.append_memory(start.add(4096), 4096).unwrap();
        assert_eq!(shape(&heap), "free 4064, free 8160");
        assert_eq!(heap.extend_memory(start, 12288), Err(AddError::Overlaps));
    }
    assert_eq!(heap.remove_memory(start.wrapping_add(16)), Err(RemoveError::Unknown));
    let block = take(&mut heap, 8000);
    assert_eq!(heap.remove_memory(start), Err(RemoveError::InUse));
    assert_eq!(heap.truncate_memory(start, 4096), Ok(8048));
    give(&mut heap, block);
    assert_eq!(heap.truncate_memory(start, 4096), Ok(4096));
    assert_eq!(shape(&heap), "free 4064, free 4064");
    assert_eq!(heap.remove_memory(start).unwrap().len(), 4096);
    assert_eq!(heap.remove_memory(start.wrapping_add(8192)).unwrap().len(), 4096);
    assert_eq!(heap.stats().total, 0);
    assert!(heap.allocate(Layout::new::<u8>()).is_none());
}

#[test]
fn memory_that_was_cut_to_two_words_can_be_made_longer_and_removed() {
    let mut memory = Memory::new(4096);
    let start = memory.start();
    // Not `Checked`, which has no free blocks of two words.
    let mut heap: Tlsf = Tlsf::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(start, 4096) }.unwrap();
    let layout = Layout::new::<u64>();
    let block = heap.allocate(layout).unwrap();
    let len = heap.truncate_memory(start, 0).unwrap();
    // SAFETY: it is refused.
    assert_eq!(unsafe { heap.extend_memory(start, usize::MAX) }, Err(AddError::Wraps));
    // SAFETY: as above; the memory has more than that.
    assert_eq!(unsafe { heap.extend_memory(start, len + GRAIN) }, Ok(()));
    heap.check().unwrap();
    let other = heap.allocate(layout).unwrap();
    // SAFETY: allocated above, with this layout.
    unsafe { heap.deallocate(other, layout) };
    assert_eq!(heap.truncate_memory(start, 0), Ok(len));
    assert_eq!(heap.remove_memory(start), Err(RemoveError::InUse));
    // SAFETY: as above.
    unsafe { heap.deallocate(block, layout) };
    assert_eq!(heap.remove_memory(start).map(NonNull::len), Ok(len));
    heap.check().unwrap();
    assert!(heap.allocate(layout).is_none(), "no bin has it any more");
}

#[test]
fn a_block_can_be_had_at_an_address() {
    let mut memory = Memory::new(8192);
    let mut heap = heap(&mut memory, 4096);
    let at = memory.start().wrapping_add(1024);
    let block = heap.allocate_at(at, 100).unwrap();
    assert_eq!(block.as_ptr(), at);
    heap.check().unwrap();
    assert_eq!(heap.allocate_at(at, 1), None, "in use");
    assert_eq!(heap.allocate_at(at.wrapping_add(8), 1), None, "not aligned");
    assert_eq!(heap.allocate_at(at.wrapping_sub(16), 24), None, "reaches into it");
    give(&mut heap, block);
    assert_eq!(shape(&heap), "free 4096");
}

#[test]
fn a_placed_control_block_is_as_long_as_its_memory_needs() {
    let mut memory = Memory::new(64 << 10);
    // SAFETY: the memory outlives the heap.
    let mut heap =
        unsafe { PlacedTlsf::<4, 8, GRAIN, Walked>::place(memory.start(), 64 << 10) }.unwrap();
    let total = heap.stats().total;
    assert!(total > (64 << 10) - 1024, "{total}");
    let layout = Layout::new::<[u64; 100]>();
    let block = heap.allocate(layout).unwrap();
    // SAFETY: the control block stands where it was placed.
    let mut same = unsafe { PlacedTlsf::<4, 8, GRAIN, Walked>::found(heap.address()) };
    // SAFETY: allocated above.
    unsafe { same.deallocate(block, layout) };
    assert_eq!(shape(&same), format!("free {total}"));
    // SAFETY: as above.
    assert!(unsafe { PlacedTlsf::<4, 8>::place(memory.start(), 100) }.is_err());
}

/// A tail over memory that is there already.
struct Rest {
    base: *mut u8,
    limit: usize,
    len: usize,
}

// SAFETY: the bytes up to the limit are the test's.
unsafe impl Tail for Rest {
    fn base(&self) -> *mut u8 {
        self.base
    }
    fn step(&self) -> usize {
        4096
    }
    fn resize(&mut self, len: usize) -> bool {
        let can = len <= self.limit;
        self.len = if can { len } else { self.len };
        can
    }
}

#[test]
fn an_arena_grows_by_what_is_missing_and_gives_back() {
    let mut memory = Memory::new(256 << 10);
    let tail = Rest { base: memory.start(), limit: 200 << 10, len: 0 };
    let mut arena = Arena::new(Checked::new(), tail);
    let layout = |size| Layout::from_size_align(size, 8).unwrap();
    let a = arena.allocate(layout(3000)).unwrap();
    assert_eq!(arena.len(), 4096);
    let b = arena.allocate(layout(3000)).unwrap();
    assert_eq!(arena.len(), 8192);
    let c = arena.allocate(layout(100_000)).unwrap();
    assert_eq!(arena.len(), 106_496);
    assert_eq!(arena.stats().failures, 0, "requests that were served are no failures");
    assert!(arena.allocate(layout(100_000)).is_none());
    assert_eq!((arena.len(), arena.stats().failures), (106_496, 1));
    // SAFETY: allocated above.
    unsafe {
        arena.deallocate(c, layout(100_000));
        arena.check().unwrap();
        assert_eq!(arena.len(), 12_288, "all but a step of what is free at the end");
        assert_eq!(arena.tail().len, arena.len());
        arena.deallocate(b, layout(3000));
        arena.deallocate(a, layout(3000));
    }
    arena.shrink();
    arena.check().unwrap();
    assert_eq!(arena.len(), 8192, "one step is kept");
}

#[test]
fn a_source_that_keeps_its_end_leaves_the_arena_whole() {
    struct Stubborn(Rest);
    // SAFETY: as of the tail within; it never gives back.
    unsafe impl Tail for Stubborn {
        fn base(&self) -> *mut u8 {
            self.0.base
        }
        fn step(&self) -> usize {
            4096
        }
        fn resize(&mut self, len: usize) -> bool {
            len >= self.0.len && self.0.resize(len)
        }
    }
    let mut memory = Memory::new(64 << 10);
    let tail = Stubborn(Rest { base: memory.start(), limit: 64 << 10, len: 0 });
    let mut arena = Arena::new(Checked::new(), tail);
    let layout = Layout::from_size_align(40_000, 8).unwrap();
    for _ in 0..3 {
        let block = arena.allocate(layout).unwrap();
        // SAFETY: allocated above.
        unsafe { arena.deallocate(block, layout) };
        arena.check().unwrap();
        assert_eq!(arena.shrink(), 0);
        assert_eq!(arena.len(), arena.tail().0.len);
    }
}

#[test]
fn a_control_block_cut_short_refuses_memory_beyond_its_bins() {
    let mut memory = Memory::new(64 << 10);
    let start = memory.start();
    // SAFETY: the memory outlives the heap.
    let mut heap = unsafe { PlacedTlsf::<4, 8, GRAIN, Walked>::place(start, 4096) }.unwrap();
    let beyond = start.wrapping_add(8192);
    // SAFETY: refused, or kept as long as the heap.
    unsafe {
        assert_eq!(heap.add_memory(beyond, 32 << 10), Err(AddError::TooLarge));
        heap.add_memory(beyond, 4096).unwrap();
        heap.append_memory(beyond.wrapping_add(4096), 4096).unwrap();
        assert_eq!(
            heap.extend_memory(beyond.wrapping_add(4096), 16 << 10),
            Err(AddError::TooLarge)
        );
    }
    assert!(
        shape(&heap).starts_with("free 4064, free 4064, free"),
        "too large together: {}",
        shape(&heap)
    );
    heap.check().unwrap();
}

#[test]
fn half_fit_takes_powers_of_two() {
    let mut memory = Memory::new(8192);
    let mut heap = HalfFit::<GRAIN, Walked>::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.start(), 4096) }.unwrap();
    for size in [1, 24, 25, 56, 57, 200] {
        heap.allocate_bytes(size).unwrap();
    }
    assert!(
        shape(&heap).starts_with("used 32, used 32, used 64, used 64, used 128, used 256, free")
    );
    // SAFETY: the blocks are not used any more.
    unsafe { heap.reset() };
    assert_eq!((heap.stats().used, heap.stats().peak), (0, 576), "the peak stays");
}

#[test]
#[cfg(not(feature = "compact"))]
fn two_words_are_a_block_and_merge_like_any_other() {
    let mut memory = Memory::new(4096);
    let mut heap: Tlsf = Tlsf::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.start(), 512 + 32) }.unwrap();
    let blocks = [8, 8, 8, 8, 8, 100].map(|size| heap.allocate_bytes(size).unwrap());
    let free = |heap: &mut Tlsf, n: usize| {
        // SAFETY: allocated above, each freed once.
        unsafe { heap.free(blocks[n]) };
        heap.check().unwrap();
    };
    assert_eq!(shape(&heap), "used 16, used 16, used 16, used 16, used 16, used 112, free 320");
    free(&mut heap, 1);
    free(&mut heap, 3);
    assert_eq!(shape(&heap), "used 16, free 16, used 16, free 16, used 16, used 112, free 320");
    assert_eq!(heap.allocate_bytes(1), Some(blocks[3]), "the last freed is taken first");
    heap.check().unwrap();
    free(&mut heap, 3);
    free(&mut heap, 2);
    assert_eq!(shape(&heap), "used 16, free 48, used 16, used 112, free 320", "both sides");
    free(&mut heap, 4);
    assert_eq!(shape(&heap), "used 16, free 64, used 112, free 320");
    let rest = heap.allocate_bytes(40).unwrap();
    assert_eq!(
        shape(&heap),
        "used 16, used 48, free 16, used 112, free 320",
        "a rest of two words"
    );
    // SAFETY: allocated above.
    unsafe { heap.free(rest) };
    free(&mut heap, 0);
    free(&mut heap, 5);
    assert_eq!(shape(&heap), "free 512");
    heap.check().unwrap();
}

#[test]
fn a_request_beyond_the_last_bin_looks_at_none() {
    let mut memory = Memory::new(64 << 10);
    // SAFETY: the memory outlives the heap; its control block has no more bins than it can fill.
    let mut heap = unsafe { PlacedTlsf::<4, 8>::place(memory.start(), 16 << 10) }.unwrap();
    let mut fixed: Tlsf = Tlsf::new();
    // SAFETY: the memory outlives the heap.
    unsafe { fixed.add_memory(memory.start().wrapping_add(32 << 10), 16 << 10) }.unwrap();
    let mut size = 1usize;
    while size != 0 {
        for request in [size.wrapping_sub(25), size - 1, size, size.saturating_add(7)] {
            if request > 16 << 10 {
                assert_eq!(heap.allocate_bytes(request), None, "{request:#x}");
                assert_eq!(fixed.allocate_bytes(request), None, "{request:#x}");
            }
        }
        size = size.wrapping_mul(2);
    }
    heap.check().unwrap();
    fixed.check().unwrap();
}

/// Sizes near the limit of a geometry, by every way to ask for them, of a heap that has far less.
fn near_the_limit<const W: usize, const STEPS: usize, const G: usize>() {
    let mut memory = Memory::new(4096);
    let mut heap: Tlsf<W, STEPS, G> = Tlsf::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.start(), 2048) }.unwrap();
    let block = heap.allocate_bytes(100).unwrap();
    let free = memory.start().wrapping_add(1024);
    let largest = Fixed::<W, STEPS, G>::LARGEST;
    for size in largest - 3 * G..=largest + 3 * G {
        let layout = |align| Layout::from_size_align(size, align).unwrap();
        assert_eq!(heap.allocate_bytes(size), None, "{size:#x}");
        assert_eq!(heap.allocate(layout(8)), None, "{size:#x}");
        assert_eq!(heap.allocate(layout(128)), None, "{size:#x}");
        assert_eq!(heap.allocate_at(free, size), None, "{size:#x}");
        // SAFETY: live, and not moved when it is refused.
        unsafe {
            assert!(!heap.resize_in_place(block, size), "{size:#x}");
            assert_eq!(heap.reallocate_bytes(block, 8, size), None, "{size:#x}");
        }
    }
    heap.check().unwrap();
}

/// Header and rounding carry such a size to a block that has no bin: where the bitmap is one word
/// that bin's bit is looked for in the word of the first.
#[test]
fn a_block_beyond_the_largest_is_refused_in_every_geometry() {
    near_the_limit::<1, 4, 16>();
    near_the_limit::<1, 2, 16>();
    near_the_limit::<1, 4, 8>();
    near_the_limit::<2, 8, 16>();
    near_the_limit::<4, 8, 16>();
    near_the_limit::<8, 16, 64>();
}

#[test]
#[cfg(target_pointer_width = "64")]
fn geometries_are_as_large_as_their_table_says() {
    fn row<const W: usize, const STEPS: usize>() -> (usize, usize) {
        (Fixed::<W, STEPS, 16>::LARGEST + 16, size_of::<Tlsf<W, STEPS, 16>>())
    }
    assert_eq!(row::<1, 4>(), (2 << 20, 568));
    assert_eq!(row::<2, 4>(), (128 << 30, 1096));
    assert_eq!(row::<2, 8>(), (4 << 20, 1096));
    assert_eq!(row::<4, 8>(), (256 << 30, 2152));
    assert_eq!(row::<8, 16>(), (512 << 30, 4264));
    let on_32 = |words: usize, steps: usize| {
        let highest = words * 32 / steps - 2 + steps.ilog2() as usize;
        (2usize << highest) * 8
    };
    assert_eq!([on_32(1, 4), on_32(2, 4), on_32(2, 8)], [4 << 10, 1 << 20, 8 << 10]);
    assert_eq!([on_32(4, 8), on_32(8, 16)], [2 << 20, 4 << 20]);
}
