//! How large a pool a recorded program needs on a board: its calls made on block allocators, whose pools grow and shrink until they
//! just suffice.
//!
//! ```text
//! trace ─► calls ─┬─► tlsf on 40 KiB: refused      next time on 80 KiB, then 60, …
//!                 ├─► buddy on 80 KiB: all granted next time on 60 KiB, …
//!                 └─► …                            at the end once more, with an eighth to spare
//! ```
//!
//! The trace is read once for each length, whatever the number of allocators. Threads take turns in the recorded order, as behind
//! one lock.

mod calls;
mod heap;

use core::ops::ControlFlow;

use trace::{Trace, TraceError};

use self::calls::Calls;
use self::heap::{NAMES, Tried};

/// A pool of more bytes than the program's peak times this, and [`ROOM`], is not tried.
const MOST: usize = 64;
/// What allocators that keep a page for each size need in any case.
const ROOM: usize = 16 << 20;
/// The search ends when what was granted is within this share of what was refused, or within [`GRAIN`] bytes.
const CLOSE: usize = 128;
const GRAIN: usize = 64;
/// Part of the pool that is added to spare.
const SPARE: usize = 8;
/// The length that is proposed is a multiple of this.
const STEP: usize = 1 << 10;
/// Programs with more live at once are no firmware.
pub const LARGEST: u64 = 256 << 20;

/// What a program asks of its pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Calls that allocate, resize or free.
    pub calls: u64,
    /// The most bytes that were in use at once, as they were asked for.
    pub bytes: usize,
    /// The most blocks that were in use at once.
    pub blocks: usize,
    /// The smallest and the largest request.
    pub sizes: (usize, usize),
}

/// What one allocator needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Its name in the registry.
    pub name: &'static str,
    /// None: the largest pool that was tried did not suffice.
    pub pool: Option<Pool>,
}

/// A pool in which all calls are granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// The shortest that sufficed.
    pub least: usize,
    /// An eighth more, and the allocator's own records.
    pub take: usize,
    /// In that one: the most bytes that were in blocks, headers and rounding included.
    pub used: usize,
    /// In that one, at the worst moment: free bytes beside the largest free block.
    pub scattered: usize,
}

/// What came of a trace.
#[derive(Debug)]
pub struct Pools {
    pub demand: Demand,
    /// By allocator, as they were named.
    pub needs: Vec<Need>,
    /// Where the trace cannot be read any further, if that is so: what is before counts.
    pub cut: Option<TraceError>,
}

/// The names of the allocators that can be tried.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

pub fn demand(trace: &Trace) -> (Demand, Option<TraceError>) {
    let mut calls = Calls::of(trace);
    calls.by_ref().for_each(drop);
    (calls.demand, calls.cut)
}

/// The pools that `names` need for `demand`, which is the trace's. `go_on` is asked before each reading; none: it said no.
pub fn pools(
    trace: &Trace,
    (demand, cut): (Demand, Option<TraceError>),
    names: &[&'static str],
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Pools> {
    let mut searches: Vec<Search> = names.iter().map(|name| Search::of(name, &demand)).collect();
    while searches.iter().any(|search| search.next().is_some()) {
        if go_on().is_break() {
            return None;
        }
        let mut tried: Vec<Option<Tried>> = searches.iter().map(Search::begin).collect();
        for call in Calls::of(trace) {
            tried.iter_mut().flatten().for_each(|heap| heap.call(&call));
        }
        for (search, heap) in searches.iter_mut().zip(tried) {
            match heap {
                Some(heap) => search.learn(&heap),
                None => search.is_over = true,
            }
        }
    }
    let needs = searches.iter().map(|s| Need { name: s.name, pool: s.pool }).collect();
    Some(Pools { demand, needs, cut })
}

/// One allocator on its way to the least pool.
#[derive(Debug)]
struct Search {
    name: &'static str,
    /// The longest pool that was refused, and the shortest that was not.
    refused: usize,
    granted: Option<usize>,
    most: usize,
    /// What is tried at the end.
    with_spare: Option<usize>,
    pool: Option<Pool>,
    /// Nothing longer is tried.
    is_over: bool,
}

impl Search {
    fn of(name: &'static str, demand: &Demand) -> Self {
        let most = demand.bytes * MOST + ROOM;
        // No allocator does without records of its own.
        let refused = (demand.bytes / GRAIN).saturating_sub(1) * GRAIN;
        Self { name, refused, granted: None, most, with_spare: None, pool: None, is_over: false }
    }

    /// The length that is tried next; none: it is known, or there is none.
    fn next(&self) -> Option<usize> {
        if self.pool.is_some() || self.is_over {
            return None;
        }
        if self.with_spare.is_some() {
            return self.with_spare;
        }
        let next = match self.granted {
            Some(granted) => self.refused + (granted - self.refused) / 2 / GRAIN * GRAIN,
            None => (self.refused + self.refused / 4 + STEP).next_multiple_of(GRAIN),
        };
        (next <= self.most).then_some(next)
    }

    fn begin(&self) -> Option<Tried> {
        self.next().and_then(|bytes| Tried::new(self.name, bytes))
    }

    fn learn(&mut self, tried: &Tried) {
        let bytes = tried.bytes();
        match (tried.is_refused(), self.with_spare, self.granted) {
            (false, Some(_), Some(least)) => {
                let (used, scattered) = tried.figures();
                let take = (bytes + tried.records()).next_multiple_of(STEP);
                self.pool = Some(Pool { least, take, used, scattered });
            }
            // More memory is not always better: what is proposed has been tried.
            (true, Some(_), _) => self.with_spare = Some(bytes + bytes / SPARE),
            (true, None, _) => self.refused = bytes,
            (false, ..) => self.granted = Some(bytes),
        }
        if let (Some(granted), None) = (self.granted, self.with_spare)
            && granted - self.refused <= GRAIN.max(granted / CLOSE)
        {
            self.with_spare = Some(granted + (granted / SPARE).next_multiple_of(GRAIN));
        }
    }
}

#[cfg(test)]
mod tests;
