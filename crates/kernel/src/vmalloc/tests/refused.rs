//! A source that refuses: each call in turn, all from one on, and addresses that are lost.
use super::*;

fn failing(frames: usize) -> Vmalloc<Failing<Os>> {
    Vmalloc::new(Failing::new(Os), limits(16 * frames, frames)).unwrap()
}

#[test]
fn each_call_of_making_one() {
    for n in 1..=3 {
        let source = Failing::new(Os);
        source.fail_nth(n);
        let made = Vmalloc::new(source, limits(64, 64));
        let error = if n == 1 { VmallocError::NoAddresses } else { VmallocError::Refused };
        assert_eq!(made.err(), Some(error));
    }
}

/// Everything once. What was made, by its address, its pages and its byte.
fn work(areas: &mut Vmalloc<Failing<Os>>) -> usize {
    let page = areas.page_size();
    let (mut live, mut refused) = (Vec::new(), 0);
    let mut given = [0; 6];
    let frames = areas.alloc_frames(&mut given);
    refused += usize::from(frames.is_err());
    areas.check().unwrap();
    for step in 0..12usize {
        let before = areas.usage();
        match areas.vzalloc((1 + step % 4) * page, ME) {
            Ok(at) => {
                let pages = 1 + step % 4;
                assert!((0..pages * page).step_by(64).all(|offset| byte(at, offset) == 0));
                fill(at, pages, page, base::bits::low8(step + 1));
                live.push((at, pages, base::bits::low8(step + 1)));
            }
            Err(error) => {
                assert!(matches!(error, VmallocError::Refused | VmallocError::NoAddresses));
                assert_eq!(
                    (areas.usage().areas, areas.usage().mapped),
                    (before.areas, before.mapped)
                );
                refused += 1;
            }
        }
        areas.check().unwrap();
        if step % 3 == 1 && !live.is_empty() {
            let (at, pages, value) = live.swap_remove(0);
            assert!((0..pages * page).step_by(64).all(|offset| byte(at, offset) == value));
            give(areas, at);
        }
        if step % 4 == 3 && !live.is_empty() {
            let (at, pages, value) = live.pop().unwrap();
            let to = if step == 7 { 1 } else { 9 };
            let moved = resize(areas, at.as_ptr(), to * page);
            let (at, now) = moved.map_or((at, pages), |new| (new, to));
            refused += usize::from(moved.is_err());
            assert!((0..pages.min(now) * page).step_by(64).all(|offset| byte(at, offset) == value));
            fill(at, now, page, value);
            live.push((at, now, value));
        }
        if step == 5 {
            areas.purge();
            areas.check().unwrap();
        }
    }
    if frames.is_ok() {
        let mapped = areas.vmap(&[given[4], given[0], given[5]], ME);
        areas.check().unwrap();
        refused += usize::from(mapped.is_err());
        if let Ok(at) = mapped {
            // SAFETY: nobody uses it.
            while unsafe { areas.vunmap(at.as_ptr()) } == Err(VmallocError::Refused) {
                refused += 1;
                areas.check().unwrap();
            }
        }
        areas.free_frames(&given).unwrap();
        areas.check().unwrap();
    }
    for (at, pages, value) in live {
        assert!((0..pages * page).step_by(64).all(|offset| byte(at, offset) == value));
        give(areas, at);
    }
    refused
}

#[test]
fn each_call_in_turn() {
    let mut areas = failing(64);
    areas.source().fail_nth(0);
    assert_eq!(work(&mut areas), 0);
    let calls = areas.source().calls();
    assert!(calls > 30);
    for n in 1..=calls {
        let mut areas = failing(64);
        let page = areas.page_size();
        areas.source().fail_nth(n);
        let refused = work(&mut areas);
        assert!(refused <= 1, "call {n}");
        areas.purge();
        areas.purge();
        areas.check().unwrap();
        let usage = areas.usage();
        assert_eq!((usage.free, usage.lazy, usage.mappings), (64 * page, 0, 0), "call {n}");
    }
}

#[test]
fn old_contents_never_come_back_as_zero() {
    let mut areas = failing(4);
    let page = areas.page_size();
    let area = take(&mut areas, 4);
    fill(area, 4, page, 9);
    areas.source().fail_from(1);
    give(&mut areas, area);
    areas.source().fail_nth(0);
    // The same area: the source had refused to punch it.
    let again = areas.vzalloc(4 * page, ME).unwrap();
    assert_eq!(again, area);
    assert!((0..4 * page).all(|at| byte(again, at) == 0));
    fill(again, 4, page, 9);
    areas.source().fail_from(1);
    give(&mut areas, again);
    areas.source().fail_nth(2);
    areas.purge();
    areas.check().unwrap();
    areas.source().fail_nth(0);
    // The frames were never punched, and are behind another area now.
    let other = areas.vzalloc(3 * page, ME).unwrap();
    assert!((0..3 * page).all(|at| byte(other, at) == 0));
    areas.check().unwrap();
}

#[test]
fn lost_addresses_are_never_used_again() {
    let mut areas = failing(16);
    let page = areas.page_size();
    let first = take(&mut areas, 2);
    fill(first, 2, page, 1);
    areas.source().lose_moves(true);
    assert_eq!(areas.vmalloc(3 * page, ME), Err(VmallocError::Refused));
    areas.check().unwrap();
    let moved = resize(&mut areas, first.as_ptr(), 5 * page);
    assert_eq!(moved, Err(VmallocError::Refused));
    areas.check().unwrap();
    assert_eq!(byte(first, 2 * page - 1), 1);
    areas.source().lose_moves(false);
    assert!(info(&areas).lines().filter(|line| line.ends_with(" lost")).count() == 2);
    assert_eq!(areas.usage().free, 14 * page, "no frame is lost");
    let next = take(&mut areas, 14);
    assert_eq!((next.addr().get() - areas.window().0) / page, 3 + 4 + 6);
    // SAFETY: it is refused: the lost area was never anybody's.
    let lost = unsafe { areas.vfree(first.as_ptr().wrapping_add(3 * page)) };
    assert_eq!(lost, Err(VmallocError::Freed));
}
