use base::bits::low32;
use base::{Check as _, Stats as _};
use source::Failing;
use source::os::Os;
use source::os::linux::residency::{Residency, residency};

use super::kept::{MOST, RUNS};
use super::*;

const RANGE: usize = 64 << 20;

fn pages() -> SourcePages<Os> {
    SourcePages::new(Os, RANGE)
}

/// How many pages of a stretch cost memory.
fn resident(at: usize, pages: usize, page: usize) -> usize {
    let mut each = vec![0; pages];
    assert_eq!(residency(at, &mut each, page), Residency::Known);
    each.iter().filter(|byte| **byte & 1 == 1).count()
}

fn take(pages: &mut SourcePages<impl PageSource>, count: usize, align: usize) -> NonNull<u8> {
    let run = pages.allocate_pages(count, align).expect("pages");
    assert!(run.addr().get().is_multiple_of(align));
    // SAFETY: the run that was just handed out.
    unsafe { run.write_bytes(0xa5, count * pages.page_size()) };
    pages.check().unwrap();
    run
}

fn give(pages: &mut SourcePages<impl PageSource>, run: NonNull<u8>, count: usize) {
    // SAFETY: the tests give live pages back.
    unsafe { pages.deallocate_pages(run, count) };
    pages.check().unwrap();
}

#[test]
fn nothing_is_reserved_before_the_first_request() {
    let mut pages = pages();
    pages.check().unwrap();
    assert_eq!((pages.usage().reserved, pages.usage().committed), (RANGE, 0));
    assert!(!pages.owns(ptr::null()));
    assert!(pages.allocate_pages(0, 1).is_none());
    assert!(pages.purge_all());
    let run = take(&mut pages, 1, 1);
    assert!(pages.owns(run.as_ptr()));
    assert_eq!(pages.usage().committed, STEP);
}

#[test]
fn a_large_range_costs_little_at_first() {
    let mut pages = SourcePages::new(Os, 64 << 30);
    let run = pages.allocate_pages(1, 1).unwrap();
    let page = pages.page();
    let state = resident(pages.start, pages.state / page, page);
    assert!(state * page <= 64 << 10, "{state} pages of state");
    give_unchecked(&mut pages, run, 1);
}

/// Without `check`, which touches all of the state.
fn give_unchecked(pages: &mut SourcePages<Os>, run: NonNull<u8>, count: usize) {
    // SAFETY: the tests give live pages back.
    unsafe { pages.deallocate_pages(run, count) };
}

#[test]
fn a_long_run_costs_nothing_once_it_is_freed() {
    let mut pages = pages();
    let page = pages.page_size();
    let run = take(&mut pages, 1000, 1);
    assert_eq!(resident(run.addr().get(), 1000, page), 1000);
    give(&mut pages, run, 1000);
    assert_eq!(resident(run.addr().get(), 1000, page), 0);
    assert_eq!(pages.usage().resident(), 0);
}

#[test]
fn a_few_short_runs_are_kept_and_come_back() {
    let mut pages = pages();
    let page = pages.page_size();
    let runs: Vec<_> = (0..RUNS + 2).map(|_| take(&mut pages, 2, 1)).collect();
    for &run in &runs {
        give(&mut pages, run, 2);
    }
    assert_eq!(pages.usage().kept, RUNS * 2 * page);
    let cost = |run: &NonNull<u8>| resident(run.addr().get(), 2, page);
    assert_eq!(runs[..2].iter().map(cost).sum::<usize>(), 0, "the oldest were purged");
    assert_eq!(runs[2..].iter().map(cost).sum::<usize>(), 2 * RUNS);
    assert_eq!(pages.allocate_pages(2, 1), runs.last().copied(), "the last first");
    assert!(pages.allocate_pages(3, 1).is_some_and(|run| !runs[2..].contains(&run)));
    assert!(pages.purge_all());
    pages.check().unwrap();
    assert_eq!(pages.usage().kept, 0);
    assert_eq!(runs[2..RUNS + 1].iter().map(cost).sum::<usize>(), 0);
}

#[test]
fn kept_runs_make_room_when_the_range_is_full() {
    let mut pages = SourcePages::new(Os, 4 * MOST * Os.page_size());
    let runs: Vec<_> = (0..4).map(|_| take(&mut pages, MOST, 1)).collect();
    assert!(pages.allocate_pages(1, 1).is_none());
    for run in runs {
        give(&mut pages, run, MOST);
    }
    let whole = take(&mut pages, 4 * MOST, 1);
    assert_eq!(pages.stats().failures, 1);
    give(&mut pages, whole, 4 * MOST);
}

#[test]
fn a_run_may_be_given_back_in_parts_and_merges_again() {
    let mut pages = pages();
    let run = take(&mut pages, 100, 1);
    let page = pages.page_size();
    for part in [20, 60, 0, 80, 40] {
        // SAFETY: inside the run.
        give(&mut pages, unsafe { run.byte_add(part * page) }, 20);
    }
    assert_eq!(take(&mut pages, 100, 1), run);
}

#[test]
fn alignments_far_above_a_page() {
    let mut pages = pages();
    let mut runs = vec![];
    for shift in 12..23 {
        runs.push((take(&mut pages, 3, 1 << shift), 3));
        runs.push((take(&mut pages, 1, 1), 1));
    }
    for (run, count) in runs {
        give(&mut pages, run, count);
    }
    assert_eq!(pages.usage().used, 0);
}

/// A run, how many pages it has, and what was written there.
type Live = (NonNull<u8>, usize, u8);

fn verify((run, count, byte): Live, page: usize) {
    for at in [0, count * page / 2, count * page - 1] {
        // SAFETY: inside a live run.
        let at = unsafe { run.byte_add(at) };
        // SAFETY: a byte of it.
        assert_eq!(unsafe { at.read() }, byte);
    }
}

#[test]
fn random_requests_keep_what_is_written() {
    let mut pages = pages();
    let page = pages.page_size();
    let (mut live, mut seed): (Vec<Live>, u32) = (Vec::new(), 12345);
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % below
    };
    for step in 0..4000u32 {
        if live.len() < 100 && random(5) < 3 {
            let most = if random(8) == 0 { 600 } else { 20 };
            let count = 1 + random(most) as usize;
            let align = page << random(6);
            let Some(run) = pages.allocate_pages(count, align) else { continue };
            assert!(run.addr().get().is_multiple_of(align));
            let byte = (step % 251) as u8;
            // SAFETY: the run that was just handed out.
            unsafe { run.write_bytes(byte, count * page) };
            live.push((run, count, byte));
        } else if let Some(last) = live.len().checked_sub(1) {
            let entry = live.swap_remove(random(low32(last) + 1) as usize);
            verify(entry, page);
            // SAFETY: live until now.
            unsafe { pages.deallocate_pages(entry.0, entry.1) };
        }
        if step % 64 == 0 {
            pages.check().unwrap();
            let sum: usize = live.iter().map(|entry| entry.1 * page).sum();
            assert_eq!(pages.usage().used, sum);
        }
    }
    for entry in live {
        verify(entry, page);
        give(&mut pages, entry.0, entry.1);
    }
    pages.purge_all();
    assert_eq!(resident(pages.address(0), pages.row.mark(), page), 0);
    assert_eq!(pages.row.longest(), pages.row.mark(), "all of it is one run again");
}

/// Requests and frees while the `n`-th call is refused. How many calls there were.
fn with_a_refusal(n: u64) -> u64 {
    let mut pages = SourcePages::new(Failing::new(Os), RANGE);
    pages.source().fail_nth(n);
    let (mut live, mut refused) = (Vec::new(), 0);
    for step in 0..40 {
        let count = 1 + step * 37 % 200;
        let before = pages.usage();
        match pages.allocate_pages(count, 1) {
            Some(run) => live.push((run, count)),
            None => {
                refused += 1;
                assert_eq!(pages.usage(), before, "refusal {n}");
            }
        }
        pages.check().unwrap();
        if step % 3 == 2 {
            let (run, count) = live.swap_remove(step % live.len());
            give(&mut pages, run, count);
        }
    }
    assert!(refused <= 1);
    for (run, count) in live {
        give(&mut pages, run, count);
    }
    let calls = pages.source().calls();
    assert!(pages.purge_all() || pages.purge_all(), "what was refused once is done later");
    pages.check().unwrap();
    let page = pages.page_size();
    assert_eq!(resident(pages.address(0), pages.row.mark(), page), 0);
    calls
}

#[test]
fn a_source_that_refuses_the_nth_call_loses_nothing() {
    let calls = with_a_refusal(0);
    assert!(calls > 30);
    for n in 1..=calls {
        with_a_refusal(n);
    }
}

#[test]
fn a_strict_source_gives_nothing_and_takes_everything_later() {
    let mut pages = SourcePages::new(Failing::new(Os), RANGE);
    let run = take(&mut pages, 50, 1);
    pages.source().fail_from(1);
    assert!(pages.allocate_pages(RANGE / 2 / Os.page_size(), 1).is_none());
    give(&mut pages, run, 50);
    assert!(pages.usage().unpurged);
    assert!(!pages.purge_all());
    pages.source().fail_nth(0);
    assert!(pages.purge_all());
    assert_eq!(resident(run.addr().get(), 50, Os.page_size()), 0);
}
