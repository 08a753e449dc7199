//! Making an area that has no mapping yet, and taking one apart again that could not be made.
//!
//! ```text
//! addresses ─► frames for each page ─► a mapping for each run ─► live
//!     ▲              ▲                        │ refused: purge, and once more
//!     └── forget ────┴──────── undo ──────────┘ refused again
//! ```
use source::{FrameSource, Mapped};

use super::addresses::Area;
use super::frames::HELD;
use super::{Vmalloc, VmallocError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// No page was mapped.
    Unmapped,
    /// Some pages are.
    Mapped,
    /// The system lost some pages.
    Lost,
}

/// Why an area was not mapped, and what is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unmade {
    pub(super) left: Left,
    pub(super) why: VmallocError,
}

impl<S: FrameSource> Vmalloc<S> {
    #[cold]
    pub(super) fn make(&mut self, area: Area, align: usize) -> Result<usize, VmallocError> {
        let pages = area.pages as usize;
        self.need_frames(pages)?;
        let first = self.take_addresses(area, align)?;
        if let Err(error) = self.fill(first, first + pages) {
            self.undo(first, Left::Unmapped);
            return Err(error);
        }
        self.map_or_undo(first)
    }

    /// Makes sure that so many frames are free.
    pub(super) fn need_frames(&mut self, pages: usize) -> Result<(), VmallocError> {
        if self.frames.free() < pages {
            self.purge();
        }
        match self.frames.free() {
            free if free < pages => Err(VmallocError::NoFrames { free }),
            _ => Ok(()),
        }
    }

    pub(super) fn take_addresses(
        &mut self,
        area: Area,
        align: usize,
    ) -> Result<usize, VmallocError> {
        let align = align.max(self.addresses.page);
        let mut first = self.addresses.take(&self.source, area, align);
        if first.is_none() && self.purge() > 0 {
            first = self.addresses.take(&self.source, area, align);
        }
        first.ok_or(VmallocError::NoAddresses)
    }

    pub(super) fn fill(&mut self, from: usize, end: usize) -> Result<(), VmallocError> {
        let mut page = from;
        while page < end {
            let run =
                self.frames.take(&self.source, end - page, HELD).ok_or(VmallocError::Refused)?;
            for at in 0..run.len {
                self.addresses.set_frame(page + at, Some(run.first + at));
            }
            let first = self.addresses.entries.get(page).area().unwrap_or(page);
            self.addresses.areas.entry_mut(first).dirty |= run.dirty;
            page += run.len;
        }
        Ok(())
    }

    /// Maps an area whose pages have frames, or undoes it.
    pub(super) fn map_or_undo(&mut self, first: usize) -> Result<usize, VmallocError> {
        self.addresses.count_runs(first);
        if let Err(Unmade { left, why }) = self.map(first) {
            self.undo(first, left);
            return Err(why);
        }
        Ok(first)
    }

    /// Maps all pages of an area, whose pieces are counted. What the source refuses is tried once more after a purge.
    pub(super) fn map(&mut self, first: usize) -> Result<(), Unmade> {
        let more = self.addresses.areas.get(first).mappings();
        let most = self.limits.mappings;
        if self.mappings.saturating_add(more) > most {
            self.purge();
        }
        if self.mappings.saturating_add(more) > most {
            let why = VmallocError::TooManyMappings { most };
            return Err(Unmade { left: Left::Unmapped, why });
        }
        let end = first + self.addresses.areas.get(first).pages as usize;
        let (mut page, mut purged) = (first, false);
        while page < end {
            let (frame, len) = self.addresses.run(page, end);
            let Some(frame) = frame else {
                unreachable!("vmalloc-addresses-A2: each page but the guard has a frame")
            };
            let at = self.addresses.address(page);
            let left = if page == first { Left::Unmapped } else { Left::Mapped };
            // SAFETY: pages of an area that nobody has seen, and frames that are its own (vmalloc-W1) or the caller's (vmalloc-W2).
            match unsafe { self.source.map_frames(self.file, frame, len, at) } {
                Mapped::Done => page += len,
                Mapped::Refused if !purged && self.purge() > 0 => purged = true,
                Mapped::Refused => return Err(Unmade { left, why: VmallocError::Refused }),
                Mapped::Closed => return Err(Unmade { left, why: VmallocError::Closed }),
                Mapped::Lost => {
                    return Err(Unmade { left: Left::Lost, why: VmallocError::Refused });
                }
            }
        }
        self.mappings += more;
        Ok(())
    }

    /// Takes an area apart that could not be made, or that `vunmap` has unmapped: its frames go back, and its addresses, once
    /// they are unmapped.
    #[cold]
    pub(super) fn undo(&mut self, first: usize, left: Left) {
        self.release_frames(first);
        self.addresses.areas.entry_mut(first).runs = 0;
        let area = self.addresses.areas.get(first);
        let (at, len) = (self.addresses.address(first), area.whole() * self.addresses.page);
        let unmapped = match left {
            Left::Unmapped => Mapped::Done,
            Left::Lost => Mapped::Lost,
            // SAFETY: pages of an area that nobody has seen.
            Left::Mapped => unsafe { self.source.unmap_frames(at, len) },
        };
        match unmapped {
            Mapped::Done => self.addresses.forget(first),
            // The next purge tries again; the area has no frames, and is not listed.
            Mapped::Refused | Mapped::Closed => self.addresses.make_lazy(first, false),
            Mapped::Lost => self.addresses.lose(first),
        }
    }
}
