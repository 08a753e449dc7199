use super::runs::aligned_starts;
use super::*;
use crate::geometry::BLOCK;
use base::Check;
use source::os::Os;
use source::os::linux::residency::{Residency, residency};
use source::{Failing, PageSource as _, Paged};

fn fill(run: Run, count: usize) {
    for granule in 0..count {
        let at = core::ptr::with_exposed_provenance_mut::<u8>(run.at + granule * GRANULE);
        // SAFETY: inside a run that was handed out.
        unsafe { at.write(1) };
    }
}

#[test]
fn aligned_starts_are_the_multiples() {
    for shift in 0..8 {
        let align = 1u32 << shift;
        let starts = aligned_starts(align);
        for bit in 0..128u32 {
            assert_eq!(starts >> bit & 1 == 1, bit.is_multiple_of(align), "{align} {bit}");
        }
    }
}

#[test]
fn runs_come_back_and_are_found_again() {
    let heap = PageHeap::new(Os);
    let first = heap.allocate(3, 1).expect("memory");
    assert!(first.zero);
    fill(first, 3);
    let second = heap.allocate(4, 4).expect("memory");
    assert_eq!(second.at % (4 * GRANULE), 0);
    heap.check().expect("intact");
    heap.deallocate(first.at, 3);
    heap.check().expect("intact");
    let again = heap.allocate(3, 1).expect("memory");
    assert_eq!(again.at, first.at, "first fit");
    assert!(!again.zero, "it was written");
    heap.deallocate(again.at, 3);
    heap.deallocate(second.at, 4);
    heap.check().expect("intact");
    assert_eq!(heap.live_bytes(), 0);
    assert_eq!(heap.purge_all(), 7 * GRANULE);
    heap.check().expect("intact");
    assert!(heap.allocate(7, 1).expect("memory").zero, "purged memory reads as zero");
}

/// Memory goes back page by page, also where a page is `PAGE / GRANULE` granules.
fn goes_back_by_whole_pages<const PAGE: usize>() {
    let heap = PageHeap::new(Paged::<Os, PAGE>::new(Os));
    let runs: [Run; 256] = core::array::from_fn(|_| heap.allocate(1, 1).expect("memory"));
    for run in runs {
        fill(run, 1);
    }
    let page = PAGE.max(GRANULE);
    let first = runs[0].at.next_multiple_of(page);
    // All of one page and all but one granule of the next.
    let gone = |run: &&Run| (first..first + 2 * page - GRANULE).contains(&run.at);
    for run in runs.iter().filter(gone) {
        heap.deallocate(run.at, 1);
        heap.check().expect("intact");
    }
    assert_eq!(heap.dirty_bytes(), page, "pages of {PAGE}: half a page costs, but cannot go back");
    assert_eq!(heap.purge_all(), page);
    assert_eq!(heap.purge_all(), 0, "once only");
    heap.check().expect("intact");
    for run in runs.iter().filter(|run| !gone(run)) {
        // SAFETY: a granule that was not freed.
        let byte = unsafe { core::ptr::with_exposed_provenance::<u8>(run.at).read() };
        assert_eq!(byte, 1, "pages of {PAGE}: what is held keeps its contents");
    }
    let whole = heap.allocate(page / GRANULE, page / GRANULE).expect("memory");
    assert!(whole.zero || whole.at != first, "what went back reads as zero");
    heap.check().expect("intact");
    assert_eq!(heap.source.strays(), 0, "pages of {PAGE}");
}

#[test]
fn memory_goes_back_by_whole_pages() {
    goes_back_by_whole_pages::<4096>();
    goes_back_by_whole_pages::<16_384>();
    goes_back_by_whole_pages::<65_536>();
}

#[test]
fn runs_grow_and_shrink_in_place() {
    let heap = PageHeap::new(Os);
    let run = heap.allocate(2, 1).expect("memory");
    assert!(heap.extend(run.at, 2, 10));
    let next = heap.allocate(1, 1).expect("memory");
    assert_eq!(next.at, run.at + 10 * GRANULE);
    assert!(!heap.extend(run.at, 10, 11), "the next granule is taken");
    heap.truncate(run.at, 10, 4);
    heap.check().expect("intact");
    assert!(heap.extend(run.at, 4, 10));
    heap.check().expect("intact");
}

#[test]
fn runs_grow_across_blocks() {
    let heap = PageHeap::new(Os);
    let run = heap.allocate(128, 1).expect("memory");
    for (old, new) in [(128, 129), (129, 300), (300, 1000), (1000, 2000)] {
        assert!(heap.extend(run.at, old, new), "{old} to {new}");
        heap.check().expect("intact");
    }
    heap.deallocate_zero(run.at, 2000);
    heap.check().expect("intact");
    assert_eq!(heap.dirty_bytes(), 0, "in small pages the rest of the last block costs nothing");
}

#[test]
fn long_runs_span_blocks_and_leave_their_tail() {
    let heap = PageHeap::new(Os);
    let long = heap.allocate(300, 1).expect("memory");
    assert_eq!(long.at % BLOCK, 0);
    heap.check().expect("intact");
    let tail = heap.allocate(50, 1).expect("memory");
    assert_eq!(tail.at, long.at + 300 * GRANULE, "the tail serves others");
    heap.deallocate(long.at, 300);
    heap.check().expect("intact");
    let again = heap.allocate(256, 1).expect("memory");
    assert_eq!(again.at, long.at, "the two whole blocks are empty again");
    heap.check().expect("intact");
}

#[test]
fn any_alignment_can_be_had() {
    let heap = PageHeap::new(Os);
    for shift in 0..12 {
        let align = 1usize << shift;
        let run = heap.allocate_aligned(3, align).expect("memory");
        assert_eq!(run.at % (align * GRANULE), 0);
        heap.check().expect("intact");
    }
    assert_eq!(heap.live_bytes(), 12 * 3 * GRANULE);
    assert_eq!(heap.allocate_aligned(usize::MAX - 5, 256), None);
}

#[test]
fn the_ends_of_an_aligned_run_that_nobody_touched_cost_nothing() {
    let heap = PageHeap::new(Os);
    assert!(heap.allocate_aligned(3, 256).expect("memory").zero);
    assert_eq!((heap.dirty_bytes(), heap.purge.total_bytes()), (0, 0));
    heap.check().expect("intact");
}

#[test]
fn before_memory_is_refused_every_block_is_tried() {
    let heap = PageHeap::new(Failing::new(Os));
    // Blocks with room for 30 and for 17 granules are of one bin, and the newest are tried first.
    let rooms: [(Run, Run); 8] = core::array::from_fn(|_| {
        heap.allocate(81, 1).expect("memory");
        (heap.allocate(30, 1).expect("memory"), heap.allocate(17, 1).expect("memory"))
    });
    while heap.find_anywhere(&heap.state.lock(), 1, 1).is_some() {
        heap.allocate(1, 1).expect("memory");
    }
    heap.source.fail_from(1);
    assert_eq!(heap.allocate(17, 1), None, "all is in use");
    heap.deallocate(rooms[0].0.at, 30);
    rooms[1..].iter().for_each(|(_, small)| heap.deallocate(small.at, 17));
    assert_eq!(heap.allocate(30, 1).map(|run| run.at), Some(rooms[0].0.at));
    heap.check().expect("intact");
}

#[test]
fn a_program_that_goes_on_with_large_blocks_keeps_them_beside_slack() {
    let heap = PageHeap::new(Os);
    // 400 MiB in slabs, of which nothing is claimed.
    heap.slack.note_slab((400 << 20) / GRANULE);
    let round = || {
        let run = heap.allocate(64, 1).expect("memory");
        fill(run, 64);
        heap.deallocate(run.at, 64);
    };
    (0..20).for_each(|_| round());
    let before = heap.purge.total_bytes();
    (0..100).for_each(|_| round());
    assert_eq!(heap.purge.total_bytes(), before, "what it needs again stays");
}

#[test]
fn memory_beyond_the_limit_goes_back_at_once() {
    let heap = PageHeap::new(Os);
    let runs: [Run; 256] = core::array::from_fn(|_| heap.allocate(128, 1).expect("memory"));
    for run in runs {
        fill(run, 128);
        heap.deallocate(run.at, 128);
    }
    heap.check().expect("intact");
    assert!(heap.dirty_bytes() <= 12 << 20, "{} bytes kept", heap.dirty_bytes());
}

#[test]
fn a_refusing_system_leaves_the_heap_intact() {
    for n in 1..12 {
        let heap = PageHeap::new(Failing::new(Os));
        heap.source.fail_nth(n);
        let mut got = 0;
        for _ in 0..40 {
            if let Some(run) = heap.allocate(100, 1) {
                fill(run, 100);
                got += 1;
            }
            heap.check().expect("intact");
        }
        assert!(got >= 38, "one refusal costs at most a request: {got} of 40");
    }
}

#[test]
fn a_strict_kernel_gives_no_memory() {
    let heap = PageHeap::new(Failing::new(Os));
    heap.source.fail_from(1);
    assert_eq!(heap.allocate(1, 1), None);
    heap.check().expect("intact");
    heap.source.fail_nth(0);
    assert!(heap.allocate(1, 1).is_some(), "it recovers");
}

#[test]
fn a_call_gives_back_little_more_than_it_freed_and_the_next_ones_the_rest() {
    let heap = PageHeap::new(Os);
    heap.set_floor(256 << 20);
    let blocks: [Run; 40] = core::array::from_fn(|_| heap.allocate(128, 1).expect("memory"));
    let small: [Run; 100] = core::array::from_fn(|_| heap.allocate(1, 1).expect("memory"));
    blocks.iter().for_each(|run| fill(*run, 128));
    blocks.iter().for_each(|run| heap.deallocate(run.at, 128));
    assert_eq!(heap.dirty_bytes(), 40 * BLOCK, "the floor is above that");
    heap.set_floor(0);
    let mut most = 0;
    for (number, run) in small.iter().enumerate() {
        let before = heap.dirty_bytes();
        fill(*run, 1);
        heap.deallocate(run.at, 1);
        heap.check().expect("intact");
        let given = before + GRANULE - heap.dirty_bytes();
        // Twice what was freed, half a block, and a block that was begun (purge-G5).
        assert!(given <= 2 * GRANULE + BLOCK / 2 + BLOCK, "{given} bytes by call {number}");
        most = most.max(given);
    }
    assert!(most > 0 && heap.dirty_bytes() <= BLOCK, "{} are left", heap.dirty_bytes());
}

#[test]
fn a_mapping_above_the_memory_limit_leaves_the_least_floor() {
    let heap = PageHeap::new(Failing::new(Os));
    heap.source.pretend_memory_limit(1 << 30);
    heap.look_at_memory_limit();
    let kept = |mapped: usize| {
        heap.note_mapped(|| mapped);
        let runs: [Run; 16] = core::array::from_fn(|_| heap.allocate(128, 1).expect("memory"));
        for run in runs {
            fill(run, 128);
            heap.deallocate(run.at, 128);
        }
        heap.check().expect("intact");
        heap.dirty_bytes() >> 20
    };
    let floor = 10..=12;
    assert!(floor.contains(&kept(0)));
    assert!(floor.contains(&kept(2 << 30)), "perhaps next to nothing of it is touched");
}

#[test]
fn all_of_an_empty_block_goes_back() {
    let heap = PageHeap::new(Os);
    let run = heap.allocate(128, 1).expect("memory");
    // As the system does where it makes huge pages unasked: one granule is dirty, and all are resident.
    fill(run, 128);
    heap.deallocate_zero(run.at, 128);
    let one = heap.allocate(1, 1).expect("memory");
    heap.deallocate(one.at, 1);
    assert_eq!(heap.purge_all(), GRANULE);
    let mut pages = [0; BLOCK / 4096];
    let pages = &mut pages[..BLOCK / Os.page_size()];
    if residency(run.at, pages, Os.page_size()) == Residency::Known {
        assert!(pages.iter().all(|page| page & 1 == 0), "nothing is resident");
    }
    heap.check().expect("intact");
}

#[test]
fn a_block_is_as_old_as_it_has_been_empty() {
    let heap = PageHeap::new(Failing::new(Os));
    let used_and_freed = || {
        let run = heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
        fill(run, GRANULES_PER_BLOCK);
        heap.deallocate(run.at, GRANULES_PER_BLOCK);
    };
    used_and_freed();
    // Nobody looks at the clock meanwhile: the next look finds a block that was used a moment ago.
    for _ in 0..20 {
        heap.source.pass_ms(900);
        used_and_freed();
        heap.look();
        assert_eq!(heap.dirty_bytes(), BLOCK);
    }
    heap.source.pass_ms(1300);
    heap.look();
    assert_eq!(heap.dirty_bytes(), 0, "now it has been empty for a second");
    heap.check().expect("intact");
}

#[test]
fn what_goes_back_while_slack_grows_goes_back_by_the_mebibyte() {
    let heap = PageHeap::new(Failing::new(Os));
    let runs: [Run; 640] = core::array::from_fn(|_| heap.allocate(1, 1).expect("memory"));
    runs.iter().for_each(|run| fill(*run, 1));
    // Slabs of which nothing is claimed: nothing else is to be kept.
    heap.slack.note_slab((64 << 20) / GRANULE);
    let mut times = 0;
    for run in runs {
        let before = heap.purge.total_bytes();
        heap.deallocate(run.at, 1);
        times += u32::from(heap.purge.total_bytes() != before);
        assert!(heap.dirty_bytes() <= (1 << 20) + GRANULE, "{} bytes", heap.dirty_bytes());
    }
    assert!((1..=10).contains(&times), "{times} frees of 640 gave memory back");
    heap.set_floor(0);
    let run = heap.allocate(1, 1).expect("memory");
    fill(run, 1);
    heap.deallocate(run.at, 1);
    assert_eq!(heap.dirty_bytes(), 0, "keep=0 keeps nothing");
}

#[test]
fn what_nobody_needed_for_four_seconds_goes_back_wherever_it_lies() {
    let heap = PageHeap::new(Failing::new(Os));
    let runs: [Run; 640] = core::array::from_fn(|_| heap.allocate(1, 1).expect("memory"));
    runs.iter().for_each(|run| fill(*run, 1));
    // Five blocks, each half free, none of them empty: less than is live.
    runs.iter().step_by(2).for_each(|run| heap.deallocate(run.at, 1));
    let half = 320 * GRANULE;
    assert_eq!(heap.dirty_bytes(), half);
    // A third of it is needed now and then.
    for _ in 0..45 {
        heap.source.pass_ms(400);
        let again: [Run; 100] = core::array::from_fn(|_| heap.allocate(1, 1).expect("memory"));
        again.iter().for_each(|run| heap.deallocate(run.at, 1));
        heap.look();
        heap.check().expect("intact");
    }
    let left = heap.dirty_bytes() / GRANULE;
    assert!((100..164).contains(&left), "{left}: what was needed stays, and the rest of its block");
    for _ in 0..2 {
        heap.source.pass_ms(4500);
        heap.look();
    }
    assert_eq!(heap.dirty_bytes(), 0);
    heap.check().expect("intact");
}
