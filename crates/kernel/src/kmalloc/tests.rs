use super::*;
use crate::kmem_cache::toy::Pages;
use base::Check;

const PAGE: usize = 4096;

fn with(policy: Policy) -> Kmalloc<Pages> {
    Kmalloc::new(Pages::new(6000), Options { policy, ..Options::default() })
}

fn pages(kmalloc: &mut Kmalloc<Pages>) -> &mut Pages {
    // SAFETY: the tests only have them refuse.
    unsafe { kmalloc.pages_mut() }
}

fn give(kmalloc: &mut Kmalloc<Pages>, block: NonNull<u8>) {
    // SAFETY: the tests free what they have.
    unsafe { kmalloc.free(block) };
    kmalloc.check().unwrap();
}

fn size_of(kmalloc: &Kmalloc<Pages>, block: NonNull<u8>) -> usize {
    kmalloc.try_ksize(block).unwrap()
}

#[test]
fn every_size_up_to_16_kib() {
    let mut kmalloc = with(Policy::SlabLifo);
    for request in (0..=16_384).step_by(if cfg!(miri) { 1000 } else { 1 }) {
        let block = kmalloc.allocate(request).unwrap();
        let size = size_of(&kmalloc, block);
        assert_eq!(Some(size), size_roundup(request, PAGE));
        if request > 0 {
            let align = 1 << size.trailing_zeros();
            assert!(block.addr().get().is_multiple_of(align), "{request}");
        }
        // SAFETY: it is live.
        unsafe { kmalloc.free(block) };
    }
    kmalloc.check().unwrap();
    assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
}

#[test]
fn all_of_a_kind_are_aligned() {
    let mut kmalloc = with(Policy::Magazine(0));
    for (size, align) in
        [(8, 8), (96, 32), (192, 64), (4096, 4096), (8192, 8192), (1 << 20, 1 << 20)]
    {
        let blocks: Vec<_> = (0..3).map(|_| kmalloc.allocate(size).unwrap()).collect();
        assert!(blocks.iter().all(|block| block.addr().get().is_multiple_of(align)), "{size}");
        blocks.into_iter().for_each(|block| give(&mut kmalloc, block));
    }
}

#[test]
fn nothing_is_a_block() {
    let mut kmalloc = with(Policy::SlabLifo);
    assert_eq!(kmalloc.allocate(0), Some(ZERO_SIZE));
    assert_eq!(size_of(&kmalloc, ZERO_SIZE), 0);
    give(&mut kmalloc, ZERO_SIZE);
    // SAFETY: nobody's.
    let block = unsafe { kmalloc.krealloc(Some(ZERO_SIZE), 10) }.unwrap();
    // SAFETY: it is live.
    assert_eq!(unsafe { kmalloc.krealloc(Some(block), 0) }, Some(ZERO_SIZE));
    assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
}

#[test]
fn krealloc_keeps_what_is_in_it() {
    let mut kmalloc = with(Policy::Magazine(0));
    // SAFETY: there is no block.
    let mut block = unsafe { kmalloc.krealloc(None, 1) }.unwrap();
    let mut had = 1;
    // SAFETY: a byte of it.
    unsafe { block.write(7) };
    for size in [5, 8, 9, 100, 97, 5000, 9000, 100_000, 3] {
        // SAFETY: it is live.
        let new = unsafe { kmalloc.krealloc(Some(block), size) }.unwrap();
        kmalloc.check().unwrap();
        if size <= had {
            assert_eq!(new, block, "it has room");
        }
        (block, had) = (new, size_of(&kmalloc, new));
        assert!(had >= size);
        // SAFETY: a byte of it.
        assert_eq!(unsafe { block.read() }, 7);
    }
    pages(&mut kmalloc).at_most(0);
    // SAFETY: it is live, and stays so.
    assert_eq!(unsafe { kmalloc.krealloc(Some(block), 1 << 20) }, None);
    // SAFETY: a byte of it.
    assert_eq!(unsafe { block.read() }, 7);
    give(&mut kmalloc, block);
}

#[test]
fn wrong_pointers_are_refused() {
    for policy in [Policy::SlabLifo, Policy::Magazine(0)] {
        let mut kmalloc = with(policy);
        let small = kmalloc.allocate(64).unwrap();
        let large = kmalloc.allocate(20_000).unwrap();
        let local = 0u8;
        // SAFETY: inside of the block.
        let in_small = unsafe { small.byte_add(8) };
        // SAFETY: as above.
        let in_large = unsafe { large.byte_add(8) };
        // SAFETY: as above.
        let second_page = unsafe { large.byte_add(PAGE) };
        let mut finding = |block| {
            // SAFETY: wrong pointers are refused.
            let found = unsafe { kmalloc.try_free(block) }.unwrap_err();
            kmalloc.check().unwrap();
            assert_eq!(kmalloc.try_ksize(block), Err(found));
            found.finding
        };
        assert_eq!(finding(NonNull::from(&local)), Finding::Foreign);
        assert_eq!(finding(in_large), Finding::Inside);
        assert_eq!(finding(second_page), Finding::Foreign);
        assert_eq!(finding(in_small), Finding::Inside);
        give(&mut kmalloc, small);
        give(&mut kmalloc, large);
        // SAFETY: wrong pointers are refused.
        let one = unsafe { kmalloc.try_free(small) }.unwrap_err();
        // SAFETY: as above.
        let two = unsafe { kmalloc.try_free(large) }.unwrap_err();
        assert_eq!((one.finding, one.cache.as_str()), (Finding::DoubleFree, "kmalloc-64"));
        assert_eq!(two.finding, Finding::Foreign);
    }
}

#[test]
fn what_is_in_use_keeps_it() {
    let mut kmalloc = with(Policy::Magazine(0));
    let (small, large) = (kmalloc.allocate(64).unwrap(), kmalloc.allocate(20_000).unwrap());
    assert_eq!(kmalloc.large(), (1, 32 << 10));
    let Err(InUse { mut cache, live, .. }) = kmalloc.destroy() else { panic!("it went") };
    assert_eq!(live, 2);
    give(&mut cache, small);
    give(&mut cache, large);
    assert_eq!(cache.destroy().unwrap().taken(), 0);
}

#[test]
fn empty_slabs_help_other_sizes() {
    let mut kmalloc = Kmalloc::new(Pages::new(64), Options::default());
    let blocks: Vec<_> = core::iter::from_fn(|| kmalloc.allocate(100)).collect();
    assert!(blocks.len() > 1000);
    blocks.into_iter().for_each(|block| {
        // SAFETY: it is live.
        unsafe { kmalloc.free(block) };
    });
    let block = kmalloc.allocate(128 << 10).unwrap();
    kmalloc.check().unwrap();
    give(&mut kmalloc, block);
    assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
}

#[test]
fn empty_slabs_help_a_bulk_of_another_size() {
    // All pages were a small size's, some of whose slabs are empty and stay.
    let used = || {
        let options = Options { policy: Policy::SlabLifo, ..Options::default() };
        let mut kmalloc = Kmalloc::new(Pages::new(64), options);
        let blocks: Vec<_> = core::iter::from_fn(|| kmalloc.allocate(100)).collect();
        blocks.into_iter().for_each(|block| {
            // SAFETY: it is live.
            unsafe { kmalloc.free(block) };
        });
        kmalloc
    };
    let mut one_by_one = used();
    let blocks: Vec<_> = core::iter::from_fn(|| one_by_one.allocate(8192)).collect();
    let mut bulk = vec![None; blocks.len()];
    blocks.into_iter().for_each(|block| give(&mut one_by_one, block));
    let mut kmalloc = used();
    assert!(kmalloc.allocate_bulk(8192, &mut bulk), "as many as one by one");
    kmalloc.check().unwrap();
    bulk.into_iter().flatten().for_each(|block| give(&mut kmalloc, block));
    assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
}

#[test]
fn checks_leave_every_alignment_up_to_a_page() {
    for debug in [DebugFlags::NONE, DebugFlags::RED_ZONE, DebugFlags::USER, DebugFlags::ALL] {
        let options = Options { policy: Policy::SlabLifo, debug, ..Options::default() };
        let mut kmalloc = Kmalloc::new(Pages::new(6000), options);
        for size in SIZES {
            let most = if debug == DebugFlags::NONE { size } else { PAGE };
            let align = (1 << size.trailing_zeros()).min(most);
            let blocks: Vec<_> = (0..5).map(|_| kmalloc.allocate(size).unwrap()).collect();
            assert!(blocks.iter().all(|block| block.addr().get().is_multiple_of(align)), "{size}");
            blocks.into_iter().for_each(|block| give(&mut kmalloc, block));
        }
        assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
    }
}

#[test]
fn refused_pages_lose_nothing() {
    for refused in 1..20 {
        let mut kmalloc = with(Policy::SlabLifo);
        pages(&mut kmalloc).refuse(refused);
        let mut blocks = Vec::new();
        for size in [1, 10_000, 5000, 100, 200_000] {
            let mut bulk = [None; 3];
            if kmalloc.allocate_bulk(size, &mut bulk) {
                blocks.extend(bulk.into_iter().flatten());
            } else {
                assert_eq!(bulk, [None; 3]);
            }
            kmalloc.check().unwrap();
        }
        blocks.into_iter().for_each(|block| give(&mut kmalloc, block));
        assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
    }
}

#[test]
fn pages_of_64_bytes() {
    let mut memory = vec![0u8; 1 << 20];
    let mut pages = crate::bitmap::BitmapPages::<64>::new();
    // SAFETY: the memory is the allocator's alone and outlives it.
    unsafe { base::AddMemory::add_memory(&mut pages, memory.as_mut_ptr(), memory.len()) }.unwrap();
    let mut kmalloc = Kmalloc::new(pages, Options::default());
    for size in [8, 100, 5000, 8192, 9000, 64 << 10] {
        let block = kmalloc.allocate(size).unwrap();
        assert_eq!(kmalloc.try_ksize(block).ok(), size_roundup(size, 64));
        assert!(kmalloc.owns(block.addr().get()));
        kmalloc.check().unwrap();
        // SAFETY: it is live.
        unsafe { kmalloc.free(block) };
    }
    assert_eq!(kmalloc.allocate((64 << 10) + 1), None, "1,024 pages are the most");
    assert_eq!(base::Stats::stats(&kmalloc.destroy().unwrap()).used, 0);
}

#[test]
fn a_bulk_that_fails_leaves_the_callers_blocks_alone() {
    for (policy, size) in
        [(Policy::SlabLifo, 8192), (Policy::Magazine(0), 512), (Policy::SlabLifo, 9000)]
    {
        let mut kmalloc = with(policy);
        let mut mine = [None; 4];
        assert!(kmalloc.allocate_bulk(size, &mut mine));
        pages(&mut kmalloc).at_most(0);
        let mut wanted = [None; 300];
        wanted[296..].copy_from_slice(&mine);
        assert!(!kmalloc.allocate_bulk(size, &mut wanted));
        assert_eq!(wanted, [None; 300]);
        kmalloc.check().unwrap();
        for block in mine.into_iter().flatten() {
            assert!(kmalloc.try_ksize(block).unwrap() >= size);
            give(&mut kmalloc, block);
        }
        assert_eq!(kmalloc.destroy().unwrap().taken(), 0);
    }
}
