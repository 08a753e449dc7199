//! After a `fork`: the frames are two processes' memory, and neither knows when the other has done with them.
//!
//! ```text
//! parent    live at the fork ─ vfree ─► unmapped, and the frames retired       new ones: taken as ever
//! child     the same                                                          new ones: none, they are the parent's
//! ```
//!
//! What was live at a fork is never punched nor used again, by neither (vmalloc-frames-F3 of the frames), so each of them may free it when it
//! likes. The price: its memory stays in the file after its `vfree`, until both processes have ended or dropped the
//! allocator, and counts against the limit of memory.
use source::FrameSource;

use super::Vmalloc;
use super::addresses::Kind;
use super::frames::{FREE, GIVEN};

impl<S: FrameSource> Vmalloc<S> {
    /// Notes that the process was copied by `fork`: to be called in the parent and in the child, before either uses the
    /// allocator again or one frees or writes what the other expects. In the child no frame is free any more, so it makes
    /// areas by an allocator of its own; what it has from its parent it may use and free here. What was live is shared
    /// memory of the two, and when it is freed its frames are retired: they cost memory until both processes have ended.
    /// A `fork` followed by `exec` costs as much in the parent; `posix_spawn` and `vfork` need no note.
    /// O(areas + live pages + frames that are handed out); in the child O(areas + frames that were ever used).
    ///
    /// ```
    /// use heapwright_kernel_allocators::vmalloc::{Caller, Vmalloc, VmallocLimits};
    /// use source::os::Os;
    ///
    /// let mut areas = Vmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
    /// let area = areas.vmalloc(1, Caller::Name("shared")).unwrap();
    /// areas.note_fork(false);
    /// // SAFETY: this process does not use it any more; a child keeps it.
    /// unsafe { areas.vfree(area.as_ptr()) }.unwrap();
    /// areas.purge();
    /// assert_eq!(areas.usage().retired, areas.page_size());
    /// ```
    pub fn note_fork(&mut self, in_child: bool) {
        if in_child {
            self.frames.copied = true;
            self.addresses.unlist();
        }
        let mut page = 0;
        while let Some(first) = self.addresses.next(page) {
            let area = self.addresses.areas.get(first);
            page = first + area.whole();
            // An area that is lazy nobody uses, and the parent alone takes it again.
            if area.kind == Kind::Vmalloc || (in_child && area.kind == Kind::Lazy) {
                for at in first..first + area.pages as usize {
                    if let Some(frame) = self.addresses.entries.get(at).frame() {
                        self.frames.inherit(frame);
                    }
                }
            }
        }
        if self.frames.given > 0 {
            for frame in 0..self.frames.row.mark() {
                if self.frames.state(frame).unwrap_or(FREE) >= GIVEN {
                    self.frames.inherit(frame);
                }
            }
        }
    }

    /// Whether another process has a frame of an area too.
    pub(super) fn has_inherited(&self, first: usize) -> bool {
        let pages = self.addresses.areas.get(first).pages as usize;
        let mut frames =
            (first..first + pages).filter_map(|at| self.addresses.entries.get(at).frame());
        frames.any(|frame| self.frames.alike(frame, frame + 1).1)
    }
}
