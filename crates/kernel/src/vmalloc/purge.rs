//! Purging: lazy areas give up their addresses and the numbers of their frames, all in one pass.
//!
//! ```text
//!   live │ lazy │ lazy │ live │ lazy │ free        lazy neighbours: one system call, guards included
//!        └── unmap ────┘      └ unmap ┘
//! ```
use source::{FrameSource, Mapped};

use super::Vmalloc;
use super::addresses::Kind;
use super::frames::{GIVEN, HELD, INHERITED, Run};

impl<S: FrameSource> Vmalloc<S> {
    /// Unmaps all areas that were freed: how many bytes of addresses can be used anew. What the source refuses stays lazy.
    /// O(areas + lazy pages), and a system call or two for each stretch of lazy areas.
    pub fn purge(&mut self) -> usize {
        if self.addresses.lazy == 0 {
            return 0;
        }
        let (mut page, mut pages) = (0, 0);
        self.purges += 1;
        self.addresses.forget_lists();
        while let Some(first) = self.addresses.next(page) {
            page = self.end_of_lazy(first);
            if page > first {
                pages += self.purge_stretch(first, page);
            } else {
                page = first + self.addresses.areas.get(first).whole();
            }
        }
        pages * self.addresses.page
    }

    /// Where the lazy areas end that begin at `first`, which is itself if there is none.
    fn end_of_lazy(&self, first: usize) -> usize {
        let mut end = first;
        while end < self.addresses.row.mark() && self.addresses.entries.get(end).area() == Some(end)
        {
            let area = self.addresses.areas.get(end);
            if area.kind != Kind::Lazy {
                break;
            }
            end += area.whole();
        }
        end
    }

    /// Unmaps lazy areas that are neighbours: how many pages.
    fn purge_stretch(&mut self, first: usize, end: usize) -> usize {
        let (at, len) = (self.addresses.address(first), (end - first) * self.addresses.page);
        // SAFETY: lazy areas, which nobody uses.
        let unmapped = unsafe { self.source.unmap_frames(at, len) };
        let mut area = first;
        while area < end {
            let record = self.addresses.areas.get(area);
            if matches!(unmapped, Mapped::Refused | Mapped::Closed) {
                if record.listed {
                    self.addresses.list(area);
                }
            } else {
                self.mappings -= record.mappings();
                self.addresses.lazy -= record.whole();
                self.release_frames(area);
                if unmapped == Mapped::Done {
                    self.addresses.forget(area);
                } else {
                    self.addresses.lose(area);
                }
            }
            area += record.whole();
        }
        if unmapped == Mapped::Done { end - first } else { 0 }
    }

    /// Punches the frames behind pages. Whether the source did all.
    pub(super) fn punch(&self, from: usize, end: usize) -> bool {
        let (mut page, mut all) = (from, true);
        while page < end {
            let (frame, len) = self.addresses.run(page, end);
            if let Some(frame) = frame {
                // SAFETY: frames of an area that nobody uses (vmalloc-W1).
                all &= unsafe { self.punch_own(frame, len) };
            }
            page += len;
        }
        all
    }

    /// Punches frames in a row, but for those that another process has too (vmalloc-frames-F3). Whether the source did all.
    /// The caller promises: nobody in this process needs their contents.
    pub(super) unsafe fn punch_own(&self, first: usize, len: usize) -> bool {
        self.frames.own_runs(first, len).fold(true, |all, (first, len)| {
            // SAFETY: the caller's promise, and no other process has them.
            all & unsafe { self.source.punch_frames(self.file, first, len) }
        })
    }

    /// Takes the frames of an area back; its pages have none then.
    pub(super) fn release_frames(&mut self, first: usize) {
        let pages = self.addresses.areas.get(first).pages as usize;
        self.release_frames_of(first, first, first + pages);
    }

    /// As [`release_frames`](Self::release_frames), of some pages. Old contents are punched away, as far as the source does it.
    pub(super) fn release_frames_of(&mut self, area: usize, from: usize, end: usize) {
        let dirty = self.addresses.areas.get(area).dirty;
        let mut page = from;
        while page < end {
            let (frame, len) = self.addresses.run(page, end);
            for at in page..page + len {
                self.addresses.set_frame(at, None);
            }
            if let Some(first) = frame {
                if self.frames.state(first) == Some(HELD) {
                    // SAFETY: frames of an area that nobody uses (vmalloc-W1).
                    let clean = !dirty || unsafe { self.punch_own(first, len) };
                    self.frames.give(Run { first, len, dirty: !clean });
                } else {
                    for frame in first..first + len {
                        let state = self.frames.states.entry_mut(frame);
                        debug_assert!(*state & !INHERITED > GIVEN, "vmalloc-W2");
                        *state -= 1;
                    }
                }
            }
            page += len;
        }
    }
}
