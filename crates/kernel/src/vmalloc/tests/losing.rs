//! A source that loses the pages of one `unmap_frames`: they are somebody else's from then on, and never touched again.
use std::sync::Mutex;

use source::{Mapped, PageSource};

use super::*;

/// Loses the pages of the next call once `armed`, and counts the calls that touch what it has lost.
#[derive(Debug, Default)]
struct Losing {
    armed: Mutex<bool>,
    lost: Mutex<Vec<(usize, usize)>>,
    touched: Mutex<usize>,
}

impl Losing {
    fn touch(&self, at: usize, len: usize) {
        let lost = self.lost.lock().unwrap();
        let meets = lost.iter().any(|&(from, size)| at < from + size && from < at + len);
        *self.touched.lock().unwrap() += usize::from(meets);
    }
}

// SAFETY: every page changes state only in `Os`, which keeps the contract.
unsafe impl PageSource for &'static Losing {
    source::pass_on! {
        self: Os =>
            page_size reserve reserve_at claim map commit decommit purge purge_each resize renew move_pages
            prefer_huge is_confined address_limit has_addresses physical_memory huge_pages memory_limit
            charges_commit now_ms is_only_thread node
    }
    unsafe fn release(&self, at: usize, len: usize) -> bool {
        self.touch(at, len);
        // SAFETY: the caller's promise.
        unsafe { Os.release(at, len) }
    }
}

// SAFETY: as above; what is lost is given up.
unsafe impl FrameSource for &'static Losing {
    source::pass_on! { self: Os => create_frames is_open close_frames punch_frames most_mappings processors }
    unsafe fn map_frames(&self, file: FrameFile, first: usize, count: usize, at: usize) -> Mapped {
        self.touch(at, count * Os.page_size());
        // SAFETY: the caller's promise.
        unsafe { Os.map_frames(file, first, count, at) }
    }
    unsafe fn unmap_frames(&self, at: usize, len: usize) -> Mapped {
        self.touch(at, len);
        if core::mem::take(&mut *self.armed.lock().unwrap()) {
            self.lost.lock().unwrap().push((at, len));
            return Mapped::Lost;
        }
        // SAFETY: the caller's promise.
        unsafe { Os.unmap_frames(at, len) }
    }
}

type Areas = Vmalloc<&'static Losing>;

fn losing() -> (&'static Losing, Areas) {
    let source: &'static Losing = Box::leak(Box::default());
    (source, Vmalloc::new(source, limits(16 * 16, 16)).unwrap())
}

/// Makes an area smaller; the source loses what is cut off if `lose`.
fn cut(areas: &mut Areas, area: NonNull<u8>, pages: usize, lose: bool) {
    *areas.source().armed.lock().unwrap() = lose;
    let size = pages * areas.page_size();
    let same = resize(areas, area.as_ptr(), size).unwrap();
    assert_eq!(same, area);
    areas.check().unwrap();
}

#[test]
fn a_tail_that_is_lost_is_no_guard() {
    let (source, mut areas) = losing();
    let page = areas.page_size();
    let (area, next) = (take(&mut areas, 5), take(&mut areas, 2));
    fill(area, 5, page, 1);
    fill(next, 2, page, 2);
    cut(&mut areas, area, 2, true);
    assert_eq!(areas.usage().free, 12 * page, "no frame is lost");
    // The area without a guard, and the other one with its own.
    assert_eq!(areas.usage().mappings, 1 + 2);
    assert!((0..2 * page).all(|at| byte(area, at) == 1 && byte(next, at) == 2));
    give(&mut areas, area);
    assert_ne!(take(&mut areas, 2), area, "it has no guard, so it is not used again as it is");
    areas.purge();
    areas.check().unwrap();
    assert!((0..2 * page).all(|at| byte(next, at) == 2));
    drop(areas);
    assert_eq!(*source.touched.lock().unwrap(), 0);
}

#[test]
fn an_area_that_lost_its_guard_has_any_other_size() {
    for lose_again in [false, true] {
        let (source, mut areas) = losing();
        let page = areas.page_size();
        let area = take(&mut areas, 6);
        fill(area, 6, page, 1);
        cut(&mut areas, area, 4, true);
        // By one page, which is all that is cut off.
        cut(&mut areas, area, 3, lose_again);
        cut(&mut areas, area, 1, lose_again);
        assert_eq!(areas.usage().mappings, if lose_again { 1 } else { 2 });
        let grown = resize(&mut areas, area.as_ptr(), 5 * page).unwrap();
        assert_eq!(
            (areas.usage().mappings, byte(grown, page - 1)),
            (frames_and_guard(&areas, grown), 1)
        );
        give(&mut areas, grown);
        areas.purge();
        areas.check().unwrap();
        assert_eq!((areas.usage().free, areas.usage().mappings), (16 * page, 0));
        drop(areas);
        assert_eq!(*source.touched.lock().unwrap(), 0);
    }
}

/// Runs of frames of an area of five pages, and its guard.
fn frames_and_guard(areas: &Areas, area: NonNull<u8>) -> usize {
    let frames = frames(areas, area, 5);
    2 + frames.windows(2).filter(|pair| pair[1] != pair[0] + 1).count()
}
