//! A segment: a memory with its record, a table of descriptors, and slices.
//!
//! ```text
//! start                                                                                    start + len
//!   ├ ╌ ┬────────┬──────┬─────┬─────┬─ … ─┬─────┬──────┬ ╌ ┬───────┬───────┬─ … ─┬───────┬ ╌ ┤
//!       │ record │ edge │  0  │  1  │     │  n  │ edge │   │slice 0│slice 1│     │slice n│
//!   ├ ╌ ┴────────┴──────┴─────┴─────┴─ … ─┴─────┴──────┴ ╌ ┴───────┴───────┴─ … ─┴───────┴ ╌ ┤
//! ```
//!
//! The edges stand for what is no slice and never free. Slices are at multiples of their length, a 64th of the memory's,
//! from 4 to 64 KiB. A descriptor is written when its slice becomes the first or last of something, so a table costs no
//! time.
use core::ptr::NonNull;

use base::AddError;
use base::bits::{align_down, align_up, low8};

use super::page::{Page, PageRef, State};

/// Bytes of the shortest slice: blocks may be aligned to as much.
pub(super) const LEAST_SLICE: usize = 4 << 10;
/// Bytes of the longest.
const MOST_SLICE: usize = 64 << 10;
/// Slices that a memory of middle length has.
const SLICES: usize = 64;

#[derive(Debug)]
struct Segment {
    next: Option<SegmentRef>,
    base: NonNull<u8>,
    slices: usize,
    shift: u8,
    table: NonNull<Page>,
    added: (NonNull<u8>, usize),
}

/// A segment's record; it lasts until its memory is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentRef(NonNull<Segment>);

impl SegmentRef {
    /// Makes a memory a segment, without its slices yet.
    /// The caller promises: as [`AddMemory::add_memory`](base::AddMemory::add_memory).
    pub(super) unsafe fn create(
        start: *mut u8,
        len: usize,
        next: Option<Self>,
    ) -> Result<Self, AddError> {
        let memory = NonNull::new(start).ok_or(AddError::Null)?;
        let from = memory.addr().get();
        let end = from.checked_add(len).ok_or(AddError::Wraps)?;
        if len > isize::MAX as usize {
            return Err(AddError::TooLarge);
        }
        let slice = slice_for(len);
        let record = align_up(from, align_of::<Segment>()).wrapping_sub(from);
        let table = align_up(record + size_of::<Segment>(), align_of::<Page>());
        let (base, slices) = room(from, table, end, slice).ok_or(AddError::TooSmall)?;
        let others = core::iter::successors(next, |other| other.next());
        for (other, other_len) in others.map(Self::added) {
            let other = other.addr().get();
            if from < other + other_len && other < end {
                return Err(AddError::Overlaps);
            }
        }
        // SAFETY: `room` has seen that all of it lies in the memory.
        let base = unsafe { memory.byte_add(base) };
        // SAFETY: as above.
        let table = unsafe { memory.byte_add(table) }.cast::<Page>();
        // SAFETY: as above.
        let record = unsafe { memory.byte_add(record) }.cast::<Segment>();
        let shift = low8(slice.ilog2() as usize);
        let segment = Segment { next, base, slices, shift, table, added: (memory, len) };
        // SAFETY: aligned, and the caller's memory.
        unsafe { record.write(segment) };
        Ok(Self(record))
    }

    fn get(&self) -> &Segment {
        // SAFETY: `create` wrote it, and it is the heap's.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    pub(super) fn next(self) -> Option<Self> {
        self.get().next
    }

    pub(super) fn set_next(mut self, next: Option<Self>) {
        // SAFETY: as in `get`; no reference lives longer than a call.
        unsafe { self.0.as_mut() }.next = next;
    }

    /// The memory as it was added.
    pub(super) fn added(self) -> (NonNull<u8>, usize) {
        self.get().added
    }

    /// Bytes of its slices.
    pub(super) fn len(self) -> usize {
        self.get().slices << self.get().shift
    }

    /// Makes its slices one free span.
    pub(super) fn clear(self) -> PageRef {
        let Segment { base, slices, shift, table, .. } = *self.get();
        let edge = |at: usize| {
            // SAFETY: the table has two places more than slices.
            let place = unsafe { table.add(at) };
            // SAFETY: a place of the table; an edge's start is never asked for.
            unsafe { PageRef::write(place, base, shift, (1, 0), State::Inside) };
        };
        edge(0);
        edge(slices + 1);
        // SAFETY: there is at least one slice.
        let place = unsafe { table.add(1) };
        // SAFETY: the place of the first slice.
        let first = unsafe { PageRef::write(place, base, shift, (slices, 0), State::Inside) };
        first.part(0, slices, State::Free)
    }

    /// The page that a block at this address is of.
    #[inline]
    pub(super) fn page_of(self, address: usize) -> Option<PageRef> {
        let segment = self.get();
        let slice = address.wrapping_sub(segment.base.addr().get()) >> segment.shift;
        // SAFETY: the table has a place for each slice.
        let place = (slice < segment.slices).then(|| unsafe { segment.table.add(1 + slice) })?;
        // SAFETY: a slice in which a block begins has a descriptor.
        Some(unsafe { PageRef::at(place) }.first())
    }

    /// Its pages and free spans in address order.
    pub(super) fn pages(self) -> impl Iterator<Item = PageRef> {
        let Segment { slices, table, .. } = *self.get();
        let mut at = 0;
        core::iter::from_fn(move || {
            if at >= slices {
                return None;
            }
            // SAFETY: the table has a place for each slice.
            let place = unsafe { table.add(1 + at) };
            // SAFETY: what begins where the last one ended has a descriptor.
            let page = unsafe { PageRef::at(place) };
            at += page.slices();
            Some(page)
        })
    }
}

/// A 64th of a memory, as a power of two within bounds.
fn slice_for(len: usize) -> usize {
    let part = (len / SLICES).max(1);
    (1 << part.ilog2()).clamp(LEAST_SLICE, MOST_SLICE)
}

/// Where the slices begin and how many there are, behind a table of as many places and two; `table` and what is returned
/// are offsets from `from`.
fn room(from: usize, table: usize, end: usize, slice: usize) -> Option<(usize, usize)> {
    let len = end - from;
    let place = size_of::<Page>();
    // No more than if the table were all there is beside them; the alignment may cost one.
    let most = len.checked_sub(table + 2 * place)? / (slice + place);
    (most.saturating_sub(1)..=most).rev().filter(|slices| *slices > 0).find_map(|slices| {
        let behind = from + table + (slices + 2) * place;
        let base = align_up(behind, slice);
        (base >= behind && align_down(end, slice).checked_sub(base)? >= slices * slice)
            .then(|| (base - from, slices))
    })
}
