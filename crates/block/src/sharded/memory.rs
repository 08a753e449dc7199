//! Taking memory, giving it up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::page::State;
use super::queue::Queue;
use super::segment::SegmentRef;
use super::spans::Spans;
use super::{CLASSES, DIRECT, Sharded};

impl Sharded {
    /// The newest memory first.
    pub(super) fn segments(&self) -> impl Iterator<Item = SegmentRef> + use<> {
        core::iter::successors(self.segments, |segment| segment.next())
    }
}

impl AddMemory for Sharded {
    /// O(memories). A descriptor for each slice and a record hold no blocks.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let segment = unsafe { SegmentRef::create(start, len, self.segments) }?;
        self.segments = Some(segment);
        self.total += segment.len();
        self.spans.put(segment.clear());
        Ok(())
    }
}

impl RemoveMemory for Sharded {
    /// O(memories + classes); the empty pages that are kept do not hold it up.
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let wanted = |segment: &SegmentRef| segment.added().0.as_ptr() == start;
        let segment = self.segments().find(wanted).ok_or(RemoveError::Unknown)?;
        self.reclaim();
        let whole = segment.pages().next().filter(|span| span.state() == State::Free);
        let span = whole.filter(|span| span.len() == segment.len()).ok_or(RemoveError::InUse)?;
        self.spans.remove(span);
        match self.segments().take_while(|other| *other != segment).last() {
            None => self.segments = segment.next(),
            Some(before) => before.set_next(segment.next()),
        }
        self.total -= segment.len();
        let (start, len) = segment.added();
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl Owns for Sharded {
    /// O(memories).
    fn owns(&self, address: *const u8) -> bool {
        self.segments()
            .map(SegmentRef::added)
            .any(|(start, len)| address.addr().wrapping_sub(start.addr().get()) < len)
    }
}

impl Reset for Sharded {
    /// O(memories). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        self.direct = [None; DIRECT];
        self.queues = [Queue::EMPTY; CLASSES];
        self.spans = Spans::new();
        self.used = 0;
        for segment in self.segments() {
            self.spans.put(segment.clear());
        }
    }
}
