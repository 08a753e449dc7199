//! This process has our malloc linked into it, and looks at itself from outside: what is seen is what it says of itself.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use heapwright::Heapwright;
use live::{Detail, Heap, Trouble, Watched};
use malloc::HEAP;
use malloc::heapwright::stats::class_size;

#[global_allocator]
static MALLOC: Heapwright = Heapwright;

fn watched() -> Watched {
    Watched::find(std::process::id() as i32).expect("this process can be read")
}

fn look(watched: &mut Watched) -> Heap {
    watched.look(Detail::Pages).expect("it runs").heap.expect("its malloc shows")
}

/// Tests of one process would disturb each other's figures.
#[test]
fn what_is_seen_from_outside_is_what_the_process_says() {
    blocks_of_each_kind();
    while_threads_go_on();
    what_does_not_fit_is_left_out();
}

fn blocks_of_each_kind() {
    let small: Vec<Vec<u8>> = (0..50_000).map(|i| vec![1; 1 + i % 700]).collect();
    let mut runs: Vec<Vec<u8>> = (0..40).map(|i| vec![2; 100_000 + i * 10_000]).collect();
    let huge = vec![3u8; 40 << 20];
    runs.truncate(30);
    let mut few = small;
    let mut number = 0;
    few.retain(|_| {
        number += 1;
        number % 3 == 0
    });
    let mut watched = watched();
    let figures = watched.look(Detail::Pages).expect("it runs");
    assert_eq!(figures.malloc.as_ref().map(|(name, _)| name.as_str()), Some("heapwright"));
    // The first look has what the second needs.
    let heap = look(&mut watched);
    let stats = HEAP.stats();
    let near = |seen: u64, said: usize| {
        let (seen, said) = (seen as f64, said as f64);
        assert!((seen - said).abs() <= 200_000.0 + said / 500.0, "{seen} seen, {said} said");
    };
    near(heap.live, stats.live_bytes);
    near(heap.kept, stats.cached_bytes);
    near(heap.dirty, stats.dirty_bytes);
    near(heap.held, stats.held_bytes);
    near(heap.obtained, stats.committed_bytes);
    near(heap.given_back, usize::try_from(stats.purged_bytes).expect("64 bits"));
    near(heap.books, stats.metadata_bytes);
    assert_eq!((heap.huge, heap.huge_count), (stats.huge.0 as u64, stats.huge.1 as u64));
    assert_eq!(heap.threads_now, u64::from(stats.threads.0));
    for size in &heap.sizes {
        let class = (1..).find(|&class| class_size(class) as u64 == size.bytes).expect("a class");
        near(size.objects * size.bytes, stats.live_objects[class] * class_size(class));
        assert!(size.slabs.abs_diff(stats.slabs[class] as u64) <= 3, "{size:?}");
    }
    let parts = heap.parts.expect("asked for");
    assert!(parts.is_known);
    let split = HEAP.split(&stats);
    for (part, (name, own)) in
        parts.parts.iter().zip(malloc::heapwright::split::PARTS.iter().zip(split.parts))
    {
        assert_eq!(part.name, *name);
        near(part.held, own.held);
        near(part.resident, own.resident);
    }
    let sum: u64 = parts.parts.iter().map(|part| part.resident).sum();
    assert!(sum <= figures.process.resident + (4 << 20), "{sum} of {}", figures.process.resident);
    assert_eq!(heap.map.kinds.len(), heap.map.fills.len());
    black_box((few, runs, huge));
}

/// Whatever moves meanwhile, nothing is nonsense.
fn while_threads_go_on() {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..4usize {
            let stop = &stop;
            scope.spawn(move || {
                let mut held: Vec<Vec<u8>> = Vec::new();
                let mut at = number;
                while !stop.load(Ordering::Relaxed) {
                    at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    held.push(vec![0; at % 90_000]);
                    if held.len() > 400 {
                        held.swap_remove(at % 400);
                        held.truncate(if at.is_multiple_of(64) { 10 } else { 400 });
                    }
                }
            });
        }
        let mut watched = watched();
        for _ in 0..200 {
            let figures = watched.look(Detail::Blocks).expect("it runs");
            let heap = figures.heap.expect("it shows");
            assert!(heap.live + heap.kept <= heap.obtained, "{heap:?}");
            let in_sizes: u64 = heap.sizes.iter().map(|size| size.bytes * size.room).sum();
            assert!(in_sizes <= heap.obtained, "{heap:?}");
            assert!(heap.sizes.iter().all(|size| size.objects + size.kept <= size.room));
            assert!(heap.unsettled < 2000, "{}", heap.unsettled);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

fn what_does_not_fit_is_left_out() {
    // One that has ended, and one whose number another has.
    let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("there is sleep");
    let mut watched = Watched::find(child.id() as i32).expect("a child");
    let figures = watched.look(Detail::Pages).expect("it runs");
    assert!(figures.malloc.is_none() && figures.heap.is_none());
    assert!(figures.help().contains("heapwright run"), "{}", figures.help());
    child.kill().expect("ours");
    child.wait().expect("ours");
    assert_eq!(watched.look(Detail::Blocks), Err(Trouble::Ended(child.id() as i32)));
}
