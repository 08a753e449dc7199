//! Checking and counting.
use base::check::ensure;
use base::{BlockStats, Broken, Check, Stats};
use kernel::size_slabs::class::{Class, STEP};

use super::page::{PageRef, State};
use super::segment::SegmentRef;
use super::{LARGEST, MAX_DIRECT, Sharded};

const P1: &str = "sharded-P1: a page is in its class's queue exactly when it is queued";
const P2: &str = "sharded-P2: each block is in use, on a list, or was never used";
const P3: &str = "sharded-P3: pages and free spans cover a segment, and no two free spans touch";
const P4: &str = "sharded-P4: used is the sum of what was handed out";
const P5: &str = "sharded-P5: direct names the first page of its class's queue";

impl Stats for Sharded {
    /// Free blocks of pages count as free, and the kept pages too.
    fn stats(&self) -> BlockStats {
        BlockStats {
            total: self.total,
            used: self.used,
            peak: self.peak,
            largest_free: self.spans.largest(),
            failures: self.failures,
        }
    }
}

/// What the pages of all segments come to.
#[derive(Default)]
struct Sums {
    used: usize,
    queued: usize,
    free: usize,
}

impl Sums {
    fn add(&mut self, segment: SegmentRef) -> Result<(), Broken> {
        let mut at = 0;
        let mut was_free = false;
        for page in segment.pages() {
            let address = page.start().addr().get();
            let is_free = page.state() == State::Free;
            ensure(page.slices() > 0 && !(was_free && is_free), P3, address)?;
            at += page.len();
            ensure(at <= segment.len(), P3, address)?;
            was_free = is_free;
            match page.state() {
                State::Inside => return ensure(false, P3, address),
                State::Free => self.free += 1,
                State::Single => self.used += page.len(),
                State::Queued | State::Full => self.add_page(page)?,
            }
        }
        ensure(at == segment.len(), P3, at)
    }

    fn add_page(&mut self, page: PageRef) -> Result<(), Broken> {
        let address = page.start().addr().get();
        let free = page.free_blocks();
        ensure(free.is_some_and(|free| free + page.used() == page.room()), P2, address)?;
        ensure(page.state() == State::Queued || free == Some(0), P1, address)?;
        self.queued += usize::from(page.state() == State::Queued);
        self.used += page.used() * page.size();
        Ok(())
    }
}

impl Check for Sharded {
    /// O(pages + free blocks).
    fn check(&self) -> Result<(), Broken> {
        let mut sums = Sums::default();
        for segment in self.segments() {
            sums.add(segment)?;
        }
        ensure(sums.used == self.used, P4, self.used)?;
        self.check_queues(sums.queued)?;
        let mut spans = 0;
        for (span, belongs) in self.spans.iter() {
            spans += 1;
            let holds = belongs && span.state() == State::Free && spans <= sums.free;
            ensure(holds, P3, span.start().addr().get())?;
        }
        ensure(spans == sums.free, P3, spans)
    }
}

impl Sharded {
    fn check_queues(&self, pages: usize) -> Result<(), Broken> {
        let mut queued = 0;
        for class in Class::all_to(LARGEST) {
            let queue = &self.queues[class.index()];
            let mut previous = None;
            for page in queue.iter() {
                queued += 1;
                let holds = page.state() == State::Queued && page.class() == Some(class);
                let linked = page.previous.get() == previous && queued <= pages;
                ensure(holds && linked, P1, page.start().addr().get())?;
                previous = Some(page);
            }
            let entry = class.size() / STEP;
            let named = class.size() > MAX_DIRECT || self.direct[entry] == queue.first();
            ensure(named, P5, class.size())?;
        }
        ensure(queued == pages, P1, queued)
    }
}
