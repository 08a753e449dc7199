use super::*;
use crate::locked::Locked;
use crate::mutex::Alone;
use block::fit::FirstFit;
use core::alloc::GlobalAlloc;

#[test]
fn the_first_request_adds_the_pool_and_later_ones_know_of_nothing() {
    static POOL: Pool<4096> = Pool::new();
    // SAFETY: the pool is this test's alone.
    let heap: Locked<Alone, _> = Locked::new(unsafe { Pooled::new(FirstFit::new(), &POOL) });
    assert_eq!(heap.stats().total, 0);
    let layout = Layout::from_size_align(1000, 16).unwrap();
    // SAFETY: the size is not 0.
    let block = unsafe { heap.alloc(layout) };
    let pool = (&raw const POOL).addr();
    assert!((pool..pool + 4096).contains(&block.addr()));
    assert_eq!(heap.stats().total, 4096 - 4 * size_of::<usize>());
    assert_eq!(heap.stats().failures, 0, "a request that was served is no failure");
    // SAFETY: the size is not 0.
    assert!(unsafe { heap.alloc(Layout::from_size_align(4000, 16).unwrap()) }.is_null());
    assert_eq!(heap.stats().failures, 1);
    assert!(!heap.with(Pooled::add_pool), "it is given once");
    // SAFETY: live, given up.
    unsafe { heap.dealloc(block, layout) };
}

#[test]
fn a_pool_that_is_too_small_refuses() {
    static POOL: Pool<8> = Pool::new();
    // SAFETY: the pool is this test's alone.
    let mut heap = unsafe { Pooled::new(FirstFit::new(), &POOL) };
    assert_eq!(heap.allocate(Layout::new::<u8>()), None);
    assert_eq!(heap.allocate(Layout::new::<u8>()), None);
    assert_eq!(heap.stats().failures, 2);
}
