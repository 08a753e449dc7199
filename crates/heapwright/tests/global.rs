//! A whole test program on the global allocator: collections, threads, alignments, heaps.

#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that formats")]

use core::alloc::Layout;
use std::collections::BTreeMap;
use std::thread;

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

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
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
        text.split(' ').nth(1).expect("a second field").parse::<usize>().expect("pages") << 12
    };
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
