//! The free spans of slices: in bins by their length, four to a doubling; joined as soon as they touch.
//!
//! ```text
//! bins   4 KiB │ 8 │ 12 │ 16 │ 20 │ 24 │ 28 │ 32 │ 40 │ …        a bit for each that is not empty
//!                           └► span ⇄ span      from here to below the next bin
//! ```
//!
//! What is taken is the first of the lowest bin whose spans all suffice; only if there is none is the bin looked through
//! that may have one. So a request is refused only when no span serves it.
use base::bits::align_up;

use super::page::{PageRef, State};
use super::queue::Queue;
use super::segment::LEAST_SLICE;

/// Spans of up to 2^29 units, which is 2 TiB; longer ones are in the last bin.
const BINS: usize = 4 + 4 * 27;

#[derive(Debug)]
pub(super) struct Spans {
    bins: [Queue; BINS],
    /// A bit for each bin that has a span.
    filled: u128,
}

/// The bin of a span of `len` bytes.
fn bin_of(len: usize) -> usize {
    let units = (len / LEAST_SLICE).max(1);
    if units < 4 {
        return units - 1;
    }
    let doubling = units.ilog2() as usize;
    (4 * (doubling - 1) + (units >> (doubling - 2)) % 4 - 1).min(BINS - 1)
}

/// What is lost in front of the first multiple of `align`, in bytes.
fn front(span: PageRef, align: usize) -> usize {
    let start = span.start().addr().get();
    align_up(start, align).wrapping_sub(start)
}

fn serves(span: PageRef, len: usize, align: usize) -> bool {
    front(span, align).checked_add(len).is_some_and(|needed| needed <= span.len())
}

impl Spans {
    pub(super) const fn new() -> Self {
        Self { bins: [Queue::EMPTY; BINS], filled: 0 }
    }

    /// Slices for `len` bytes, the first at a multiple of `align`: a page that is nothing yet.
    pub(super) fn take(&mut self, len: usize, align: usize) -> Option<PageRef> {
        let span = self.find(len, align)?;
        self.remove(span);
        let (slice, all) = (1 << span.shift(), span.slices());
        let skip = front(span, align) / slice;
        let count = len.div_ceil(slice);
        if skip > 0 {
            self.put(span.part(0, skip, State::Free));
        }
        let rest = all - skip - count;
        if rest > 0 {
            self.put(span.part(skip + count, rest, State::Free));
        }
        Some(span.part(skip, count, State::Inside))
    }

    fn find(&self, len: usize, align: usize) -> Option<PageRef> {
        // A span of so many bytes serves wherever it begins: slices are at multiples of the least one.
        let lost = align.max(LEAST_SLICE) - LEAST_SLICE;
        let enough = len.checked_add(lost)?.checked_next_multiple_of(LEAST_SLICE)?;
        let low = bin_of(enough);
        // Of its own bin all suffice only if it is the shortest of it.
        let is_shortest = enough <= LEAST_SLICE || bin_of(enough - LEAST_SLICE) < low;
        let least = if is_shortest { low } else { low + 1 };
        let sure = self.filled >> least;
        if sure != 0
            && let Some(span) = self.bins[least + sure.trailing_zeros() as usize].first()
            && serves(span, len, align)
        {
            return Some(span);
        }
        let from = bin_of(len);
        let mut maybe = self.filled >> from << from;
        while maybe != 0 {
            let bin = &self.bins[maybe.trailing_zeros() as usize];
            if let Some(span) = bin.iter().find(|span| serves(*span, len, align)) {
                return Some(span);
            }
            maybe &= maybe - 1;
        }
        None
    }

    /// A page is free again.
    pub(super) fn give(&mut self, page: PageRef) {
        let (mut first, mut count) = (page, page.slices());
        if let Some(behind) = page.free_behind() {
            self.remove(behind);
            count += behind.slices();
        }
        if let Some(before) = page.free_before() {
            self.remove(before);
            count += before.slices();
            first = before;
        }
        self.put(first.part(0, count, State::Free));
    }

    /// A free span that touches no other.
    pub(super) fn put(&mut self, span: PageRef) {
        let bin = bin_of(span.len());
        self.bins[bin].push_front(span);
        self.filled |= 1 << bin;
    }

    pub(super) fn remove(&mut self, span: PageRef) {
        let bin = bin_of(span.len());
        self.bins[bin].remove(span);
        if self.bins[bin].first().is_none() {
            self.filled &= !(1 << bin);
        }
    }

    /// Bytes of a span that no other is much longer than.
    pub(super) fn largest(&self) -> usize {
        let bin = u128::BITS.checked_sub(self.filled.leading_zeros() + 1);
        bin.and_then(|bin| self.bins[bin as usize].first()).map_or(0, |span| span.len())
    }

    /// Each span with its bin's word for it: whether it belongs there.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PageRef, bool)> {
        self.bins.iter().enumerate().flat_map(move |(bin, queue)| {
            let filled = self.filled >> bin & 1 == 1;
            queue.iter().map(move |span| (span, filled && bin_of(span.len()) == bin))
        })
    }
}
