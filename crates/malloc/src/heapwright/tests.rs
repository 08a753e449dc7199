use super::*;
use crate::shapes::free_all;
use base::{Check, Malloc};
use source::Failing;
use source::os::Os;
use thread::tls::solo::SoloTls;

mod accounts;
mod interrupted;
mod misuse;
mod split;

fn flagship() -> Flagship<Failing<Os>, SoloTls> {
    Flagship::new(Failing::new(Os), SoloTls::new())
}

#[test]
fn heaps_are_destroyed_at_once() {
    let whole = flagship();
    let before = whole.pages.live_bytes();
    let heap = whole.heap_new().expect("memory");
    for size in [16, 100, 1000, 30_000, 100_000, 40 << 20] {
        for _ in 0..50 {
            let ptr = whole.heap_allocate(heap, 16, size);
            assert!(!ptr.is_null());
            // SAFETY: a live block.
            unsafe { ptr.write(1) };
            if size == 1000 {
                free_all(&whole, [ptr]);
            }
        }
    }
    let kept = whole.heap_allocate(heap, 16, 50);
    // SAFETY: a live block.
    let grown = unsafe { whole.realloc(kept, 5000) };
    assert!(!grown.is_null());
    whole.check().expect("intact");
    // SAFETY: nothing of it is used any more.
    unsafe { whole.heap_destroy(heap) };
    whole.check().expect("intact");
    let left = whole.pages.live_bytes() - before;
    assert_eq!(left, 0, "bytes left");
}

#[test]
fn a_mapping_between_the_blocks_of_a_window_is_a_block_like_any_other() {
    // The tests beside this one map, too, and now and then take the place first.
    assert!((0..10).any(|_| a_mapping_between_the_blocks_of_a_window()));
}

#[test]
fn who_is_refused_again_and_again_gives_up_no_block_each_time() {
    const ROUNDS: u64 = 20;
    let heap = flagship();
    heap.pages.source.pretend_limit(1 << 30);
    let small = || {
        let ptr = heap.malloc(100);
        assert!(!ptr.is_null());
        free_all(&heap, [ptr]);
    };
    small();
    assert_eq!(heap.pages.region.hold(), page::region::Hold::Window);
    heap.pages.source.fail_nth(0);
    for _ in 0..ROUNDS {
        assert!(heap.malloc(1 << 46).is_null());
        small();
    }
    assert_eq!(heap.pages.source.calls(), 2 * ROUNDS, "for the block, and for what the heap lacks");
}

#[test]
fn a_limit_set_past_us_shows_when_a_large_block_is_refused() {
    let heap = flagship();
    free_all(&heap, [heap.malloc(100)]);
    heap.pages.source.pretend_limit(1 << 30);
    assert!(!heap.malloc(3 << 20).is_null());
    assert_eq!(heap.pages.region.hold(), page::region::Hold::Reserved, "nobody has asked");
    heap.pages.source.fail_nth(1);
    let block = heap.malloc(40 << 20);
    assert!(heap.huge.len_of(block.addr()).is_some(), "the mapping was tried again");
    assert_eq!(heap.pages.region.hold(), page::region::Hold::Window);
    heap.check().expect("intact");
}

/// `false`: another thread's mapping was put where this one was to be.
fn a_mapping_between_the_blocks_of_a_window() -> bool {
    let heap = flagship();
    free_all(&heap, [heap.malloc(100)]);
    heap.pages.source.pretend_limit(1 << 30);
    heap.pages.limit_changed();
    // Runs of 2 MiB, all but the last of which are given up, so that there is room for a mapping.
    let runs: [*mut u8; 40] = core::array::from_fn(|_| heap.malloc(2 << 20));
    free_all(&heap, runs[..39].iter().copied());
    heap.pages.release_empty();
    heap.pages.source.pretend_limit(0);
    heap.pages.limit_changed();
    let place = runs[0].addr().next_multiple_of(2 << 20);
    heap.pages.source.map_next_at(place);
    for size in [40 << 20, 60 << 20] {
        let ptr = heap.malloc(size);
        if ptr.addr() != place {
            return false;
        }
        // SAFETY: a live block of that size.
        unsafe { ptr.write_bytes(7, size) };
        // SAFETY: a live block.
        assert_eq!(unsafe { heap.usable_size(ptr) }, size);
        // SAFETY: a live block.
        let ptr = unsafe { heap.realloc(ptr, 36 << 20) };
        // SAFETY: inside the block.
        assert_eq!(unsafe { ptr.read() }, 7);
        heap.check().expect("intact");
        free_all(&heap, [ptr]);
        heap.check().expect("intact");
        heap.pages.source.map_next_at(place);
    }
    true
}

#[test]
fn a_block_whose_new_place_is_lost_stays_as_it_was() {
    let heap = flagship();
    // The first block stays in small pages, from which nothing is moved.
    let _first = heap.malloc(4 << 20);
    let ptr = heap.malloc(3 << 20);
    // SAFETY: a live block of that size.
    unsafe { ptr.write_bytes(9, 3 << 20) };
    let _behind = heap.malloc(1 << 20);
    heap.pages.source.lose_moves(true);
    // SAFETY: a live block.
    let run = unsafe { heap.realloc(ptr, 20 << 20) };
    assert!(run.is_null(), "a run that is lost is not handed out");
    assert_eq!(last_byte(ptr), 9);
    heap.check().expect("intact");
    // A mapping that is lost is replaced by another, with a copy.
    // SAFETY: a live block.
    let ptr = unsafe { heap.realloc(ptr, 50 << 20) };
    assert_eq!(last_byte(ptr), 9);
    heap.check().expect("intact");
    heap.pages.source.lose_moves(false);
    // SAFETY: a live block.
    let moved = unsafe { heap.realloc(ptr, 20 << 20) };
    assert_eq!(last_byte(moved), 9);
    heap.check().expect("intact");
}

/// The last byte of a block's first 3 MiB.
fn last_byte(block: *mut u8) -> u8 {
    // SAFETY: inside the block.
    let last = unsafe { block.add((3 << 20) - 1) };
    // SAFETY: as above.
    unsafe { last.read() }
}

#[test]
fn a_thread_that_moves_to_another_node_takes_shards_of_that() {
    let heap = flagship();
    heap.central.fix_shards(2);
    let class = object::size_class::class_of(1000);
    let slabs =
        |shard| heap.central.shelf(shard, class).count(heap.pages.region.descriptors(), class).1;
    let mut blocks = Vec::new();
    heap.source().pretend_node(0);
    blocks.extend((0..100).map(|_| heap.malloc(1000)));
    assert!(slabs(0) > 0 && slabs(1) == 0);
    heap.source().pretend_node(1);
    // Where it runs is looked at now and then.
    blocks.extend((0..10_000).map(|_| heap.malloc(1000)));
    assert!(slabs(1) > slabs(0), "{} and {}", slabs(0), slabs(1));
    heap.check().expect("intact");
    free_all(&heap, blocks);
    heap.check().expect("intact");
    assert_eq!(heap.stats().live_bytes, 0);
}

/// Where the system has no more memory, what the thread keeps of one class makes room for another.
#[test]
fn what_a_thread_keeps_serves_another_class_when_memory_is_out() {
    let heap = flagship();
    let mut blocks: Vec<*mut u8> = (0..1000).map(|_| heap.malloc(2048)).collect();
    heap.source().fail_from(1);
    let rest = core::iter::repeat_with(|| heap.malloc(2048));
    blocks.extend(rest.take_while(|ptr| !ptr.is_null()));
    assert!(heap.malloc(640).is_null(), "no slab of another class");
    // A magazine of these holds 32: none of them goes back to its slab, and two slabs at least are among them.
    free_all(&heap, blocks.drain(blocks.len() - 30..));
    let ptr = heap.malloc(640);
    assert!(!ptr.is_null(), "a slab of what was kept");
    blocks.push(ptr);
    heap.source().fail_from(0);
    free_all(&heap, blocks);
    heap.check().expect("intact");
}
