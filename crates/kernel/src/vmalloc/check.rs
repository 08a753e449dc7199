//! Checking: every page, every area, every frame and every list.
use base::check::ensure;
use base::{Broken, Check};
use source::FrameSource;

use super::Vmalloc;
use super::addresses::{Kind, LISTED};
use super::frames::{DIRTY, FREE, GIVEN, HELD, INHERITED, RETIRED};

const A1: &str =
    "vmalloc-addresses-A1: a page is taken exactly if its entry names an area, which it lies in";
const A2: &str =
    "vmalloc-addresses-A2: of an area with frames each page has one, but for the guard";
const A3: &str =
    "vmalloc-addresses-A3: list n holds exactly the lazy areas of n pages that are listed";
const A4: &str = "vmalloc-addresses-A4: lazy counts the pages of lazy areas, guards included";
const F1: &str = "vmalloc-frames-F1: a frame is free exactly if its state says so";
const F2: &str = "vmalloc-frames-F2: held, given and retired count the frames of these states";
const W1: &str = "vmalloc-W1: a frame that is held is behind exactly one page";
const W2: &str = "vmalloc-W2: a frame that was handed out is mapped as often as its state says";
const W3: &str = "vmalloc-W3: mappings counts the runs of frames and the guards of areas";
const W4: &str = "vmalloc-W4: areas, live and requested count live areas, their pages and bytes";

#[derive(Default)]
struct Found {
    held: usize,
    pins: usize,
    mappings: usize,
    areas: usize,
    live: usize,
    requested: usize,
    lazy: usize,
    listed: usize,
}

impl<S: FrameSource> Vmalloc<S> {
    fn check_area(&self, first: usize, found: &mut Found) -> Result<(), Broken> {
        let area = self.addresses.areas.get(first);
        let (guard, end) = (first + area.pages as usize, first + area.whole());
        ensure(area.kind != Kind::None && end <= self.addresses.row.mark(), A1, first)?;
        ensure(self.addresses.row.is_taken(first, area.whole()), A1, first)?;
        let (mut page, mut runs) = (first, 0);
        while page < guard {
            let (frame, len) = self.addresses.run(page, guard);
            let frames = area.kind != Kind::Lost && (area.kind != Kind::Lazy || area.runs > 0);
            ensure(frame.is_some() == frames, A2, page)?;
            runs += u32::from(frame.is_some());
            for frame in frame.into_iter().flat_map(|frame| frame..frame + len) {
                let state = self.frames.state(frame).unwrap_or(FREE);
                let held = area.kind != Kind::Vmap;
                ensure(if held { state == HELD } else { state > GIVEN }, W1, frame)?;
                *if held { &mut found.held } else { &mut found.pins } += 1;
            }
            page += len;
        }
        for page in first..end {
            ensure(self.addresses.entries.get(page).area() == Some(first), A1, page)?;
        }
        ensure(self.addresses.entries.get(guard).frame().is_none(), A2, guard)?;
        ensure(area.runs == runs, W3, first)?;
        found.mappings += area.mappings();
        match area.kind {
            Kind::Vmalloc | Kind::Vmap => {
                found.areas += 1;
                found.live += area.pages as usize;
                found.requested += area.size;
            }
            Kind::Lazy => {
                found.lazy += area.whole();
                found.listed += usize::from(area.listed);
            }
            Kind::None | Kind::Lost => {}
        }
        Ok(())
    }

    /// vmalloc-addresses-A3: that each listed area is in its list.
    fn check_lists(&self, mut listed: usize) -> Result<(), Broken> {
        for pages in 1..=LISTED {
            for first in self.addresses.listed(pages) {
                let area = self.addresses.areas.get(first);
                let right = area.kind == Kind::Lazy && area.listed && area.pages as usize == pages;
                ensure(right && listed > 0, A3, first)?;
                listed -= 1;
            }
        }
        ensure(listed == 0, A3, listed)
    }

    /// vmalloc-frames-F1, vmalloc-frames-F2 and the sum of vmalloc-W2.
    fn check_frames(&self, pins: usize) -> Result<(), Broken> {
        let (mut held, mut given, mut pinned, mut retired) = (0, 0, 0, 0);
        let (mut frame, mark) = (0, self.frames.row.mark());
        while frame < mark {
            let (end, free) = self.frames.row.stretch(frame);
            for frame in frame..end {
                let state = self.frames.states.get(frame);
                ensure(free == (state == FREE || state == DIRTY), F1, frame)?;
                retired += usize::from(state == RETIRED);
                let state = state & !INHERITED;
                held += usize::from(state == HELD);
                given += usize::from(state >= GIVEN);
                pinned += usize::from(state.saturating_sub(GIVEN));
            }
            frame = end;
        }
        ensure(held == self.frames.held, F2, held)?;
        ensure(given == self.frames.given, F2, given)?;
        ensure(retired == self.frames.retired, F2, retired)?;
        ensure(pinned == pins, W2, pinned)
    }
}

impl<S: FrameSource> Check for Vmalloc<S> {
    /// O(addresses and frames that were ever used).
    fn check(&self) -> Result<(), Broken> {
        self.addresses.row.check()?;
        self.frames.row.check()?;
        let (mut page, mut found) = (0, Found::default());
        while let Some(first) = self.addresses.next(page) {
            for free in page..first {
                ensure(self.addresses.entries.get(free).area().is_none(), A1, free)?;
            }
            let taken = first - page;
            ensure(taken == 0 || self.addresses.row.stretch(page) == (first, true), A1, page)?;
            self.check_area(first, &mut found)?;
            page = first + self.addresses.areas.get(first).whole();
        }
        self.check_lists(found.listed)?;
        ensure(found.lazy == self.addresses.lazy, A4, found.lazy)?;
        self.check_frames(found.pins)?;
        ensure(found.held == self.frames.held, W1, found.held)?;
        ensure(found.mappings == self.mappings, W3, found.mappings)?;
        ensure(found.areas == self.areas && found.live == self.live, W4, found.areas)?;
        ensure(found.requested == self.requested, W4, found.requested)
    }
}
