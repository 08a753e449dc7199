//! A whole test program on the global allocator: collections, threads, alignments, heaps.

#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that formats")]

use allocator_api2::alloc::Allocator;
use core::alloc::Layout;
use std::collections::BTreeMap;
use std::thread;

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    text.split(' ').nth(1).expect("a second field").parse::<usize>().expect("pages") << 12
}

#[repr(align(4096))]
struct Page([u8; 4096]);

#[test]
fn collections_and_threads() {
    let maps: Vec<BTreeMap<u64, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4u64)
            .map(|worker| {
                scope.spawn(move || {
                    (0..20_000).map(|n| (n * 7919 % 10_007, format!("{worker}-{n}"))).collect()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(maps.iter().all(|map| map.len() == 10_007));
    drop(maps);
    heapwright::check().expect("intact");
}

#[test]
fn alignments_and_growth() {
    let mut pages: Vec<Box<Page>> = (0..100u8).map(|n| Box::new(Page([n; 4096]))).collect();
    assert!(pages.iter().all(|page| (&raw const **page).addr() % 4096 == 0));
    pages.retain(|page| page.0[0] % 2 == 0);
    assert!(pages.iter().all(|page| page.0.iter().all(|&byte| byte == page.0[0])));
    let mut growing = Vec::new();
    for n in 0..3_000_000u32 {
        growing.push(n);
    }
    assert!(growing.iter().enumerate().all(|(at, &n)| at == n as usize));
    growing.truncate(10);
    growing.shrink_to_fit();
    assert_eq!(growing, (0..10).collect::<Vec<u32>>());
    assert!(vec![0u8; 50 << 20].iter().all(|&byte| byte == 0));
    heapwright::check().expect("intact");
}

#[test]
fn zeroed_memory_of_the_system_is_not_written() {
    let layout = Layout::from_size_align(1 << 30, 64).expect("a layout");
    let before = resident();
    // SAFETY: the size is not 0.
    let block = unsafe { std::alloc::alloc_zeroed(layout) };
    assert!(!block.is_null() && block.addr() % 64 == 0);
    assert!(resident() < before + (512 << 20), "a GiB that is zero already was written");
    // SAFETY: a byte of it.
    assert_eq!(unsafe { block.read() }, 0);
    // SAFETY: a live block of that layout.
    unsafe { std::alloc::dealloc(block, layout) };
}

#[test]
fn heaps_free_all_at_once() {
    let heap = heapwright::Heap::new().expect("memory");
    for size in (1..2000).step_by(7) {
        let layout = Layout::from_size_align(size, 32).expect("a layout");
        let block = heap.allocate(layout).expect("memory");
        assert_eq!(block.addr().get() % 32, 0);
        // SAFETY: a live block of `size` bytes.
        unsafe { block.write_bytes(1, size) };
    }
    heap.destroy();
    heapwright::check().expect("intact");
}

#[test]
fn collections_in_a_heap() {
    let heap = heapwright::Heap::new().expect("memory");
    let mut vec = allocator_api2::vec::Vec::new_in(&heap);
    let mut map = hashbrown::HashMap::new_in(&heap);
    for n in 0..10_000u32 {
        vec.push(n);
        map.insert(n, n * 2);
    }
    assert!(vec.iter().all(|n| map[n] == n * 2));
    drop((vec, map));
    let mut global = allocator_api2::vec::Vec::new_in(heapwright::Heapwright);
    global.extend(0..100u8);
    assert_eq!(global.len(), 100);
}

/// Sizes with a class, runs, mappings, and nothing.
const SIZES: [usize; 7] = [0, 8, 100, 5000, 70_000, 3 << 20, 40 << 20];

/// A block of each size becomes one of each other size, with its contents, at every alignment.
fn resizes(allocator: &impl Allocator) {
    for (old, new) in SIZES.iter().flat_map(|old| SIZES.map(|new| (*old, new))) {
        for (from, to) in [(1, 1), (64, 64), (4096, 4096), (16, 256), (1 << 21, 8)] {
            let layout = |size, align| Layout::from_size_align(size, align).expect("a layout");
            let (before, after) = (layout(old, from), layout(new, to));
            let block = allocator.allocate(before).expect("memory").cast::<u8>();
            let len = old.min(new);
            // SAFETY: a live block of at least `len` bytes.
            unsafe { block.write_bytes(7, len) };
            let resized = if new >= old {
                // SAFETY: a live block of the first layout.
                unsafe { allocator.grow(block, before, after) }
            } else {
                // SAFETY: as above.
                unsafe { allocator.shrink(block, before, after) }
            };
            let resized = resized.expect("memory");
            assert_eq!(resized.len(), new);
            assert_eq!(resized.cast::<u8>().addr().get() % to, 0, "{old} to {new} at {to}");
            // SAFETY: a live block of at least `len` bytes, which were written.
            let bytes = unsafe { core::slice::from_raw_parts(resized.cast::<u8>().as_ptr(), len) };
            assert!(bytes.iter().all(|&byte| byte == 7), "{old} to {new} at {to}");
            // SAFETY: given up.
            unsafe { allocator.deallocate(resized.cast(), after) };
        }
    }
    heapwright::check().expect("intact");
}

#[test]
fn blocks_of_collections_are_resized() {
    resizes(&heapwright::Heapwright);
    resizes(&&heapwright::Heap::new().expect("memory"));
}

#[test]
fn a_large_block_grows_without_a_copy() {
    let layout = |mib: usize| Layout::from_size_align(mib << 20, 64).expect("a layout");
    let before = resident();
    let block = heapwright::Heapwright.allocate_zeroed(layout(1024)).expect("memory");
    // SAFETY: a live block of that layout.
    let block = unsafe { heapwright::Heapwright.grow(block.cast(), layout(1024), layout(2048)) };
    let block = block.expect("memory");
    assert!(resident() < before + (512 << 20), "what was zero was written or copied");
    // SAFETY: as above.
    unsafe { heapwright::Heapwright.deallocate(block.cast(), layout(2048)) };
}
