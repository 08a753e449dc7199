//! What the tests of several mallocs do alike.
use core::time::Duration;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;

use base::{Check, Malloc};
use page::System;
use source::Failing;
use source::os::Os;

use crate::DropIn;
use crate::chunks::{Chunk, Chunks};

/// Sends the address of a block to another thread.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) *mut u8);

// SAFETY: a block may be freed by any thread.
unsafe impl Send for Sent {}

pub(crate) fn free_all<M: Malloc>(heap: &M, blocks: impl IntoIterator<Item = *mut u8>) {
    // SAFETY: the tests free what they have.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
}

/// The tests of a malloc `$malloc` whose chunks are its `$chunks`.
macro_rules! of_chunks {
    ($malloc:ident: $($chunks:ident).+) => {
        #[test]
        fn what_others_free_comes_back_to_its_owner() {
            let heap = heap();
            crate::shapes::come_back(&*heap, || heap.$($chunks).+.bytes());
        }

        #[test]
        fn threads_that_end_at_once_unmap_nothing_and_wait_for_nobody() {
            let heap: &'static $malloc<Os> = Box::leak(Box::new($malloc::new(Os)));
            crate::shapes::ends_at_once(heap, &heap.$($chunks).+, || heap.threads.live());
        }

        #[test]
        fn the_first_few_blocks_of_many_sizes_share_pages() {
            crate::shapes::few_share_pages(&*heap());
        }

        #[test]
        fn freed_mappings_wait_for_the_next_block() {
            let heap = heap();
            crate::shapes::mappings_wait(&*heap, &heap.$($chunks).+);
        }

        #[test]
        fn a_large_heap_maps_many_chunks_by_one_call() {
            let heap = heap();
            crate::shapes::maps_ahead(&*heap, &heap.$($chunks).+);
        }
    };
}
pub(crate) use of_chunks;

/// 100 MB that are freed cost fewer than `freed` MiB, and fewer than `trimmed` after a trim.
pub(crate) fn goes_back<M: DropIn>(heap: &M, freed: usize, trimmed: usize) {
    let blocks: Vec<_> = (0..100_000).map(|_| heap.malloc(1000)).collect();
    assert!(heap.figures().live >= 100_000_000);
    heap.check().unwrap();
    free_all(heap, blocks);
    heap.check().unwrap();
    assert!(heap.figures().committed < freed << 20, "{:?}", heap.figures());
    heap.trim();
    heap.check().unwrap();
    assert!(heap.figures().committed < trimmed << 20, "{:?}", heap.figures());
    assert_eq!((heap.figures().live, heap.figures().cached), (0, 0));
}

/// What another thread frees serves its owner again: nothing new is `mapped`.
pub(crate) fn come_back<M: Malloc + Check + Sync>(heap: &M, mapped: impl Fn() -> usize) {
    let blocks: Vec<_> = (0..10_000).map(|_| Sent(heap.malloc(100))).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: live blocks of this heap.
            blocks.into_iter().for_each(|block| unsafe { heap.free(block.0) });
        });
    });
    let before = mapped();
    let again: Vec<_> = (0..9_000).map(|_| heap.malloc(100)).collect();
    assert_eq!(mapped(), before, "nothing new was mapped");
    heap.check().unwrap();
    free_all(heap, again);
    heap.check().unwrap();
}

/// One block each of twenty sizes touches few pages; many of a size have their own.
pub(crate) fn few_share_pages<M: Malloc>(heap: &M) {
    let blocks: Vec<_> = (0..20).map(|i| heap.malloc(16 + i * 50)).collect();
    let mut pages: Vec<_> = blocks.iter().map(|block| block.addr() / 4096).collect();
    pages.dedup();
    assert!(pages.len() <= 10, "{pages:?}");
    let many: Vec<_> = (0..1000).map(|_| heap.malloc(520)).collect();
    // SAFETY: live blocks of this heap.
    let is_tight = |&block: &*mut u8| unsafe { heap.usable_size(block) } < 600;
    assert!(many[8..].iter().all(is_tight), "a class with many has pages of its own");
    free_all(heap, blocks.into_iter().chain(many));
}

/// A heap of many chunks asks for several by one call, and for one where it is refused several.
pub(crate) fn maps_ahead<M: Malloc, C: Chunk, const SHIFT: u32>(
    heap: &M,
    chunks: &Chunks<Failing<Os>, C, SHIFT>,
) {
    let source = &chunks.source;
    let fill = |mib: usize| {
        let before = chunks.mapped_bytes();
        let blocks = (0..mib).map(|_| heap.malloc(1 << 20)).collect::<Vec<_>>();
        assert!(blocks.iter().all(|block| !block.is_null()));
        (blocks, (chunks.mapped_bytes() - before) / C::LEN)
    };
    let (mut blocks, _) = fill(256);
    source.fail_nth(0);
    let (more, count) = fill(512);
    blocks.extend(more);
    assert!(count >= 128 && source.calls() < count as u64 / 4, "{count} by {}", source.calls());
    // What is ahead now is used up soon.
    for _ in 0..64 {
        source.fail_nth(1);
        blocks.extend(fill(2).0);
    }
    source.fail_nth(0);
    free_all(heap, blocks);
    chunks.trim();
    assert_eq!(chunks.mapped_bytes(), 0);
}

/// A mapping that is freed serves the next block of about its length, and goes after a second, at a trim, before a
/// filter of system calls, or where the system is out of addresses.
pub(crate) fn mappings_wait<M: Malloc + Check, C: Chunk, const SHIFT: u32>(
    heap: &M,
    chunks: &Chunks<Failing<Os>, C, SHIFT>,
) {
    const LEN: usize = 2 << 20;
    let blocks: Vec<_> = (0..12).map(|_| heap.malloc(LEN)).collect();
    let free = |block: *mut u8| {
        // SAFETY: a live block of this heap, of more bytes.
        unsafe { block.write_bytes(1, LEN / 2) };
        // SAFETY: a live block of this heap.
        unsafe { heap.free(block) };
    };
    let before = chunks.costing_bytes();
    let waiting = || chunks.costing_bytes() - before;
    blocks.into_iter().for_each(free);
    assert_eq!(waiting(), 10 * LEN, "20 MiB wait");
    let [larger, smaller] = [LEN + 4096, LEN * 3 / 4].map(|size| heap.malloc(size));
    assert_eq!(waiting(), 10 * LEN, "they fit neither");
    let zeroes = heap.calloc(LEN - 4096, 1);
    assert_eq!((waiting(), chunks.huge().count()), (9 * LEN, 3));
    // SAFETY: a live block.
    assert!(unsafe { core::slice::from_raw_parts(zeroes, LEN / 2) }.iter().all(|&byte| byte == 0));
    heap.check().unwrap();
    chunks.source.pass_ms(3000);
    [larger, smaller, zeroes].into_iter().for_each(free);
    assert!(waiting() < 3 * LEN, "what waited for a second has gone");
    chunks.trim();
    assert_eq!(waiting(), 0);
    free(heap.malloc(LEN));
    assert_eq!(waiting(), LEN);
    chunks.before_confinement();
    free(heap.malloc(LEN));
    assert_eq!(waiting(), 0, "nothing waits behind a filter of system calls");
    heap.check().unwrap();
}

/// Threads that have allocated and freed, and end all at once, while nobody gets the pool's lock: they unmap nothing. `live`: how
/// many are known.
pub(crate) fn ends_at_once<M: DropIn + Sync, S: System, C: Chunk, const SHIFT: u32>(
    heap: &'static M,
    chunks: &Chunks<S, C, SHIFT>,
    live: impl Fn() -> u32,
) {
    const THREADS: usize = 20;
    heap.begin();
    let barrier = Arc::new(Barrier::new(THREADS + 1));
    let (gone, waits) = mpsc::channel();
    for _ in 0..THREADS {
        let (barrier, gone) = (Arc::clone(&barrier), gone.clone());
        thread::spawn(move || {
            let work = thread::spawn(move || {
                // SAFETY: live blocks of this heap.
                (1..2000).for_each(|size| unsafe { heap.free(heap.malloc(size)) });
                barrier.wait();
                barrier.wait();
            });
            work.join().unwrap();
            gone.send(()).unwrap();
        });
    }
    barrier.wait();
    let mapped = chunks.mapped_bytes();
    chunks.while_locked(|| {
        barrier.wait();
        (0..THREADS).for_each(|_| waits.recv_timeout(Duration::from_secs(60)).unwrap());
    });
    assert_eq!(chunks.mapped_bytes(), mapped, "a thread that ends unmaps nothing");
    assert!(chunks.costing_bytes() < 16 << 20, "{}", chunks.costing_bytes());
    assert_eq!(live(), 0);
    heap.trim();
    assert_eq!((chunks.mapped_bytes(), chunks.pooled_bytes(), chunks.costing_bytes()), (0, 0, 0));
}
